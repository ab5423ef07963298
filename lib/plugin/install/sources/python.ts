/** A Python package in an environment that GUM builds from verified wheels (spec 06 §3.5). */

import { isJsonObject } from "../../../json/mod.ts";
import { MODES } from "../../limits.ts";
import { findProgram } from "../../../programs/mod.ts";
import { runProgram } from "../../program.ts";
import { untrusted } from "../../untrusted.ts";
import { fileSha256 } from "../../digest.ts";
import { downloadVerified, fetchJson, requireChecksum } from "../download.ts";
import {
  type AcquiredPackage,
  DEFAULT_ORIGINS,
  type PackageRequest,
  type SourceParts,
} from "./types.ts";

interface Wheel {
  project: string;
  version: string;
  artifact: string;
  checksum: string;
}

/** Builds the environment at its final place, because its scripts hold absolute paths. */
export async function acquirePython(
  request: PackageRequest,
  parts: SourceParts,
): Promise<AcquiredPackage> {
  const { package: source } = request.loaded.manifest;
  const own: Wheel = {
    project: source.repository,
    version: exactVersion(source.ref),
    artifact: source.artifact,
    checksum: source.checksum,
  };
  const extras = source.extra_artifacts.map((extra): Wheel => ({
    project: extra.repository,
    version: exactVersion(extra.ref),
    artifact: extra.artifact,
    checksum: extra.checksum,
  }));
  const files: string[] = [];
  for (const wheel of [...extras, own]) {
    const { pythonIndex } = parts.origins ?? DEFAULT_ORIGINS;
    files.push(
      await (pythonIndex === undefined
        ? fetchWithPip(wheel, { request, parts })
        : fetchFrom(pythonIndex, { wheel, request, parts })),
    );
  }
  await buildEnvironment(files, { request, parts });
  return {
    tree: undefined,
    ref: own.version,
    checksum: `sha256:${own.checksum}`,
    untrusted: false,
  };
}

function exactVersion(ref: string): string {
  return ref.trim().replace(/^==\s*/, "");
}

interface Fetching {
  request: PackageRequest;
  parts: SourceParts;
}

/** Downloads a wheel that the index's JSON names. */
async function fetchFrom(
  pythonIndex: string,
  { wheel, request, parts }: Fetching & { wheel: Wheel },
): Promise<string> {
  const to = `${request.staging}/${wheel.artifact}`;
  const url = await wheelUrl(wheel, { pythonIndex, request, parts });
  await downloadVerified(parts, { url, to, checksum: wheel.checksum, signal: request.signal });
  return to;
}

/**
 * Lets pip fetch the one file from the index that this user has configured. Nothing of it is run
 * or unpacked before its digest is checked.
 */
async function fetchWithPip(wheel: Wheel, { request, parts }: Fetching): Promise<string> {
  const python = await requirePython(parts);
  const words = ["--no-deps", "--only-binary=:all:", "--no-input", "--disable-pip-version-check"];
  const result = await runProgram({
    command: python,
    args: [
      ...["-I", "-m", "pip", "download", ...words, "--dest", request.staging],
      `${wheel.project}==${wheel.version}`,
    ],
    // The user's own pip configuration decides where packages come from.
    env: {
      PATH: parts.environment.text("PATH") ?? "",
      HOME: parts.environment.text("HOME") ?? request.staging,
      TMPDIR: request.staging,
    },
    signal: request.signal,
  });
  requireSuccess("pip download", result);
  const file = `${request.staging}/${wheel.artifact}`;
  let digest: string;
  try {
    digest = await fileSha256(file);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw missingArtifact(wheel);
  }
  requireChecksum(digest, wheel.checksum);
  return file;
}

async function wheelUrl(
  wheel: Wheel,
  { pythonIndex, request, parts }: Fetching & { pythonIndex: string },
): Promise<URL> {
  const record = await fetchJson(parts.http, {
    url: new URL(
      `${pythonIndex}/${encodeURIComponent(wheel.project)}/` +
        `${encodeURIComponent(wheel.version)}/json`,
    ),
    signal: request.signal,
  });
  const urls = isJsonObject(record) && Array.isArray(record.urls) ? record.urls : [];
  const entry = urls.filter(isJsonObject).find(({ filename }) => filename === wheel.artifact);
  if (typeof entry?.url === "string" && URL.canParse(entry.url)) return new URL(entry.url);
  throw missingArtifact(wheel);
}

function missingArtifact(wheel: Wheel) {
  return untrusted("artifact_missing", {
    message: `${wheel.project} ${wheel.version} has no file ${wheel.artifact}`,
    details: { artifact: wheel.artifact },
    suggestion: "Compare artifact and ref in the manifest with the published files.",
  });
}

async function requirePython(parts: SourceParts): Promise<string> {
  const python = await findProgram("python3", parts.environment) ??
    (Deno.build.os === "windows" ? await findProgram("python", parts.environment) : undefined);
  if (python !== undefined) return python;
  throw untrusted("python_not_found", {
    message: "python3 is not on the search path",
    suggestion: "Install Python 3 with its venv module.",
  });
}

async function buildEnvironment(
  wheels: readonly string[],
  { request, parts }: { request: PackageRequest; parts: SourceParts },
): Promise<void> {
  const python = await requirePython(parts);
  const { fs } = parts;
  const venv = `${request.installRoot}/venv`;
  await fs.makeDirectory(request.installRoot, MODES.directory);
  const env = {
    PATH: parts.environment.text("PATH") ?? "",
    HOME: request.staging,
    TMPDIR: request.staging,
  };
  const run = (command: string, args: readonly string[]) =>
    runProgram({ command, args, env, signal: request.signal });
  let made = await run(python, ["-m", "venv", "--copies", venv]);
  if (made.started && made.code !== 0) {
    await fs.remove(venv);
    made = await run(python, ["-m", "venv", venv]);
  }
  requireSuccess("venv", made);
  const windows = Deno.build.os === "windows";
  const inner = windows ? `${venv}/Scripts/python.exe` : `${venv}/bin/python`;
  const words = ["--no-index", "--no-deps", "--no-input", "--disable-pip-version-check"];
  for (const wheel of wheels) {
    const install = [inner, "-m", "pip", "install", ...words, wheel];
    requireSuccess("pip", await run(python, ["-I", "-c", RELAY, ...install]));
  }
}

// This process may start programs by a few names only; the environment's own Python is not among
// them, and it need not be.
const RELAY = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))";

function requireSuccess(what: string, result: Awaited<ReturnType<typeof runProgram>>): void {
  if (result.started && result.code === 0) return;
  const why = result.started
    ? `exit code ${result.code}: ${(result.stderr || result.stdout).trim().slice(-300)}`
    : `it could not be started (${result.reason})`;
  throw untrusted("python_failed", {
    message: `the Python environment could not be built (${what}: ${why})`,
    suggestion: "Check that python3 has its venv module and fits the wheel.",
  });
}
