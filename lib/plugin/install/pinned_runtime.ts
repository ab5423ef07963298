/** The Deno that this release of GUM knows by digest (spec 06 §8.2, option D). */

/** The version that is fetched. */
export const PINNED_DENO = "2.9.6";

/** One build of it. */
export interface PinnedRuntime {
  /** The release's name for the system. */
  target: string;
  /** File name inside its archive. */
  program: string;
  /** Lowercase hex SHA-256 of the program, not of the archive around it. */
  sha256: string;
}

const RUNTIMES: Readonly<Record<string, PinnedRuntime>> = {
  "linux-x86_64": {
    target: "x86_64-unknown-linux-gnu",
    program: "deno",
    sha256: "bceb5b6a6239b0b010418406d8c77a508f67cf4337d94288f1c19fe71304aab0",
  },
  "linux-aarch64": {
    target: "aarch64-unknown-linux-gnu",
    program: "deno",
    sha256: "d08d392418df53f4e6e88a08909c0e1bccbf9adcead7232df72b6ad6075ec416",
  },
  "darwin-x86_64": {
    target: "x86_64-apple-darwin",
    program: "deno",
    sha256: "ec9fbd8e8f5f6ca5ceb0ebe4a564636f2c698bf60e3187460ded400cc0147fd5",
  },
  "darwin-aarch64": {
    target: "aarch64-apple-darwin",
    program: "deno",
    sha256: "b3ac3bd206e48c26026cadd80c1367e96c149f9c66130952382a642b09fa8a71",
  },
  "windows-x86_64": {
    target: "x86_64-pc-windows-msvc",
    program: "deno.exe",
    sha256: "2ff9493dfa356be2975f477025ea770088e9e9cb2c83d983236d13561b96b7a6",
  },
  "windows-aarch64": {
    target: "aarch64-pc-windows-msvc",
    program: "deno.exe",
    sha256: "7259fbfaf9fb0d83551b7f85b38b3dc4d7c2c63cf05427b042fbf63bdcb6f778",
  },
};

/** The build for a system; undefined for one that there is none for. */
export function pinnedRuntime(
  system: { os: string; arch: string } = Deno.build,
): PinnedRuntime | undefined {
  return RUNTIMES[`${system.os}-${system.arch}`];
}

/** Where the pinned version lies below a directory. */
export function runtimePath(directory: string, program: string): string {
  return `${directory}/deno-${PINNED_DENO}/${program}`;
}

/** The installed one; undefined when there is none. Whoever uses it checks its digest. */
export async function ownRuntime(directory: string | undefined): Promise<string | undefined> {
  const known = pinnedRuntime();
  if (directory === undefined || known === undefined) return undefined;
  const path = runtimePath(directory, known.program);
  try {
    return (await Deno.stat(path)).isFile ? path : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
