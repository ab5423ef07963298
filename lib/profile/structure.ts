/**
 * A checker for the part of JSON Schema 2020-12 that the profile schema uses. Profiles are read on
 * the way to every call, where loading a general validator would cost more than the call.
 *
 * @module
 */

import { nearestWords } from "../spelling/mod.ts";

/** One place where a value does not fit the schema. */
export interface StructureProblem {
  path: string[];
  keyword: string;
  message: string;
}

type Schema = Record<string, unknown>;

/** Everything about `value` that does not fit; `root` resolves `$ref`. */
export function structureProblems(value: unknown, root: Schema): StructureProblem[] {
  const problems: StructureProblem[] = [];
  check({ value, schema: root, path: [] }, { root, problems });
  return problems;
}

interface Place {
  value: unknown;
  schema: Schema;
  path: string[];
}

interface Run {
  root: Schema;
  problems: StructureProblem[];
}

function check(place: Place, run: Run): void {
  const { value, schema, path } = place;
  const report = (keyword: string, message: string, at = path) => {
    run.problems.push({ path: at, keyword, message });
  };
  if (typeof schema.$ref === "string") {
    check({ ...place, schema: definition(run.root, schema.$ref) }, run);
    return;
  }
  if (typeof schema.type === "string" && !hasType(value, schema.type)) {
    report("type", `must be ${article(schema.type)}`);
    return;
  }
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) {
    report("enum", `must be one of ${schema.enum.join(", ")}`);
  }
  if (typeof schema.minimum === "number" && typeof value === "number" && value < schema.minimum) {
    report("minimum", `must be at least ${schema.minimum}`);
  }
  if (typeof value === "string") checkText({ value, schema }, report);
  if (Array.isArray(value)) {
    if (typeof schema.minItems === "number" && value.length < schema.minItems) {
      report("minItems", `must have at least ${schema.minItems} element`);
    }
    const items = schema.items as Schema | undefined;
    if (items !== undefined) {
      value.forEach((element, index) =>
        check({ value: element, schema: items, path: [...path, String(index)] }, run)
      );
    }
  } else if (isTable(value)) checkTable({ value, schema, path }, run, report);
}

type Report = (keyword: string, message: string, at?: string[]) => void;

function checkText(place: { value: string; schema: Schema }, report: Report): void {
  const { value, schema } = place;
  if (typeof schema.minLength === "number" && [...value].length < schema.minLength) {
    report("minLength", "must not be empty");
  }
  if (typeof schema.pattern === "string" && !new RegExp(schema.pattern).test(value)) {
    report("pattern", `must match ${schema.pattern}`);
  }
}

function checkTable(
  place: { value: Record<string, unknown>; schema: Schema; path: string[] },
  run: Run,
  report: Report,
): void {
  const { value, schema, path } = place;
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  for (const key of (schema.required ?? []) as string[]) {
    if (!Object.hasOwn(value, key)) report("required", `needs ${key}`);
  }
  const alternatives = schema.anyOf as { required: string[] }[] | undefined;
  const fits = ({ required }: { required: string[] }) =>
    required.every((key) => Object.hasOwn(value, key));
  if (alternatives !== undefined && !alternatives.some(fits)) {
    report(
      "anyOf",
      `needs ${alternatives.map(({ required }) => required.join(" and ")).join(" or ")}`,
    );
  }
  for (const key of Object.keys(value)) {
    const at = [...path, key];
    if (schema.propertyNames !== undefined) {
      check({ value: key, schema: schema.propertyNames as Schema, path: at }, run);
    }
    const member = Object.hasOwn(properties, key) ? properties[key] : schema.additionalProperties;
    if (member === false) report("additionalProperties", unknownKey(key, properties), at);
    else if (typeof member === "object") {
      check({ value: value[key], schema: member as Schema, path: at }, run);
    }
  }
}

function unknownKey(key: string, properties: Record<string, Schema>): string {
  const [meant] = nearestWords(key, Object.keys(properties), { within: 2, most: 1 });
  return `is not a known key${meant === undefined ? "" : `; did you mean ${meant}?`}`;
}

function definition(root: Schema, ref: string): Schema {
  let node: unknown = root;
  for (const segment of ref.slice(2).split("/")) node = (node as Schema)[segment];
  return node as Schema;
}

/** True for a TOML table: an object that is neither an array nor a date. */
export function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    !(value instanceof Date);
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case "object":
      return isTable(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    case "string":
      return typeof value === "string";
    case "boolean":
      return typeof value === "boolean";
    default:
      return false;
  }
}

function article(type: string): string {
  if (type === "object") return "a table";
  return type === "array" || type === "integer" ? `an ${type}` : `a ${type}`;
}
