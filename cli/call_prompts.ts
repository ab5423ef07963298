/** Asking a person at a terminal for required arguments (spec 08 §4.3, step 6). */

import type { Op } from "../lib/catalog/types.ts";
import { visibleText } from "../lib/format/text/mod.ts";
import { isJsonObject, type JsonObject, setOwn } from "../lib/json/mod.ts";
import { jsonValue } from "./arg_grammar.ts";
import { type CallField, callFields } from "./call_fields.ts";
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
    host.stderr.write(visibleText(question(field)));
    const answer = (await host.stdin.readLine(signal))?.trim() ?? "";
    const items = answer.split(",").map((item) => item.trim()).filter((item) => item !== "");
    if (items.length === 0) throw invalidArg(field.name, "a value is required");
    if (wantsJson(field)) setOwn(args, field.name, jsonValue(answer, field.name));
    else setOwn(args, field.name, field.type === "array" ? items : answer);
  }
}

function isGiven(args: JsonObject, field: CallField): boolean {
  if (Object.hasOwn(args, field.name)) return true;
  const body = Object.hasOwn(args, "body") ? args.body : undefined;
  if (field.location !== "body" || body === undefined) return false;
  return !isJsonObject(body) || Object.hasOwn(body, field.name);
}

/** Objects, and lists of them, cannot be told as words. */
function wantsJson({ type, itemType }: CallField): boolean {
  return type === "object" || (type === "array" && (itemType === "object" || itemType === "array"));
}

function question(field: CallField): string {
  const description = firstSentence(field.description?.split("\n")[0] ?? field.type);
  const choices = field.enum && field.enum.length > 0 ? ` [${field.enum.join("|")}]` : "";
  return `${field.name}: ${description}${choices}${formText(field)}: `;
}

/** How the answer is written where a plain word would not do. */
function formText(field: CallField): string {
  if (!wantsJson(field)) return field.type === "array" ? " (a,b,c)" : "";
  return field.type === "object"
    ? ' (JSON, such as {"key":"value"})'
    : ' (JSON, such as [{"id":"x"}])';
}

function firstSentence(text: string): string {
  return text.replace(/(?<=[a-z0-9)])\. .*$/i, "").replace(/[.:…\s]+$/, "");
}
