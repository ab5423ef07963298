/** Checking assembled arguments against what the catalog declares (spec 02 §3.3.3, §3.3.4). Pure. */

import type { Op, RequestField, Variant } from "../../catalog/types.ts";
import {
  isJsonObject,
  isRawInteger,
  isRawNumber,
  type JsonObject,
  type JsonValue,
} from "../../json/mod.ts";
import { nearestWords } from "../../spelling/mod.ts";
import type { AssembledArguments } from "./assemble.ts";
import { CREDENTIAL_ARGUMENTS } from "./problems.ts";
import { booleanFromText, isIntegerLike, isNumberLike, shown } from "./values.ts";

/** Accepted on every operation, whatever it declares. */
const ALWAYS_ALLOWED: ReadonlySet<string> = new Set([
  "body",
  "pageToken",
  "pageSize",
  "maxResults",
  "fields",
  "alt",
  "prettyPrint",
  "quotaUser",
  "userIp",
  "uploadType",
  "$.xgafv",
]);

/** Backends whose reads may take arguments the catalog does not know, when an operator listed them. */
const ALLOWLIST_BACKENDS: ReadonlySet<string> = new Set(["raw-http", "discovery-rest"]);

/** What the checks depend on beside the operation. */
export interface CheckOptions {
  /** Absent when selection failed: checks that need it are skipped. */
  variant?: Variant;
  /** Names an operator allowed for this operation. */
  unknownAllowlist?: readonly string[];
  /** Switches the allowlist off. */
  strict?: boolean;
  /** The surface granted a write or destructive call. */
  writeGranted?: boolean;
}

/** Adds every problem to `assembled.problems`; rewrites enum values to the catalog's spelling. */
export function checkArguments(
  op: Op,
  assembled: AssembledArguments,
  options: CheckOptions,
): void {
  if (isOpenSchema(op)) {
    checkPlaceholders(assembled, options.variant);
    checkCredentials(assembled, options.variant);
    return;
  }
  checkRequired(op, assembled);
  checkPlaceholders(assembled, options.variant);
  checkSystemParams(op, assembled);
  checkParams(op, assembled);
  for (const field of op.request_fields ?? []) checkField(field, assembled);
  checkUnknown(op, assembled, options);
}

/** An operation that declares nothing at all accepts anything; an empty list is closed. */
function isOpenSchema(op: Op): boolean {
  return op.request_fields === undefined && op.params_required === undefined &&
    op.params_optional === undefined;
}

function checkRequired(op: Op, assembled: AssembledArguments): void {
  const { args, problems, explicitBody } = assembled;
  for (const [name] of pairs(op.params_required)) {
    if (!isPresent(args, name)) problems.missing.push(name);
  }
  for (const field of op.request_fields ?? []) {
    if (!field.required) continue;
    const inBody = field.location === "body";
    if (explicitBody && (inBody || field.location === "arg")) continue;
    const holder = inBody ? args.body : args;
    if (!isJsonObject(holder) || !isPresent(holder, field.name)) problems.missing.push(field.name);
  }
}

/** What is sent to a service as it is never carries a credential, whatever else may pass. */
function checkCredentials(assembled: AssembledArguments, variant: Variant | undefined): void {
  if (variant?.binding?.http === undefined) return;
  const names = Object.keys(assembled.args);
  assembled.problems.unknown.push(...names.filter((name) => CREDENTIAL_ARGUMENTS.has(name)));
}

/** Every `{placeholder}` of the path must be filled, declared or not. */
function checkPlaceholders(assembled: AssembledArguments, variant: Variant | undefined): void {
  for (const match of (variant?.binding?.http?.path ?? "").matchAll(/\{\+?([^}]+)\}/g)) {
    const name = match[1];
    if (name === undefined) continue;
    if (!isPresent(assembled.args, name)) assembled.problems.missing.push(name);
  }
}

/** What every operation takes without declaring it is one text, never several. */
function checkSystemParams(op: Op, { args, problems }: AssembledArguments): void {
  for (const name of ALWAYS_ALLOWED) {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    const isScalar = typeof value !== "object" || value === null || isRawNumber(value);
    if (name === "body" || isScalar || declares(op, name)) continue;
    problems.typeErrors.push(`${name}: expected string, got ${shown(value)}`);
  }
}

function declares(op: Op, name: string): boolean {
  return (op.request_fields ?? []).some((field) => field.name === name) ||
    [...pairs(op.params_required), ...pairs(op.params_optional)].some(([known]) => known === name);
}

function checkParams(op: Op, assembled: AssembledArguments): void {
  const declared = new Set((op.request_fields ?? []).map((field) => field.name));
  for (const [name, type] of [...pairs(op.params_required), ...pairs(op.params_optional)]) {
    const value = Object.hasOwn(assembled.args, name) ? assembled.args[name] : undefined;
    if (declared.has(name) || value === undefined || value === null) continue;
    if (!fitsParam(value, type)) {
      assembled.problems.typeErrors.push(`${name}: expected ${type}, got ${shown(value)}`);
    }
  }
}

function fitsParam(value: JsonValue, type: string): boolean {
  switch (type) {
    case "string":
      return typeof value === "string";
    case "integer":
    case "int":
      return isIntegerLike(value);
    case "bool":
      return typeof value === "boolean" ||
        (typeof value === "string" && booleanFromText(value) !== undefined);
    case "string[]":
      return Array.isArray(value) && value.every((element) => typeof element === "string");
    default:
      return true; // the vocabulary is closed; the catalog's own test rejects other names
  }
}

