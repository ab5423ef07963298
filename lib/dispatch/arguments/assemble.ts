/** Moving flat arguments into the request body and filling defaults (spec 02 §3.3.1, §3.3.2). Pure. */

import type { FieldType, Op, RequestField } from "../../catalog/types.ts";
import {
  isJsonObject,
  isRawNumber,
  type JsonObject,
  type JsonValue,
  parseJson,
  setOwn,
} from "../../json/mod.ts";
import { type ArgumentProblems, noProblems } from "./problems.ts";
import { booleanFromText, copyObject, integerFromText, numberFromText, shown } from "./values.ts";

/** Arguments on their way into a call. */
export interface AssembledArguments {
  /** A new tree; what came in is not changed. */
  args: JsonObject;
  /** The caller gave `body` itself, so required body fields are not asked for. */
  explicitBody: boolean;
  problems: ArgumentProblems;
  warnings: string[];
}

/** Moves every flat body field to `body`, coerced to its type. A no-op without body fields. */
export function assembleBody(op: Op, given: JsonObject): AssembledArguments {
  const args = copyObject(given);
  const problems = noProblems();
  const explicitBody = Object.hasOwn(args, "body");
  const bodyFields = fieldsAt(op, "body");
  const flat = bodyFields.filter((field) =>
    Object.hasOwn(args, field.name) && field.name !== "body"
  );
  const body = args.body;
  if (explicitBody && isJsonObject(body)) checkExplicitBooleans({ body, bodyFields, problems });
  if (flat.length > 0 && explicitBody && !isJsonObject(body)) {
    problems.refusal = {
      field: flat[0]?.name ?? "body",
      reason: "body_not_an_object",
      message: "body fields cannot be merged into a body that is not an object",
    };
    return { args, explicitBody, problems, warnings: [] };
  }
  for (const field of flat) mergeField({ args, field, problems });
  return { args, explicitBody, problems, warnings: [] };
}

/** An explicit body must hold real booleans: a mistyped dry-run flag must not become a real call. */
function checkExplicitBooleans(
  found: { body: JsonObject; bodyFields: readonly RequestField[]; problems: ArgumentProblems },
): void {
  for (const field of found.bodyFields) {
    const value = Object.hasOwn(found.body, field.name) ? found.body[field.name] : undefined;
    if (field.type !== "boolean" || value === undefined) continue;
    if (typeof value !== "boolean") {
      found.problems.typeErrors.push(`body.${field.name}: expected boolean, got ${shown(value)}`);
    }
  }
}

function mergeField(
  move: { args: JsonObject; field: RequestField; problems: ArgumentProblems },
): void {
  const { args, field, problems } = move;
  const given = args[field.name];
  delete args[field.name];
  if (given === undefined) return;
  const value = coerce(given, field);
  const body = isJsonObject(args.body) ? args.body : {};
  args.body = body;
  if (field.type === "boolean" && typeof value !== "boolean") {
    problems.typeErrors.push(`${field.name}: expected boolean, got ${shown(given)}`);
    return;
  }
  if (!Object.hasOwn(body, field.name)) {
    setOwn(body, field.name, value);
    return;
  }
  if (field.type === "boolean" && body[field.name] !== value) {
    problems.refusal = {
      field: field.name,
      reason: "conflicting_values",
      message: `${field.name} is given twice, with different values`,
    };
  }
}

/** Brings a flat value to a body field's type; what does not fit is left for the type check. */
function coerce(value: JsonValue, field: RequestField): JsonValue {
  // "Nothing" is no element of a list: in an update it takes the list away.
  if (value === null) return value;
  if (field.type === "array") {
    const elements = Array.isArray(value) ? value : [value];
    return elements.map((element) => coerceScalar(element, itemType(field)));
  }
  if (field.type === "string" && (field.format === "int64" || field.format === "uint64")) {
    if (isRawNumber(value)) return value.rawJSON;
    if (typeof value === "number" && Number.isInteger(value)) return BigInt(value).toString();
  }
  return coerceScalar(value, field.type);
}

function coerceScalar(value: JsonValue, type: string): JsonValue {
  if (type === "boolean") {
    return typeof value === "string" ? booleanFromText(value) ?? value : value;
  }
  if (typeof value !== "string") return value;
  if (type === "integer") return integerFromText(value) ?? value;
  return type === "number" ? numberFromText(value) ?? value : value;
}

/** Which defaults to fill. */
export interface DefaultOptions {
  /** Also the host's own defaults (`userId` = `me`), for people and meta-tools (spec 11 §4). */
  hostDefaults: boolean;
}

/**
 * Fills what the caller left out, before hashing, so that an omitted and a spelled-out default are
 * the same call. Changes `assembled` in place.
 */
export function injectDefaults(
  op: Op,
  assembled: AssembledArguments,
  options: DefaultOptions,
): void {
  for (const field of op.request_fields ?? []) {
    const host = options.hostDefaults && field.host_default !== undefined &&
      field.host_default !== "";
    const text = host ? field.host_default : field.required ? undefined : field.default;
    if (text === undefined || text === "") continue;
    const target = targetOf(assembled.args, field);
    if (target === undefined || Object.hasOwn(target, field.name)) continue;
    const value = decodeDefault(text, field);
    if (value === undefined) {
      assembled.warnings.push(
        `${op.op_id}: the default of ${field.name} cannot be read and was left out`,
      );
      continue;
    }
    setOwn(target, field.name, value);
    if (field.location === "body") assembled.args.body = target;
  }
}

/** Where a field lives; undefined when the body is not an object and must be left alone. */
function targetOf(args: JsonObject, field: RequestField): JsonObject | undefined {
  if (field.location !== "body") return args;
  if (!Object.hasOwn(args, "body")) return {};
  return isJsonObject(args.body) ? args.body : undefined;
}

function decodeDefault(text: string, field: RequestField): JsonValue | undefined {
  switch (field.type) {
    case "integer":
      return integerFromText(text);
    case "number":
      return numberFromText(text);
    case "boolean":
      return booleanFromText(text);
    case "array": {
      const parsed = tryParse(text);
      if (Array.isArray(parsed)) return parsed;
      const element = coerceScalar(text, itemType(field));
      return typesAgree(element, itemType(field)) ? [element] : undefined;
    }
    case "object": {
      const parsed = tryParse(text);
      return isJsonObject(parsed) ? parsed : undefined;
    }
    default:
      return text;
  }
}

function typesAgree(value: JsonValue, type: string): boolean {
  return type === "string" || typeof value !== "string";
}

function tryParse(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined; // not a literal: the caller decides what that means
  }
}

function itemType(field: RequestField): FieldType | string {
  return field.item_type ?? "string";
}

/** Fields of an operation at one location. */
export function fieldsAt(op: Op, location: RequestField["location"]): RequestField[] {
  return (op.request_fields ?? []).filter((field) => field.location === location);
}
