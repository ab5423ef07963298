/**
 * Expression profiles: the DSL, its validation, resolution over project, user and embedded
 * profiles, bindings, and the field-mask grammar (spec 03 §3.1–§3.3, §3.11).
 *
 * The TOML parser is loaded on first use.
 *
 * @module
 */

import type { ProfileResolver } from "../dispatch/types.ts";
import type { ProfileFile } from "./file_types.ts";
import type { LayersOf, ProfileSources } from "./resolver.ts";

export { PROFILE_KEYS, PROFILE_SCHEMA } from "./dsl.ts";
export {
  type FieldMask,
  type FieldMaskResult,
  parseFieldMask,
  projectByMask,
} from "./field_mask.ts";
export type { ProfileFile, ProfileTest } from "./file_types.ts";
export type { BindingEntry, ProfileLayer } from "./layers.ts";
export { type ProfileProblem } from "./problems.ts";
export { declaredProblems, effectiveProblems, variantProblems } from "./semantics.ts";
export { serialiseProfile } from "./serialise.ts";
export type { Profile, ProfileSource, ResolvedProfile } from "./types.ts";
export type { LayersOf, ProfileSources };

/** The resolver that a kernel is built with. Files are read when a call needs them. */
export async function assembleProfileResolver(
  sources: ProfileSources = {},
): Promise<ProfileResolver> {
  const { assembleLayers, resolverOver } = await import("./resolver.ts");
  return resolverOver(assembleLayers(sources));
}

/** The layers behind {@link assembleProfileResolver}, for commands that look at profiles. */
export async function assembleProfileLayers(sources: ProfileSources = {}): Promise<LayersOf> {
  const { assembleLayers } = await import("./resolver.ts");
  return assembleLayers(sources);
}

/**
 * Parses a profile file.
 *
 * @throws GumError `PROFILE_INVALID` or `OVERRIDE_BINDING_INVALID` for the first fault.
 */
export async function parseProfileFile(
  text: string,
  options: { path: string },
): Promise<ProfileFile> {
  const { parseProfileText } = await import("./parse_file.ts");
  return parseProfileText(text, options);
}

/** The `gum profile` commands, loaded when they are asked for. */
export async function profileCommands(): Promise<typeof import("./commands.ts")> {
  return await import("./commands.ts");
}
