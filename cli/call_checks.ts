/** Checking argument values before a session is opened (spec 08 §4.3, step 7). */

import type { Op } from "../lib/catalog/types.ts";
import { prepareArguments } from "../lib/dispatch/mod.ts";
import type { JsonObject, JsonValue } from "../lib/json/mod.ts";
import { callFields, takesJson } from "./call_fields.ts";
import { nearHint } from "./choices.ts";
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
  const name = wrong.slice(0, colon);
  throw invalidArg(name, wrong.slice(colon + 2) + meant(op, { name, value: args[name] }));
}

/** What a value of the wrong form was probably meant to be. */
function meant(op: Op, given: { name: string; value: JsonValue | undefined }): string {
  const field = callFields(op).find(({ name }) => name === given.name);
  if (field === undefined) return "";
  const texts = [given.value].flat().filter((value) => typeof value === "string");
  if (texts.length > 0 && takesJson(field)) return `; JSON is written ${given.name}:=…`;
  return typeof given.value === "string" ? nearHint(given.value, field.enum ?? []) : "";
}
