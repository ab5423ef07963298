/**
 * Request fields from Discovery parameters and request bodies, and their curation (spec 04 §3.6).
 *
 * @module
 */
import { wholePattern } from "../../resource_names/mod.ts";
import type { FieldLocation, FieldType, RequestField } from "../types.ts";
import {
  bodySchema,
  type DiscoveryDocument,
  type DiscoveryMethod,
  type DiscoverySchema,
} from "./discovery.ts";
import { deriveDescription } from "./text.ts";

/** Most body fields a derived operation lists; the schema document carries the rest. */
const BODY_FIELD_LIMIT = 16;

const LOCATION_ORDER: readonly FieldLocation[] = ["path", "header", "query", "body", "arg"];
const FIELD_TYPES: ReadonlySet<string> = new Set([
  "string",
  "integer",
  "number",
  "boolean",
  "array",
  "object",
]);

/** A reviewed change to a field: given keys replace the derived ones, a new name adds a field. */
export interface FieldCuration {
  name: string;
  in?: FieldLocation;
  type?: FieldType;
  item_type?: string;
  required?: boolean;
  enum?: string[];
  default?: string;
  /** The empty string keeps the service's host default away from this operation. */
  host_default?: string;
  format?: string;
  description?: string;
}

/** What an operation's curation says about fields. */
export interface FieldsCuration {
  only_fields?: string[];
  drop_fields?: string[];
  field?: FieldCuration[];
  /** Path parameters with a fixed value; they leave the field list. */
  fixed_path?: Record<string, string>;
}

/** Fields of an operation and everything its body may carry. */
export interface DerivedFields {
  /** In catalog order. */
  fields: RequestField[];
  /** All derived body fields, also those not listed; they go into the request schema. */
  bodyFields: RequestField[];
}

/** Fields from a method's own parameters: path by name, then query by name. */
export function parameterFields(method: DiscoveryMethod): RequestField[] {
  const fields = Object.entries(method.parameters ?? {}).map(([name, parameter]) => {
    const field = makeField(name, parameter.location === "path" ? "path" : "query", parameter);
    const pattern = isReserved(method, name) ? wholePattern(parameter.pattern) : undefined;
    return pattern === undefined ? field : inOrder({ ...field, pattern });
  });
  return fields.sort((a, b) =>
    rank(a) - rank(b) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
  );
}

/** True for `{+name}`: only there a value can lead to another resource. */
export function isReserved(method: Pick<DiscoveryMethod, "path">, name: string): boolean {
  return method.path.includes(`{+${name}}`);
}

/** Writable properties of the request schema, one level deep, in schema order. */
export function bodyFields(document: DiscoveryDocument, method: DiscoveryMethod): RequestField[] {
  const properties = bodySchema(document, method)?.properties ?? {};
  const fields: RequestField[] = [];
  for (const [name, property] of Object.entries(properties)) {
    if (!isWritable(name, property)) continue;
    const required = property.annotations?.required?.includes(method.id) === true ||
      /^Required\./.test(property.description ?? "");
    fields.push(makeField(name, "body", { ...property, required }));
  }
  return fields;
}

