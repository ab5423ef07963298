/** `gum call --skeleton` (spec 08 §4.4). */

import type { Op } from "../lib/catalog/types.ts";
import { type CallField, callFields, takesJson } from "./call_fields.ts";
import { invalidArg } from "./errors.ts";
import type { CommandContext } from "./types.ts";
import { nearOperation } from "./unknown_operation.ts";

const GROUPS: readonly { title: string; holds: (field: CallField) => boolean }[] = [
  { title: "path parameters", holds: (field) => field.location === "path" },
  { title: "query parameters", holds: (field) => field.location === "query" },
  { title: "body fields", holds: (field) => field.location === "body" },
  { title: "arguments", holds: (field) => field.location === "arg" || field.location === "header" },
];

/** Runs `gum call --skeleton`. @throws CliArgError for an operation that does not exist. */
export async function runSkeleton({ host, words }: CommandContext): Promise<void> {
  const [opId = ""] = words;
  const catalog = await host.factories.catalog(words);
  const op = catalog.findOp(opId);
  if (op === undefined) {
    throw invalidArg(opId, `unknown operation; ${nearOperation(opId, catalog)}`);
  }
  host.stdout.write(skeleton(op));
}

/** A fill-in form of an operation's arguments, one `name=<type>` line a field. */
export function skeleton(op: Op): string {
  const variant = op.variants.find((one) => one.variant_id === op.default_variant_id);
  const risk = variant?.risk_class ?? "read";
  const lines = [`# ${op.op_id}: run with gum call ${op.op_id} --risk=${risk} <lines below>`];
  const fields = callFields(op);
  if (fields.length === 0) lines.push("# this operation takes no arguments");
  for (const group of GROUPS) {
    const members = fields.filter(group.holds);
    if (members.length === 0) continue;
    lines.push("", `# ${group.title}`, ...members.map(fieldLine));
  }
  return lines.join("\n") + "\n";
}

function fieldLine(field: CallField): string {
  const text = field.type === "string" || (field.type === "array" && !takesJson(field));
  const separator = text ? "=" : ":=";
  const type = field.type === "array" ? field.itemType ?? "string" : field.type;
  const notes = [
    field.required ? "required" : "",
    field.type === "array" ? "repeatable" : "",
    field.format ?? "",
    field.enum && field.enum.length > 0 ? `choices: ${field.enum.join("|")}` : "",
    field.default ? `default: ${field.default}` : "",
  ].filter((note) => note !== "");
  const assignment = `${field.name.replace(/[.\\]/g, "\\$&")}${separator}<${type}>`;
  return notes.length === 0 ? assignment : `${assignment}  # ${notes.join("; ")}`;
}
