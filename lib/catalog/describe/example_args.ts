/** Arguments to start from: valid in shape, with placeholders for what only the user knows. */

import { type JsonObject, type JsonValue, setOwn } from "../../json/mod.ts";
import { type OpArgument, operationArguments } from "../arguments.ts";
import { resourceForm } from "../../resource_names/mod.ts";
import type { Op } from "../types.ts";
import { defaultVariant } from "./default_variant.ts";

const PAGE_SIZE = /^(pageSize|.*page_?size|.*_count)$/i;

/**
 * One example value for every required argument and every placeholder of the default variant's
 * path; body fields under `body`. Spec 08 §4.1.
 */
export function exampleArgs(op: Op): JsonObject {
  const example: JsonObject = {};
  const known = operationArguments(op);
  for (const argument of known) {
    if (argument.required !== true) continue;
    if (argument.location === "body") setBody(example, argument);
    else setOwn(example, argument.name, exampleValue(argument));
  }
  for (const name of pathPlaceholders(op)) {
    if (Object.hasOwn(example, name)) continue;
    const argument = known.find((candidate) => candidate.name === name) ??
      { name, type: "string" };
    setOwn(example, name, exampleValue(argument));
  }
  return example;
}

function setBody(example: JsonObject, argument: OpArgument): void {
  const body: JsonObject = (example.body as JsonObject | undefined) ?? {};
  setOwn(body, argument.name, exampleValue(argument));
  example.body = body;
}

function pathPlaceholders(op: Op): string[] {
  const path = defaultVariant(op)?.binding?.http?.path ?? "";
  return [...path.matchAll(/\{\+?([^{}]+)\}/g)].map((match) => match[1] ?? "");
}

function exampleValue(argument: OpArgument): JsonValue {
  const [firstAllowed] = argument.enum ?? [];
  switch (argument.type) {
    case "array":
      return [exampleElement(argument.item_type, { name: argument.name, firstAllowed })];
    case "object":
      return {};
  }
  if (firstAllowed !== undefined) return firstAllowed;
  switch (argument.type) {
    case "boolean":
      return false;
    case "integer":
    case "number":
      return PAGE_SIZE.test(argument.name) ? 10 : 1;
  }
  if (argument.name === "userId" || argument.name === "user_id") return "me";
  const form = resourceForm(argument);
  return form === undefined ? `<${argument.name}>` : form.replaceAll("{", "<").replaceAll("}", ">");
}

function exampleElement(
  itemType: string | undefined,
  { name, firstAllowed }: { name: string; firstAllowed: string | undefined },
): JsonValue {
  switch (itemType) {
    case "object":
      return {};
    case "array":
      return [];
    case "integer":
    case "number":
      return 1;
    case "boolean":
      return false;
  }
  return firstAllowed ?? `<${name}>`;
}