function checkField(field: RequestField, assembled: AssembledArguments): void {
  const inBody = field.location === "body";
  const holder = inBody ? assembled.args.body : assembled.args;
  if (!isJsonObject(holder) || !Object.hasOwn(holder, field.name)) return;
  const value = holder[field.name];
  if (value === undefined || value === null) return;
  if (!(inBody ? fitsBody(value, field) : fitsText(value, field))) {
    const type = field.type === "array" ? `array of ${field.item_type ?? "string"}` : field.type;
    assembled.problems.typeErrors.push(`${field.name}: expected ${type}, got ${shown(value)}`);
    return;
  }
  // `TRUE`, `1` and `+5` are understood here; services take `true`, `false` and `5` only.
  if (field.type === "boolean" && field.location !== "arg" && typeof value === "string") {
    holder[field.name] = String(booleanFromText(value));
  }
  if (field.type === "integer" && typeof value === "string") {
    holder[field.name] = value.replace(/^\+/, "");
  }
  if (field.enum !== undefined && field.enum.length > 0) {
    holder[field.name] = recase({ field, value, typeErrors: assembled.problems.typeErrors });
  }
}

/** Body values are real JSON after coercion; nested values are the service's business. */
function fitsBody(value: JsonValue, field: RequestField): boolean {
  switch (field.type) {
    case "string":
      return typeof value === "string";
    case "integer":
      return typeof value === "number" ? Number.isInteger(value) : isRawInteger(value);
    case "number":
      return typeof value === "number" ? Number.isFinite(value) : isRawInteger(value);
    case "boolean":
      return typeof value === "boolean";
    case "array":
      return Array.isArray(value) &&
        // What an array without an element type holds is the service's business too.
        (field.item_type === undefined ||
          value.every((element) => fitsBody(element, elementOf(field))));
    case "object":
      return isJsonObject(value);
  }
}

/** Path, query and header values are text on the wire, so numbers and booleans may stand for it. */
function fitsText(value: JsonValue, field: RequestField): boolean {
  switch (field.type) {
    case "string":
      return typeof value === "string" || typeof value === "boolean" || isNumberLike(value);
    case "integer":
      return isIntegerLike(value);
    case "number":
      return isNumberLike(value);
    case "boolean":
      return typeof value === "boolean" ||
        (typeof value === "string" && booleanFromText(value) !== undefined);
    case "array":
      return Array.isArray(value)
        ? value.every((element) => fitsText(element, elementOf(field)))
        : fitsText(value, elementOf(field));
    case "object":
      return field.location === "arg" && isJsonObject(value);
  }
}

/** An element as a field of its own; the catalog says nothing about elements of elements. */
function elementOf(field: RequestField): RequestField {
  return { ...field, type: elementType(field.item_type), item_type: undefined };
}

function elementType(itemType: string | undefined): RequestField["type"] {
  switch (itemType) {
    case "integer":
    case "number":
    case "boolean":
    case "array":
    case "object":
      return itemType;
    default:
      return "string";
  }
}

function recase(
  found: { field: RequestField; value: JsonValue; typeErrors: string[] },
): JsonValue {
  const { field, value, typeErrors } = found;
  if (Array.isArray(value)) return value.map((element) => recase({ ...found, value: element }));
  const given = String(isRawInteger(value) ? value.rawJSON : value);
  // Some services list the same word in two spellings, so the exact one comes first.
  const match = field.enum?.find((choice) => choice === given) ??
    field.enum?.find((choice) => choice.toLowerCase() === given.toLowerCase());
  if (match !== undefined) return match;
  typeErrors.push(
    `${field.name}: expected one of ${field.enum?.join(", ")}, got ${shown(value)}`,
  );
  return value;
}

function checkUnknown(op: Op, assembled: AssembledArguments, options: CheckOptions): void {
  const known = new Set([
    ...pairs(op.params_required).map(([name]) => name),
    ...pairs(op.params_optional).map(([name]) => name),
    ...(op.request_fields ?? []).map((field) => field.name),
  ]);
  const unknown = Object.keys(assembled.args)
    .filter((name) => !known.has(name) && !ALWAYS_ALLOWED.has(name));
  if (unknown.length === 0) return;
  const waived = allowlistApplies(options) ? options.unknownAllowlist ?? [] : [];
  const refused = unknown.filter((name) =>
    !waived.includes(name) || CREDENTIAL_ARGUMENTS.has(name)
  );
  if (refused.length > 0) {
    assembled.problems.unknown.push(...refused);
    assembled.problems.nearest = nearestNames(refused, [...known, ...ALWAYS_ALLOWED]);
    return;
  }
  assembled.warnings.push(
    `arguments passed through the read-only allowlist: ${unknown.sort().join(", ")}`,
  );
}

function nearestNames(
  unknown: readonly string[],
  known: readonly string[],
): Record<string, string> {
  return Object.fromEntries(unknown.flatMap((name) => {
    const [nearest] = nearestWords(name, known);
    return nearest === undefined ? [] : [[name, nearest]];
  }));
}

/** Unknown arguments get through only on an unprivileged read of a long-tail backend. */
function allowlistApplies(options: CheckOptions): boolean {
  const { variant } = options;
  return variant !== undefined && variant.risk_class === "read" &&
    ALLOWLIST_BACKENDS.has(variant.backend_kind) && !options.writeGranted && !options.strict;
}

function isPresent(holder: JsonObject, name: string): boolean {
  const value = Object.hasOwn(holder, name) ? holder[name] : undefined;
  return value !== undefined && value !== null;
}

function pairs(list: readonly (readonly string[])[] | undefined): [string, string][] {
  return (list ?? []).flatMap((pair): [string, string][] => {
    const [name, type] = pair;
    return pair.length === 2 && name !== undefined && type !== undefined ? [[name, type]] : [];
  });
}
