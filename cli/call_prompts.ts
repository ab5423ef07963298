/** Asking a person at a terminal for required arguments (spec 08 §4.3, step 6). */

import type { Op } from "../lib/catalog/types.ts";
import { visibleText } from "../lib/format/text/mod.ts";
import { isJsonObject, type JsonObject, setOwn } from "../lib/json/mod.ts";
import { jsonValue } from "./arg_grammar.ts";
import { askLine } from "./ask_line.ts";
import { type CallField, callFields, takesJson } from "./call_fields.ts";
import { invalidArg } from "./errors.ts";
import type { CommandContext } from "./types.ts";

/**
 * Reads a line for each required field that has no value yet. Does nothing when standard input is
 * no terminal.
 *
 * @throws CliArgError on an empty answer or end of input.
 */
export async function promptForMissing(
  args: JsonObject,
  source: { op: Op; context: CommandContext },
): Promise<void> {
  const { host, signal } = source.context;
  if (!host.isTerminal("stdin")) return;
  for (const field of callFields(source.op)) {
    if (!field.required || isGiven(args, field)) continue;
    const line = await askLine(host, { text: visibleText(question(field)), signal });
    const answer = line?.trim() ?? "";
    const items = answer.split(",").map((item) => item.trim()).filter((item) => item !== "");
    if (items.length === 0) throw invalidArg(field.name, "a value is required");
    if (takesJson(field)) setOwn(args, field.name, jsonValue(answer, field.name));
    else setOwn(args, field.name, field.type === "array" ? items : answer);
  }
}

function isGiven(args: JsonObject, field: CallField): boolean {
  if (Object.hasOwn(args, field.name)) return true;
  const body = Object.hasOwn(args, "body") ? args.body : undefined;
  if (field.location !== "body" || body === undefined) return false;
  return !isJsonObject(body) || Object.hasOwn(body, field.name);
}

function question(field: CallField): string {
  const told = field.description?.split("\n")[0]?.replace(/^(Required|Immutable)[.:] +/, "");
  const description = firstSentence(told ?? field.type);
  const choices = field.enum && field.enum.length > 0 ? ` [${field.enum.join("|")}]` : "";
  return `${field.name}: ${description}${choices}${formText(field)}: `;
}

/** How the answer is written where a plain word would not do. */
function formText(field: CallField): string {
  if (!takesJson(field)) return field.type === "array" ? " (a,b,c)" : "";
  return field.type === "object"
    ? ' (JSON, such as {"key":"value"})'
    : ' (JSON, such as [{"id":"x"}])';
}

function firstSentence(text: string): string {
  return text.replace(/(?<=[a-z0-9)])\. .*$/i, "").replace(/[.:…\s]+$/, "");
}
