/** Arguments and answers of plugin tools against the schemas they were installed with (spec 06 §3.3). */

import type { ErrorObject, ValidateFunction } from "ajv/dist/2020.js";
import type { RequestField, Variant } from "../../catalog/types.ts";
import { GumError } from "../../errors/mod.ts";
import { isJsonObject, type JsonObject } from "../../json/mod.ts";
import type { Logger } from "../../log/mod.ts";
import { typedArguments } from "./typed_arguments.ts";

/** Checks that were made ready beforehand, so that they can be asked without waiting. */
export interface SchemaChecks {
  /** Compiles what a variant's schemas need; the validator itself loads with the first one. */
  prepare(variant: Variant): Promise<void>;
  checkArguments(variant: Variant, args: JsonObject): GumError | undefined;
  /** Notes for `_validation_warnings`. */
  checkAnswer(variant: Variant, text: string): string[];
}

/** What the checks are made from. */
export interface SchemaCheckOptions {
  /** A served schema; undefined when it is missing. */
  schema: (ref: string) => JsonObject | undefined;
  log: Logger;
}

const SHOWN = 5;

interface Compiled {
  document: JsonObject;
  fields: readonly RequestField[];
  validate: ValidateFunction;
}

/** Makes the checks. Nothing is loaded. */
export function createSchemaChecks(options: SchemaCheckOptions): SchemaChecks {
  const compiled = new Map<string, Compiled>();

  const ready = async (ref: string | undefined): Promise<void> => {
    const document = ref === undefined ? undefined : options.schema(ref);
    if (ref === undefined || document === undefined) return;
    if (compiled.get(ref)?.document === document) return;
    const { Ajv2020 } = await import("ajv/dist/2020.js");
    const { requestFields } = await import("../../plugin/schemas/mod.ts");
    const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
    const fields = requestFields(document) ?? [];
    compiled.set(ref, { document, fields, validate: ajv.compile(document) });
  };
  const found = (ref: string | undefined) => ref === undefined ? undefined : compiled.get(ref);

  return {
    async prepare({ binding }) {
      await ready(binding?.request_ref);
      await ready(binding?.response_ref);
    },
    checkArguments({ binding }, given) {
      const entry = found(binding?.request_ref);
      if (entry === undefined) return undefined;
      const args = typedArguments(entry.fields, given);
      const problems = entry.validate(args) ? [] : entry.validate.errors ?? [];
      const unknown = [...undeclared(entry.document, args), ...extra(problems)];
      return problems.length === 0 && unknown.length === 0
        ? undefined
        : argumentError(problems, [...new Set(unknown)].sort());
    },
    checkAnswer({ binding, variant_id: variantId }, text) {
      const entry = found(binding?.response_ref);
      if (entry === undefined) return [];
      // The body was serialized or parsed a moment ago.
      if (entry.validate(JSON.parse(text))) return [];
      const notes = (entry.validate.errors ?? []).slice(0, SHOWN).map(place);
      options.log.log("warn", "a plugin's answer does not fit its schema", {
        variant_id: variantId,
        problems: notes,
      });
      return notes.map((note) => `plugin answer does not fit its schema: ${note}`);
    },
  };
}

/** Names that a schema with named properties does not know, unless it says that it takes others. */
function undeclared(schema: JsonObject, args: JsonObject): string[] {
  const { properties } = schema;
  const open = ["additionalProperties", "patternProperties", "unevaluatedProperties", "$ref"]
    .concat(["allOf", "anyOf", "oneOf", "if"])
    .some((keyword) => Object.hasOwn(schema, keyword));
  if (open || !isJsonObject(properties)) return [];
  return Object.keys(args).filter((name) => !Object.hasOwn(properties, name));
}

function extra(problems: readonly ErrorObject[]): string[] {
  return problems.flatMap(({ keyword, instancePath, params }) =>
    instancePath === "" && keyword === "additionalProperties"
      ? [String(params.additionalProperty)]
      : []
  );
}

function argumentError(problems: readonly ErrorObject[], unknown: string[]): GumError {
  const missing = problems.flatMap(({ keyword, instancePath, params }) =>
    keyword === "required" ? [pathOf(`${instancePath}/${params.missingProperty}`)] : []
  );
  const typeErrors = problems
    .filter(({ keyword, instancePath }) =>
      keyword !== "required" && !(keyword === "additionalProperties" && instancePath === "")
    )
    .map(place);
  const parts = [
    ...(missing.length === 0 ? [] : [`missing: ${missing.join(", ")}`]),
    ...(unknown.length === 0 ? [] : [`unknown: ${unknown.join(", ")}`]),
    ...typeErrors,
  ];
  return new GumError("INVALID_ARGS", {
    message: parts.join("; "),
    details: { missing: [...new Set(missing)].sort(), unknown, type_errors: typeErrors },
    userMessage: parts.join("; "),
  });
}

function place({ instancePath, message }: ErrorObject): string {
  return `${pathOf(instancePath) || "the value"} ${message ?? "does not fit"}`;
}

function pathOf(pointer: string): string {
  return pointer.replace(/^\//, "").replaceAll("/", ".");
}
