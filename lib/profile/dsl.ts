/** The profile DSL's structural grammar: the published JSON Schema and the names it holds. */

import schema from "../../docs/expression-profile-dsl.json" with { type: "json" };

/** The published schema, `docs/expression-profile-dsl.json`. */
export const PROFILE_SCHEMA: Readonly<Record<string, unknown>> = schema;

/** Every key a profile may declare, in the order in which they are written. */
export const PROFILE_KEYS: readonly string[] = Object.keys(schema.$defs.profile.properties);

/** Top-level tables of an envelope file. */
export const ENVELOPE_KEYS: readonly string[] = Object.keys(schema.properties);

const NAME_PATTERN = new RegExp(schema.properties.output_profiles.propertyNames.pattern);

/** Whether a text may name a profile; the name becomes a file name, so nothing else touches the disk. */
export function isProfileName(name: string): boolean {
  return NAME_PATTERN.test(name) && !name.includes("..");
}
