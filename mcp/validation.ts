/**
 * Argument validation (spec 01 §3.6): compiled validators, and the INVALID_ARGS envelope that names
 * every violation at once.
 */

import { GumError } from "../lib/errors/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../lib/json/mod.ts";
import { nearestWords } from "../lib/spelling/mod.ts";
import type { RegisteredTool } from "./types.ts";

/** One violation as Ajv reports it. */
export interface SchemaViolation {
  instancePath: string;
  keyword: string;
  params: Record<string, unknown>;
  message?: string;
}

/** A compiled validator; `errors` describes the last refused value. */
export interface CompiledValidator {
  (value: unknown): boolean;
  errors?: SchemaViolation[] | null;
}

/** Never echoed: secrets, programs and whole argument objects. */
const NEVER_ECHOED = new Set(["confirmation_token", "source", "args"]);

const compiled = new WeakMap<JsonObject, Promise<CompiledValidator>>();

/**
 * The validator of a tool's input schema, compiled once. Rejects when the schema does not compile,
 * so that this one tool fails closed.
 */
export function validatorOf(tool: RegisteredTool): Promise<CompiledValidator> {
  const schema = tool.definition.inputSchema;
  let validator = compiled.get(schema);
  if (validator === undefined) {
    validator = tool.precompiled ? committed(tool.definition.name) : compileNow(schema);
    compiled.set(schema, validator);
  }
  return validator;
}

async function committed(name: string): Promise<CompiledValidator> {
  const { VALIDATORS } = await import("./validators.ts");
  const validator = VALIDATORS[name];
  if (validator === undefined) throw new Error(`no committed validator for ${name}`);
  return validator;
}

/** For tools registered at run time only: Ajv costs more than the rest of a first call. */
async function compileNow(schema: JsonObject): Promise<CompiledValidator> {
  const { Ajv2020 } = await import("ajv/dist/2020.js");
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allowUnionTypes: true,
    allErrors: true,
  });
  return ajv.compile(schema) as CompiledValidator;
}

/** Throws `INVALID_ARGS` when `args` break the schema of `tool`. */
export function checkArguments(
  validator: CompiledValidator,
  request: { tool: string; args: JsonObject; schema: JsonObject },
): void {
  if (validator(request.args)) return;
  throw invalidArguments(validator.errors ?? [], request);
}

interface Findings {
  missing: string[];
  unknown: string[];
  typeErrors: string[];
  invalid: JsonObject[];
  sentences: string[];
}

function invalidArguments(
  violations: readonly SchemaViolation[],
  request: { tool: string; args: JsonObject; schema: JsonObject },
): GumError {
  const found: Findings = { missing: [], unknown: [], typeErrors: [], invalid: [], sentences: [] };
  for (const violation of violations) record(found, violation, request);
  return new GumError("INVALID_ARGS", {
    message: `${request.tool}: ${found.sentences.join("; ")}`,
    userMessage: `The arguments of ${request.tool} are not valid.`,
    suggestion: adviceFor(found, request),
    details: {
      tool: request.tool,
      missing: unique(found.missing),
      unknown: unique(found.unknown),
      type_errors: unique(found.typeErrors),
      invalid: found.invalid,
    },
    retryable: false,
  });
}

/** What is unknown beside `args` most likely belongs into it; else the names that exist help. */
function adviceFor(found: Findings, request: { tool: string; schema: JsonObject }): string {
  const { properties } = request.schema;
  if (found.unknown.length === 0 || !isJsonObject(properties)) {
    return "Fix the named arguments and call again.";
  }
  if (Object.hasOwn(properties, "args")) {
    return `Fix the named arguments and call again; the operation's own arguments go into args.`;
  }
  const names = Object.keys(properties).filter((name) => !name.startsWith("confirm"));
  return names.length === 0
    ? `${request.tool} takes no arguments.`
    : `Fix the named arguments and call again; ${request.tool} takes ${names.join(", ")}.`;
}