function isWritable(name: string, property: DiscoverySchema): boolean {
  if (property.readOnly === true || property.deprecated === true) return false;
  if (name === "kind" || name === "etag" || name === "selfLink") return false;
  const start = (property.description ?? "").slice(0, 60);
  return !/^[[(]?output[ -]only/i.test(start) && !/output[ -]only|read[ -]only/i.test(start);
}

function makeField(
  name: string,
  location: FieldLocation,
  source: DiscoverySchema,
): RequestField {
  const repeated = source.repeated === true;
  const declared = fieldType(source);
  const field: RequestField = { name, location, type: repeated ? "array" : declared };
  const itemType = repeated
    ? declared
    : declared === "array" && source.items !== undefined
    ? fieldType(source.items)
    : undefined;
  if (itemType !== undefined) field.item_type = itemType;
  const choices = source.enum ?? source.items?.enum;
  const nonEmpty = choices?.filter((choice) => choice !== "");
  if (nonEmpty !== undefined && nonEmpty.length > 0) field.enum = nonEmpty;
  if (location === "path" || source.required === true) field.required = true;
  if (source.format !== undefined) field.format = source.format;
  const description = deriveDescription(source.description);
  if (description !== undefined) field.description = description;
  return field;
}

function fieldType(source: DiscoverySchema): FieldType {
  if (source.$ref !== undefined) return "object";
  // "any" has no field type of its own; a string can be typed on a command line.
  return FIELD_TYPES.has(source.type ?? "") ? source.type as FieldType : "string";
}

/**
 * Parameters plus body, curated: `only_fields` keeps, `drop_fields` removes, `field` merges by
 * name. Curated names come first within their location.
 */
export function deriveFields(
  document: DiscoveryDocument,
  method: DiscoveryMethod,
  options: { curation?: FieldsCuration; adapterBuildsBody?: boolean } = {},
): DerivedFields {
  const curation = options.curation ?? {};
  const everyBodyField = options.adapterBuildsBody === true ? [] : bodyFields(document, method);
  const curatedBody = (curation.field ?? []).filter((field) =>
    field.in === "body" || everyBodyField.some((known) => known.name === field.name)
  );
  const bodyIsCurated = curation.only_fields !== undefined || curatedBody.length > 0;
  const parameters = parameterFields(method);
  // A name that is also a parameter can only mean the parameter; the body keeps it in its schema.
  const free = everyBodyField.filter((field) => !(field.name in (method.parameters ?? {})));
  const derived = [...parameters, ...(bodyIsCurated ? free : listedBodyFields(free))];
  const curated = mergeFields(derived, curation);
  const fixed = new Set(Object.keys(curation.fixed_path ?? {}));
  const keepBody = new Set(curatedBody.map((field) => field.name));
  const fields = curated.filter((field) => {
    if (fixed.has(field.name)) return false;
    if (field.location !== "body" || !bodyIsCurated) return true;
    return curation.only_fields?.includes(field.name) === true || keepBody.has(field.name);
  });
  if (options.adapterBuildsBody === true) {
    for (const field of fields) if (field.location === "body") field.location = "arg";
  }
  const listed = new Map(fields.map((field) => [field.name, field]));
  const dropped = new Set(curation.drop_fields ?? []);
  return {
    fields,
    bodyFields: [
      ...fields.filter((field) => field.location === "body"),
      ...everyBodyField.filter((field) => {
        const same = listed.get(field.name);
        return !dropped.has(field.name) && (same === undefined || same.location !== "body");
      }),
    ],
  };
}

function listedBodyFields(fields: readonly RequestField[]): RequestField[] {
  const room = Math.max(0, BODY_FIELD_LIMIT - fields.filter((field) => field.required).length);
  let optional = 0;
  return fields.filter((field) => field.required === true || optional++ < room);
}

/** Merges curated fields into derived ones and puts the result into catalog order. */
export function mergeFields(
  derived: readonly RequestField[],
  curation: FieldsCuration,
): RequestField[] {
  const byName = new Map(derived.map((field) => [field.name, { ...field }]));
  for (const change of curation.field ?? []) {
    byName.set(change.name, mergeField(byName.get(change.name), change));
  }
  for (const name of curation.drop_fields ?? []) byName.delete(name);
  const only = curation.only_fields;
  const kept = [...byName.values()].filter((field) =>
    only === undefined || only.includes(field.name)
  );
  const curatedOrder = [...(only ?? []), ...(curation.field ?? []).map((field) => field.name)];
  const position = (field: RequestField): number => {
    const index = curatedOrder.indexOf(field.name);
    return index < 0 ? curatedOrder.length : index;
  };
  return kept.map((field, index) => ({ field, index }))
    .sort((a, b) =>
      rank(a.field) - rank(b.field) || position(a.field) - position(b.field) || a.index - b.index
    )
    .map(({ field }) => field);
}

function mergeField(base: RequestField | undefined, change: FieldCuration): RequestField {
  const field: RequestField = base ?? { name: change.name, location: "query", type: "string" };
  if (change.in !== undefined) field.location = change.in;
  if (change.type !== undefined) {
    field.type = change.type;
    if (change.type !== "array") delete field.item_type;
  }
  if (change.item_type !== undefined) field.item_type = change.item_type;
  if (change.enum !== undefined) field.enum = [...change.enum];
  if (change.required === true) field.required = true;
  if (change.required === false) delete field.required;
  if (change.default !== undefined) field.default = change.default;
  if (change.host_default === "") delete field.host_default;
  else if (change.host_default !== undefined) field.host_default = change.host_default;
  if (change.format !== undefined) field.format = change.format;
  if (change.description !== undefined) field.description = change.description;
  return inOrder(field);
}

/** Rewrites a field's keys into the order of the interface, so that serialised bytes are stable. */
export function inOrder(field: RequestField): RequestField {
  return {
    name: field.name,
    location: field.location,
    type: field.type,
    ...(field.item_type === undefined ? {} : { item_type: field.item_type }),
    ...(field.enum === undefined ? {} : { enum: field.enum }),
    ...(field.required === true ? { required: true } : {}),
    ...(field.default === undefined ? {} : { default: field.default }),
    ...(field.host_default === undefined ? {} : { host_default: field.host_default }),
    ...(field.format === undefined ? {} : { format: field.format }),
    ...(field.pattern === undefined ? {} : { pattern: field.pattern }),
    ...(field.description === undefined ? {} : { description: field.description }),
  };
}

function rank(field: RequestField): number {
  return LOCATION_ORDER.indexOf(field.location);
}
