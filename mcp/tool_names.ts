/**
 * Tool names in the form a client accepts (spec 11 §1). Both forms are always callable; the form
 * only decides what is listed and what messages say.
 */

import { META_TOOLS } from "./roster.ts";
import { CLIENTS_WITHOUT_DOTS } from "./tool_name_clients.ts";
import type { ToolNameForm, ToolNamesOption } from "./types.ts";

const toUnderscore = new Map<string, string>(
  META_TOOLS.map((name) => [name, name.replaceAll(".", "_")]),
);
const toCanonical = new Map<string, string>([...toUnderscore].map(([dotted, plain]) => [
  plain,
  dotted,
]));

/** A meta-tool's name in running text, but not inside a longer id such as `gum.code.v1`. */
const mention =
  /\bgum\.(?:search_apis|describe_op|read|write|destructive|code|poll|cache_stats|gain)\b(?!\.[a-z0-9])/g;

/** The form to use for a client that announced itself as `clientName`. */
export function nameForm(option: ToolNamesOption, clientName: string): ToolNameForm {
  if (option !== "auto") return option;
  const announced = clientName.toLowerCase();
  return CLIENTS_WITHOUT_DOTS.some((part) => announced.includes(part)) ? "underscore" : "dotted";
}

/** A tool's name in a form. */
export function showName(name: string, form: ToolNameForm): string {
  return form === "underscore" ? toUnderscore.get(name) ?? name : name;
}

/** The canonical name of a called tool, in whichever form it was given. */
export function canonicalName(name: string): string {
  return toCanonical.get(name) ?? name;
}

/** Rewrites the tool names that a text mentions. */
export function showNamesIn(text: string, form: ToolNameForm): string {
  return form === "underscore" ? text.replace(mention, (name) => showName(name, form)) : text;
}
