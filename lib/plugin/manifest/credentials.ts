/** Credential descriptors: one for every secret a plugin needs (spec 06 §3.12). */

import { GumError } from "../../errors/mod.ts";
import { isJsonObject, type JsonValue } from "../../json/mod.ts";
import type { CredentialDescriptor, CredentialKind } from "../types.ts";
import { isGoogleTokenName } from "./env_gate.ts";
import { attempt, type Refusals, thrown } from "./refusals.ts";

const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const ALIAS = /^[a-z][a-z0-9_]{0,63}$/;

/** What a stored secret may be. */
export const CREDENTIAL_KINDS: readonly CredentialKind[] = [
  "api_key",
  "oauth_token",
  "cookie",
  "session",
  "other",
];

/**
 * Checks descriptors against the names the plugin needs and returns them typed; the first broken
 * rule is thrown, unless `to` takes it. Messages name aliases, never variables.
 *
 * @throws GumError `PLUGIN_CREDENTIAL_DESCRIPTOR_INVALID`
 */
export function validateCredentialDescriptors(
  needs: readonly string[],
  descriptors: readonly JsonValue[],
  to: Refusals = thrown,
): CredentialDescriptor[] {
  const wanted = needs.filter((name) => !isGoogleTokenName(name));
  const checked: CredentialDescriptor[] = [];
  for (const given of descriptors) {
    const descriptor = attempt(to, () => checkOne(given, { wanted, checked }));
    if (descriptor !== undefined) checked.push(descriptor);
  }
  const named = new Set(descriptors.map((given) => isJsonObject(given) ? given.env : undefined));
  const uncovered = wanted.filter((name) => !named.has(name));
  if (uncovered.length > 0) {
    to(refuse(`${uncovered.length} needed credential(s) have no descriptor`));
  }
  return checked;
}

function checkOne(
  given: JsonValue,
  known: { wanted: readonly string[]; checked: readonly CredentialDescriptor[] },
): CredentialDescriptor {
  if (!isJsonObject(given)) throw refuse("a descriptor is not a table");
  const alias = typeof given.alias === "string" && ALIAS.test(given.alias)
    ? given.alias
    : undefined;
  const fail = (why: string) => refuse(why, alias);
  const { env } = given;
  if (typeof env !== "string" || !ENV_NAME.test(env)) throw fail("env is not a variable name");
  if (!known.wanted.includes(env)) throw fail("env is not among needs_user_creds");
  if (known.checked.some((other) => other.env === env)) {
    throw fail("a needed credential has two descriptors");
  }
  if (alias === undefined) throw fail("alias is missing or not a lowercase word");
  if (known.checked.some((other) => other.alias === alias)) throw fail("the alias is used twice");
  const kind = CREDENTIAL_KINDS.find((name) => name === given.kind);
  if (kind === undefined) throw fail(`kind must be one of ${CREDENTIAL_KINDS.join(", ")}`);
  const { display_name: displayName, setup_hint: setupHint = "" } = given;
  if (typeof displayName !== "string" || !fits(displayName, { least: 1, most: 80 })) {
    throw fail("display_name needs 1 to 80 characters");
  }
  if (typeof setupHint !== "string" || !fits(setupHint, { least: 0, most: 160 })) {
    throw fail("setup_hint may have at most 160 characters");
  }
  if (displayName.includes(env) || setupHint.includes(env)) {
    throw fail("display_name and setup_hint may not name the variable");
  }
  return { alias, env, kind, display_name: displayName, setup_hint: setupHint };
}

function fits(text: string, { least, most }: { least: number; most: number }): boolean {
  const length = [...text].length;
  return length >= least && length <= most;
}

function refuse(why: string, alias?: string): GumError {
  return new GumError("PLUGIN_CREDENTIAL_DESCRIPTOR_INVALID", {
    message: alias === undefined ? why : `credential ${alias}: ${why}`,
    details: alias === undefined ? {} : { alias },
  });
}
