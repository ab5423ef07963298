/** Checking argument values before a session is opened (spec 08 §4.3, step 7). */

import type { Op } from "../lib/catalog/types.ts";
import { prepareArguments } from "../lib/dispatch/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { invalidArg } from "./errors.ts";

/**
 * Refuses values of the wrong type or outside their choices. Missing and unknown names are left to
 * the kernel, whose answer lists all of them at once.
 *
 * @throws CliArgError naming the argument and what it takes.
 */
export function checkArgumentValues(args: JsonObject, op: Op): void {
  const { problems } = prepareArguments(op, args, { hostDefaults: true });
  if (problems.refusal !== undefined) {
    throw invalidArg(problems.refusal.field, problems.refusal.message);
  }
  const wrong = problems.typeErrors[0];
  if (wrong === undefined) return;
  const colon = wrong.indexOf(": ");
  throw invalidArg(wrong.slice(0, colon), wrong.slice(colon + 2));
}
