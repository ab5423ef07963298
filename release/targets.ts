/** What a release is made of: the platforms, and the two executables for each. */

/** A platform that releases are built for. */
export interface Target {
  /** The compiler's name of it. */
  triple: string;
  os: "linux" | "darwin" | "windows";
  arch: "amd64" | "arm64";
}

/** Every platform of a release (spec 07 §3.23). */
export const TARGETS: readonly Target[] = [
  { triple: "x86_64-unknown-linux-gnu", os: "linux", arch: "amd64" },
  { triple: "aarch64-unknown-linux-gnu", os: "linux", arch: "arm64" },
  { triple: "x86_64-apple-darwin", os: "darwin", arch: "amd64" },
  { triple: "aarch64-apple-darwin", os: "darwin", arch: "arm64" },
  { triple: "x86_64-pc-windows-msvc", os: "windows", arch: "amd64" },
];

/** One of the two executables, and the permission set of `deno.json` that is baked into it. */
export interface Artifact {
  name: "gum" | "gum-sandboxed";
  permissionSet: "gum" | "gum_sandboxed";
}

/** The executable with plugins, browser and keyring, and the one without any subprocess. */
export const ARTIFACTS: readonly Artifact[] = [
  { name: "gum", permissionSet: "gum" },
  { name: "gum-sandboxed", permissionSet: "gum_sandboxed" },
];

/** No executable is larger than this (bytes). */
export const LARGEST_EXECUTABLE = 120_000_000;

/**
 * Modification time of everything that is embedded or archived, in seconds since the epoch. A fixed
 * one, because the time of a checkout would otherwise be inside the executable.
 */
export const RELEASE_TIME = 1_577_836_800;

/** The platform this process runs on, if releases are built for it. */
export function hostTarget(
  build: { os: string; arch: string } = Deno.build,
): Target | undefined {
  const arch = build.arch === "x86_64" ? "amd64" : "arm64";
  return TARGETS.find((target) => target.os === build.os && target.arch === arch);
}

/** File name of an executable on a platform. */
export function executableName(artifact: Artifact, target: Target): string {
  return target.os === "windows" ? `${artifact.name}.exe` : artifact.name;
}

/** File name of an archive; `version` may carry the tag's `v`. */
export function archiveName(
  artifact: Artifact,
  { target, version }: { target: Target; version: string },
): string {
  const form = target.os === "windows" ? "zip" : "tar.gz";
  return `${artifact.name}_${version.replace(/^v/, "")}_${target.os}_${target.arch}.${form}`;
}

/** A stable release tag; nothing else is released (spec 07 §3.23). */
export const RELEASE_TAG = /^v[0-9]+\.[0-9]+\.[0-9]+$/;