function record(
  found: Findings,
  violation: SchemaViolation,
  request: { args: JsonObject; schema: JsonObject },
): void {
  const name = readableName(violation.instancePath);
  const { params } = violation;
  switch (violation.keyword) {
    case "required": {
      const missing = child(name, String(params.missingProperty));
      found.missing.push(missing);
      found.sentences.push(`${missing} is required`);
      return;
    }
    case "additionalProperties": {
      const key = String(params.additionalProperty);
      const nearest = nearestKey(key, request.schema, violation.instancePath);
      found.unknown.push(child(name, key));
      found.sentences.push(
        `unknown argument ${child(name, key)}` +
          (nearest === undefined ? "" : ` (did you mean ${nearest}?)`),
      );
      return;
    }
    case "type":
      found.typeErrors.push(name);
      found.sentences.push(
        `${name} must be of type ${String(params.type)}${insteadOfText(violation, request.args)}`,
      );
      return;
    default:
      found.invalid.push(ruleViolation(violation, request.args));
      found.sentences.push(`${name} ${ruleSentence(violation)}`);
  }
}

/** Models write nested values as text now and then, and see no difference until they are told. */
function insteadOfText({ instancePath, params }: SchemaViolation, args: JsonObject): string {
  const value = valueAt(args, instancePath);
  const opening = params.type === "object" ? "{" : params.type === "array" ? "[" : undefined;
  return opening !== undefined && typeof value === "string" && value.trimStart().startsWith(opening)
    ? ", given as JSON and not as a text that holds it"
    : "";
}

function ruleViolation(violation: SchemaViolation, args: JsonObject): JsonObject {
  const { keyword, instancePath } = violation;
  const entry: JsonObject = { path: instancePath, rule: keyword };
  if (keyword === "enum") entry.allowed = violation.params.allowedValues as JsonValue;
  else if (violation.params.limit !== undefined) entry.limit = violation.params.limit as JsonValue;
  else if (violation.params.pattern !== undefined) {
    entry.pattern = violation.params.pattern as JsonValue;
  }
  const value = valueAt(args, instancePath);
  if (echoable(value, instancePath)) entry.value = value;
  return entry;
}

function ruleSentence(violation: SchemaViolation): string {
  const allowed = violation.params.allowedValues;
  if (violation.keyword === "enum" && Array.isArray(allowed)) {
    return allowed.length === 1 ? `must be ${allowed[0]}` : `must be one of ${allowed.join(", ")}`;
  }
  return violation.message ?? `breaks the rule ${violation.keyword}`;
}

function echoable(value: JsonValue | undefined, path: string): value is JsonValue {
  if (value === undefined || NEVER_ECHOED.has(path.split("/")[1] ?? "")) return false;
  if (typeof value === "object" && value !== null) return false;
  return String(value).length <= 64;
}

function valueAt(args: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = args;
  for (const step of path.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(value)) value = value[Number(key)];
    else if (isJsonObject(value)) value = value[key];
    else return undefined;
  }
  return value;
}

/** `/destructive_scope/0/op_id` as `destructive_scope[0].op_id`; the root is `arguments`. */
function readableName(path: string): string {
  const name = path.slice(1).replaceAll("~1", "/").replaceAll("~0", "~")
    .replace(/\/(\d+)(?=\/|$)/g, "[$1]").replaceAll("/", ".");
  return name === "" ? "arguments" : name;
}

function child(parent: string, key: string): string {
  return parent === "arguments" ? key : `${parent}.${key}`;
}

function unique(names: string[]): string[] {
  return [...new Set(names)].sort();
}

/** The known key closest to a mistyped one, when it is close enough to be meant. */
function nearestKey(key: string, schema: JsonObject, path: string): string | undefined {
  if (path !== "" || !isJsonObject(schema.properties)) return undefined;
  const within = Math.max(2, Math.floor(key.length / 3));
  return nearestWords(key, Object.keys(schema.properties), { within, most: 1 })[0];
}
