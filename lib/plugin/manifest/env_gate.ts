/** Environment names that a plugin may not have, and the token that only the host hands out. */

import denylistText from "../env_denylist.txt" with { type: "text" };

/** The list's text as this site embeds it; a test compares it with the asset. */
export const ENV_DENYLIST_TEXT: string = denylistText;

/** Patterns of the list, in order. */
export const ENV_DENYLIST: readonly string[] = denylistText
  .split("\n")
  .map((line) => line.replace(/#.*$/, "").trim())
  .filter((line) => line !== "");

/** True when the list denies a name; Windows does not distinguish case in names, so neither here. */
export function isDeniedEnvName(name: string, os: string = Deno.build.os): boolean {
  const spelled = (text: string) => os === "windows" ? text.toUpperCase() : text;
  const given = spelled(name);
  return ENV_DENYLIST.some((pattern) => {
    const wanted = spelled(pattern);
    return wanted.endsWith("*") ? given.startsWith(wanted.slice(0, -1)) : given === wanted;
  });
}

/**
 * True for what may be the name of a variable anywhere, and one entry of a permission list: the rest
 * cannot even be asked for.
 */
export function isVariableName(name: string): boolean {
  // deno-lint-ignore no-control-regex -- no name holds one
  return /^[^=,\u0000-\u001f]+$/.test(name);
}

/** Variable that carries a forwarded Google token; never ambient. */
export const GOOGLE_TOKEN_VARIABLE = "GOOGLE_ACCESS_TOKEN";

const GOOGLE_TOKEN_NAME = "google_access_token";

/** True for the reserved name of the forwarded Google token, in any case. */
export function isGoogleTokenName(name: string): boolean {
  return name.toLowerCase() === GOOGLE_TOKEN_NAME;
}
