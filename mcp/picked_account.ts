/** The account that a call picks: by `_meta["gum/account"]`, or by an argument (spec 11 §6). */

import { GumError } from "../lib/errors/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";

/**
 * The label, if one was picked. A `_meta` value that is no text picks no account, and is refused as
 * an unknown one.
 *
 * @throws GumError `INVALID_ARGS` when host and model name different accounts.
 */
export function pickedAccount(meta: JsonObject, args: JsonObject = {}): { account?: string } {
  const byArgument = typeof args.account === "string" ? args.account : undefined;
  if (!Object.hasOwn(meta, "gum/account")) {
    return byArgument === undefined ? {} : { account: byArgument };
  }
  const picked = meta["gum/account"];
  const account = typeof picked === "string" ? picked : "";
  if (byArgument === undefined || byArgument === account) return { account };
  throw new GumError("INVALID_ARGS", {
    message: "the call names two accounts",
    details: {
      missing: [],
      unknown: [],
      type_errors: [],
      invalid: [{ path: "/account", rule: "must equal _meta gum/account" }],
    },
    userMessage: "The arguments and the client name different accounts; nothing was done.",
    suggestion: "Leave account out, or name the one that the client chose.",
    retryable: false,
  });
}
