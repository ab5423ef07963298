/** Field defaults: stored as text, decoded by the field's type (spec 04 §2.7). */
import type { JsonValue } from "../../json/mod.ts";
import { CatalogError } from "./catalog_error.ts";
import type { RequestField } from "../types.ts";

/** The parts of a field that decoding needs. */
export type FieldWithDefault = Pick<RequestField, "name" | "type" | "item_type" | "default">;

/**
 * The JSON value of a field's default.
 *
 * @throws CatalogError `NO_DEFAULT_DECLARED` without a default, `REQUEST_FIELD_INVALID` when the
 * text does not decode.
 */
export function decodeDefault(field: FieldWithDefault): JsonValue {
  if (field.default === undefined) {
    throw new CatalogError("NO_DEFAULT_DECLARED", `field ${field.name} declares no default`);
  }
  return decodeText(field, field.default);
}

function decodeText(field: FieldWithDefault, text: string): JsonValue {
  switch (field.type) {
    case "integer":
      if (!/^[+-]?[0-9]+$/.test(text.trim())) throw undecodable(field, "a decimal integer");
      return Number(text);
    case "number": {
      const value = Number(text);
      if (text.trim() === "" || !Number.isFinite(value)) {
        throw undecodable(field, "a finite number");
      }
      return value;
    }
    case "boolean":
      if (text === "true" || text === "1") return true;
      if (text === "false" || text === "0") return false;
      throw undecodable(field, "true, false, 1 or 0");
    case "object": {
      const value = parseLiteral(field, text);
      if (typeof value !== "object" || value === null || Array.isArray(value)) {
        throw undecodable(field, "a JSON object");
      }
      return value;
    }
    case "array":
      if (text.trim().startsWith("[")) return parseLiteral(field, text);
      return [decodeText({ ...field, type: elementType(field) }, text)];
    default:
      return text;
  }
}

function elementType(field: FieldWithDefault): RequestField["type"] {
  const type = field.item_type;
  return type === "integer" || type === "number" || type === "boolean" || type === "object"
    ? type
    : "string";
}

function parseLiteral(field: FieldWithDefault, text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw undecodable(field, "a JSON literal", cause);
  }
}

function undecodable(field: FieldWithDefault, wanted: string, cause?: unknown): CatalogError {
  return new CatalogError(
    "REQUEST_FIELD_INVALID",
    `default of field ${field.name} is not ${wanted}: ${JSON.stringify(field.default)}`,
    { cause },
  );
}
