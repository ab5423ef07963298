/** Expression profiles that a plugin brings along (spec 06 §3.4, step 2). */

import type { Catalog, Op } from "../../catalog/types.ts";
import { createSnapshot } from "../../catalog/mod.ts";
import { GumError } from "../../errors/mod.ts";
import { assembleProfileLayers, profileCommands, type ProfileLayer } from "../../profile/mod.ts";
import type { PluginTool } from "../types.ts";
import { readBounded } from "../file_system.ts";
import { invalidManifest } from "../manifest/refusals.ts";

const FILE_LIMIT = 64;
const FILE_BYTES = 1024 * 1024;

/** A profile file beside a manifest. */
export interface BundledProfileFile {
  /** Without its directory. */
  fileName: string;
  bytes: Uint8Array;
}

/** Every `profiles/*.toml` beside a manifest, by name. */
export async function readBundledProfiles(directory: string): Promise<BundledProfileFile[]> {
  const names: string[] = [];
  try {
    for await (const entry of Deno.readDir(`${directory}/profiles`)) {
      if (entry.isFile && /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}\.toml$/.test(entry.name)) {
        names.push(entry.name);
      }
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  if (names.length > FILE_LIMIT) {
    throw invalidManifest("/profiles", `more than ${FILE_LIMIT} profile files`);
  }
  const files: BundledProfileFile[] = [];
  for (const fileName of names.sort()) {
    const bytes = await readBounded(`${directory}/profiles/${fileName}`, FILE_BYTES);
    if (bytes === "too_large") throw invalidManifest("/profiles", `${fileName} is over 1 MiB`);
    if (typeof bytes !== "string") files.push({ fileName, bytes });
  }
  return files;
}

/**
 * Checks bundled profiles, and that every `output_profile` of a tool exists and fits it.
 *
 * @throws GumError `PROFILE_STRIP_NULLS_UNSAFE` or `PLUGIN_MANIFEST_INVALID`
 */
export async function checkBundledProfiles(
  files: readonly BundledProfileFile[],
  given: { tools: readonly PluginTool[]; ops: readonly Op[]; catalog: Catalog },
): Promise<void> {
  const named = given.tools.filter(({ output_profile: profile }) => profile !== undefined);
  if (files.length === 0 && named.length === 0) return;
  const { validateProfileText } = await profileCommands();
  // Only what ships: the user's own files may change under an installed plugin.
  const layers = (await assembleProfileLayers())(undefined);
  const snapshot = createSnapshot(given.catalog, {
    requestSchema: () => undefined,
    pluginOps: given.ops,
  });
  const context = { catalog: snapshot, origin: "plugin" as const };
  const owners = new Map<string, { text: string; path: string; layers: ProfileLayer[] }>();
  for (const { fileName, bytes } of files) {
    const path = `profiles/${fileName}`;
    const text = new TextDecoder().decode(bytes);
    const { validation } = validateProfileText(text, { ...context, path, layers });
    const [first] = validation.errors;
    if (first !== undefined) throw profileRefusal(first, path);
    for (const name of validation.profiles) owners.set(name, { text, path, layers: [...layers] });
  }
  for (const tool of named) {
    const profile = tool.output_profile ?? "";
    const owner = owners.get(profile);
    if (owner === undefined) {
      if (layers.some((layer) => layer.find(profile) !== undefined)) continue;
      throw invalidManifest("/tools", `${tool.name}: no profile is called ${profile}`);
    }
    const op = given.ops.find(({ variants }) =>
      variants.some(({ binding }) => binding?.tool_name === tool.tool_name)
    );
    const variantId = op?.default_variant_id;
    const { validation } = validateProfileText(owner.text, {
      ...context,
      ...owner,
      ...(variantId === undefined ? {} : { variantId }),
    });
    const fault = validation.errors.find((finding) => finding.profile === profile);
    if (fault !== undefined) throw profileRefusal(fault, owner.path);
  }
}

function profileRefusal(
  finding: { code: string; profile?: string; message: string },
  path: string,
): GumError {
  const details = { path, ...(finding.profile === undefined ? {} : { profile: finding.profile }) };
  const message = `${path}: ${finding.message}`;
  return finding.code === "PROFILE_STRIP_NULLS_UNSAFE"
    ? new GumError("PROFILE_STRIP_NULLS_UNSAFE", { message, details })
    : new GumError("PLUGIN_MANIFEST_INVALID", { message, details });
}
