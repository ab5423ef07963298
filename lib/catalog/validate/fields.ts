/** Request-field invariants and the path-template equality (spec 04 §2.6, §2.7). */
import { isJsonObject, type JsonValue } from "../../json/mod.ts";
import { fitsPattern, isSafePattern, wholePattern } from "../../resource_names/mod.ts";
import type { Op, RequestField } from "../types.ts";
import { CatalogError } from "./catalog_error.ts";
import { decodeDefault } from "./defaults.ts";

const LOCATIONS: readonly string[] = ["path", "query", "body", "header", "arg"];
const TYPES: readonly string[] = ["string", "integer", "number", "boolean", "array", "object"];
const LEGACY_TYPES: readonly string[] = [
  ...TYPES,
  "bool",
  "int",
  "string[]",
];

/** Names in a path template, without the `+` of a reserved expansion. */
export function templateNames(path: string): string[] {
  return [...path.matchAll(/\{\+?([^{}]+)\}/g)].map((match) => match[1] ?? "");
}

/**
 * Checks the fields of one operation.
 *
 * @throws CatalogError `REQUEST_FIELD_INVALID`.
 */
export function checkFields(op: Op): void {
  const fail = (detail: string): never => {
    throw new CatalogError("REQUEST_FIELD_INVALID", detail, { opId: op.op_id });
  };
  const names = new Set<string>();
  for (const field of op.request_fields ?? []) {
    if (typeof field.name !== "string" || field.name === "") fail("a field has no name");
    if (names.has(field.name)) fail(`field ${field.name} is declared twice`);
    names.add(field.name);
    if (!LOCATIONS.includes(field.location)) fail(`field ${field.name}: location unknown`);
    if (!TYPES.includes(field.type)) fail(`field ${field.name}: type unknown`);
    if (field.location === "path" && field.required !== true) {
      fail(`path field ${field.name} is not required`);
    }
    if (field.enum?.some((choice) => choice === "") === true) {
      fail(`field ${field.name}: empty enum member`);
    }
    checkDefault(field, fail);
    checkPattern(op, field, fail);
  }
  for (const [name, type] of [...(op.params_required ?? []), ...(op.params_optional ?? [])]) {
    if (!LEGACY_TYPES.includes(type)) fail(`parameter ${name}: type ${type} unknown`);
  }
}

/** A pattern belongs to a reserved placeholder, judges quickly, and admits what is filled in. */
function checkPattern(op: Op, field: RequestField, fail: (detail: string) => never): void {
  const { name, pattern, host_default: assumed } = field;
  if (pattern === undefined) return;
  const paths = op.variants.map((variant) => variant.binding?.http?.path ?? "");
  if (!paths.some((path) => path.includes(`{+${name}}`))) {
    fail(`pattern of field ${name}, which is no reserved placeholder`);
  }
  if (wholePattern(pattern) !== pattern) fail(`pattern of field ${name} is not anchored`);
  if (!isSafePattern(pattern)) fail(`pattern of field ${name} is too costly to match`);
  if (assumed !== undefined && assumed !== "" && !fitsPattern(assumed, pattern)) {
    fail(`host default of field ${name} does not fit its pattern`);
  }
}

function checkDefault(field: RequestField, fail: (detail: string) => never): void {
  if (field.default === undefined) return;
  if (field.required === true) fail(`required field ${field.name} declares a default`);
  const value = decodeDefault(field);
  if (kindOf(value, field.type) !== field.type) {
    fail(`default of field ${field.name} is not of type ${field.type}`);
  }
  if (
    field.enum !== undefined && field.type !== "array" && !field.enum.includes(field.default)
  ) fail(`default of field ${field.name} is not one of its choices`);
}

function kindOf(value: JsonValue, wanted: RequestField["type"]): string {
  if (Array.isArray(value)) return "array";
  if (isJsonObject(value)) return "object";
  if (typeof value === "number") {
    return wanted === "integer" && Number.isInteger(value) ? "integer" : "number";
  }
  return typeof value;
}

/**
 * Placeholders of every HTTP template equal the path fields, in both directions.
 *
 * @throws CatalogError `REQUEST_FIELD_INVALID`.
 */
export function checkPathTemplate(op: Op): void {
  if (op.request_fields === undefined) return;
  const declared = new Set(
    op.request_fields.filter((field) => field.location === "path").map((field) => field.name),
  );
  for (const variant of op.variants) {
    const http = variant.binding?.http;
    if (http === undefined) continue;
    const place = { opId: op.op_id, variantId: variant.variant_id };
    const names = new Set(templateNames(http.path));
    for (const name of names) {
      if (!declared.has(name)) {
        throw new CatalogError("REQUEST_FIELD_INVALID", `{${name}} is no path field`, place);
      }
    }
    for (const name of declared) {
      if (!names.has(name)) {
        throw new CatalogError(
          "REQUEST_FIELD_INVALID",
          `path field ${name} is not in the path template`,
          place,
        );
      }
    }
    const headers = new Set(Object.keys(http.header_params ?? {}));
    for (const field of op.request_fields) {
      if ((field.location === "header") === headers.has(field.name)) continue;
      throw new CatalogError(
        "REQUEST_FIELD_INVALID",
        `field ${field.name}: location header and header_params disagree`,
        place,
      );
    }
  }
}
