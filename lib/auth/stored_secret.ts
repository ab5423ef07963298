/** A secret the operator stored, or gave by a variable made for that (spec 05 §3.13). */

import type { VariableName } from "../config/environment.ts";
import type { Secret } from "../dispatch/types.ts";
import { isGumError } from "../errors/mod.ts";
import { secret } from "./secret.ts";
import type { AuthParts } from "./types.ts";

/**
 * The stored value, else the variable's. A store that cannot be used is no reason to refuse what
 * the operator gave outright; without the variable its error stands.
 */
export async function storedOrGiven(
  parts: Pick<AuthParts, "store" | "environment">,
  wanted: { account: string; variable: VariableName; signal: AbortSignal },
): Promise<{ value: Secret; source: "store" | "environment" } | undefined> {
  const given = parts.environment.text(wanted.variable)?.trim() ?? "";
  try {
    const stored = await parts.store.get(wanted.account, wanted);
    const text = stored?.reveal().trim() ?? "";
    if (text !== "") return { value: secret(text), source: "store" };
  } catch (error) {
    if (given === "" || !isGumError(error, "AUTH_KEYCHAIN_UNAVAILABLE")) throw error;
  }
  return given === "" ? undefined : { value: secret(given), source: "environment" };
}
