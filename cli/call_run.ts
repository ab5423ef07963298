/** What `gum call` does between its words and the kernel (spec 08 §4.3). */

import type { CatalogSnapshot, Op, RiskClass } from "../lib/catalog/types.ts";
import { type JsonObject, setOwn } from "../lib/json/mod.ts";
import { isMailOperation } from "../lib/mail/mod.ts";
import { parseCallArguments } from "./arg_grammar.ts";
import { arrayFields, callFields, mergeFieldFlags } from "./call_fields.ts";
import { checkArgumentValues } from "./call_checks.ts";
import { promptForMissing } from "./call_prompts.ts";
import { notAChoice } from "./choices.ts";
import { invalidArg, UsageError } from "./errors.ts";
import { dispatchAndPresent, sourceReader } from "./invoke_run.ts";
import { callOutput } from "./output_choice.ts";
import type { FlagValues } from "./parse.ts";
import type { CommandContext } from "./types.ts";

/** Runs `gum call`. */
export async function runCall(context: CommandContext): Promise<void> {
  const { flags, host, words } = context;
  const opId = words[0] ?? "";
  const catalog = await host.factories.catalog(words);
  const op = catalog.findOp(opId);
  const risk = riskFlag(flags);
  const choice = callOutput(flags, host);
  const args = await callArguments({ op, words: words.slice(1) }, context);
  applyHostControls(args, { op, catalog, flags });
  const grants = { allowWrite: risk === "write", allowDestructive: risk === "destructive" };
  await dispatchAndPresent({ args, choice, risk, grants }, context);
}

async function callArguments(
  source: { op: Op | undefined; words: readonly string[] },
  context: CommandContext,
): Promise<JsonObject> {
  const { op } = source;
  const args = await parseCallArguments(source.words, {
    arrayFields: arrayFields(op),
    readSource: sourceReader(context),
  });
  if (op === undefined) return args;
  if (isMailOperation(op.op_id)) {
    await (await import("./mail_flags.ts")).mergeMailFlags(args, context);
  }
  mergeFieldFlags(args, { op, flags: context.flags, existing: context.command.flags });
  await promptForMissing(args, { op, context });
  checkArgumentValues(args, op);
  return args;
}

function riskFlag(flags: FlagValues): RiskClass {
  const text = flags.text("risk");
  if (text === undefined) throw new UsageError("required flag --risk is missing");
  const word = text.trim().toLowerCase();
  if (word === "read" || word === "write" || word === "destructive") return word;
  throw invalidArg("--risk", notAChoice(text, ["read", "write", "destructive"]));
}

// Host controls come last, so a flag wins over an argument of the same wire name.
function applyHostControls(
  args: JsonObject,
  source: { op: Op | undefined; catalog: CatalogSnapshot; flags: FlagValues },
): void {
  const { flags } = source;
  const fields = flags.text("fields");
  if (fields !== undefined && !flags.on("no-field-mask")) setOwn(args, "fields", fields);
  const token = flags.text("page-token");
  if (token !== undefined) setOwn(args, "pageToken", token);
  const size = flags.integer("page-size") ?? 0;
  if (size < 0) throw invalidArg("--page-size", "expected a positive integer");
  if (size > 0) setOwn(args, pageSizeName(source.op), size);
}

function pageSizeName(op: Op | undefined): string {
  const names = new Set(op === undefined ? [] : callFields(op).map((field) => field.name));
  return !names.has("pageSize") && names.has("maxResults") ? "maxResults" : "pageSize";
}
