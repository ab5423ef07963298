/**
 * Plugin manifests: reading one from a directory through every gate of spec 06 §3.1.
 *
 * ```ts
 * import { loadManifest } from "./mod.ts";
 *
 * const { manifest, warnings } = await loadManifest("/path/to/plugin");
 * ```
 *
 * @module
 */

import type { LoadedManifest } from "../types.ts";
import { checkManifest } from "./gates.ts";
import { decodeManifest, findManifestFile, type ManifestFile } from "./read.ts";

export { CREDENTIAL_KINDS, validateCredentialDescriptors } from "./credentials.ts";
export {
  ENV_DENYLIST,
  ENV_DENYLIST_TEXT,
  GOOGLE_TOKEN_VARIABLE,
  isDeniedEnvName,
  isGoogleTokenName,
  isVariableName,
} from "./env_gate.ts";
export {
  type CheckedManifest,
  checkManifest,
  inspectManifest,
  safeDescriptors,
  wantsGoogleToken,
} from "./gates.ts";
export {
  decodeManifest,
  findManifestFile,
  MANIFEST_FILE_NAMES,
  type ManifestFile,
} from "./read.ts";

/**
 * Loads the manifest of a directory.
 *
 * @throws GumError with the code of the first failing gate.
 */
export async function loadManifest(directory: string): Promise<LoadedManifest> {
  return await loadManifestFile(await findManifestFile(directory));
}

/** Takes a manifest file that was already read through the gates. */
async function loadManifestFile(file: ManifestFile): Promise<LoadedManifest> {
  return { ...file, ...await checkManifest(await decodeManifest(file)) };
}
