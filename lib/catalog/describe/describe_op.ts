/** Describing catalog operations and meta-tools (spec 01 §3.8.2, 04 §3.16). */

import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import { mustBeGiven, type OpArgument, operationArguments } from "../arguments.ts";
import type { Op, RiskClass, Variant } from "../types.ts";
import { resourceForm } from "../../resource_names/mod.ts";
import { capabilityWarning } from "./capability_warnings.ts";
import { defaultVariant } from "./default_variant.ts";
import type { DescribedParam, DescribedVariant, DescribeOpResult, ToolContract } from "./types.ts";

const DEFAULT_MAX_VARIANTS = 5;
const MAX_PARAMS = 40;

/** Options of {@link describeOp}. */
export interface DescribeOptions {
  /** `meta_tools.describe_op.max_variants`: 1 to 50, clamped; default 5. */
  maxVariants?: number;
  /** The tool that runs this operation, when it has one of its own; its arguments are shown. */
  tool?: ToolContract;
  /** Whether the caller is given the host's own defaults (spec 11 §4); scripts are not. */
  hostDefaults?: boolean;
}

/** The compact contract of an operation. Keys without content are absent. */
export function describeOp(op: Op, options: DescribeOptions = {}): DescribeOpResult {
  const main = defaultVariant(op);
  const shown = shownVariants(op, { main, maxVariants: options.maxVariants });
  const support = main?.execution_support ?? "full";
  const result: DescribeOpResult = {
    op_id: op.op_id,
    title: op.title,
    summary: op.summary,
    default_variant_id: main?.variant_id ?? op.default_variant_id,
    variants: shown.map((variant) => describedVariant(op, variant)),
    variants_total: op.variants.length,
    variants_omitted_count: op.variants.length - shown.length,
    risk_class: main?.risk_class ?? "destructive",
    scopes: [...main?.scopes ?? []],
    execution_support: support,
    schema_refs: schemaRefs(main),
  };
  if (main?.confirmation_policy) result.confirmation_policy = main.confirmation_policy;
  if (main?.output_profile) result.output_profile = main.output_profile;
  if (support !== "full") {
    const blocked = main?.unsupported_capabilities ?? [];
    result.unsupported_capabilities = [...blocked];
    const warnings = blocked.map((atom) => capabilityWarning(atom, support));
    if (warnings.length > 0) result.capability_class_warnings = warnings;
  }
  addParams(
    result,
    options.tool === undefined
      ? operationArguments(op).map((argument) => describedArgument(argument, options.hostDefaults))
      : toolParams(options.tool),
  );
  if (main?.risk_override === true) {
    result.risk_override = true;
    result.risk_override_reason = main.risk_override_reason ?? "";
  }
  return result;
}

/** The contract of a meta-tool, shaped like an operation's: one stable variant `<tool>.v1`. */
export function describeMetaTool(tool: ToolContract): DescribeOpResult {
  const variantId = `${tool.name}.v1`;
  const riskClass = toolRiskClass(tool);
  const result: DescribeOpResult = {
    op_id: tool.name,
    title: tool.name,
    summary: tool.description,
    default_variant_id: variantId,
    variants: [{ variant_id: variantId, stability: "stable", risk_class: riskClass }],
    variants_total: 1,
    variants_omitted_count: 0,
    risk_class: riskClass,
    scopes: [],
    execution_support: "full",
    schema_refs: {},
  };
  addParams(result, toolParams(tool));
  return result;
}

function shownVariants(
  op: Op,
  choice: { main: Variant | undefined; maxVariants: number | undefined },
): Variant[] {
  const wanted = Math.floor(choice.maxVariants ?? DEFAULT_MAX_VARIANTS);
  const limit = Math.min(50, Math.max(1, Number.isNaN(wanted) ? DEFAULT_MAX_VARIANTS : wanted));
  const { main } = choice;
  if (main === undefined) return [];
  return [main, ...op.variants.filter((variant) => variant !== main)].slice(0, limit);
}

function describedVariant(op: Op, variant: Variant): DescribedVariant {
  const described: DescribedVariant = {
    variant_id: variant.variant_id,
    stability: variant.stability,
  };
  if (variant.interface_kind) described.interface_kind = variant.interface_kind;
  described.risk_class = variant.risk_class;
  if (variant.scopes && variant.scopes.length > 0) described.scopes = [...variant.scopes];
  if (op.deprecated_variant_ids?.includes(variant.variant_id)) described.deprecated = true;
  if (variant.execution_support) described.execution_support = variant.execution_support;
  if (variant.unsupported_capabilities && variant.unsupported_capabilities.length > 0) {
    described.unsupported_capabilities = [...variant.unsupported_capabilities];
  }
  return described;
}

function schemaRefs(variant: Variant | undefined): { input?: string; output?: string } {
  const refs: { input?: string; output?: string } = {};
  if (variant?.binding?.request_ref) refs.input = variant.binding.request_ref;
  if (variant?.binding?.response_ref) refs.output = variant.binding.response_ref;
  return refs;
}

function describedArgument(argument: OpArgument, hostDefaults = true): DescribedParam {
  const param: DescribedParam = { name: argument.name, type: argument.type || "string" };
  if (mustBeGiven(argument) || (!hostDefaults && argument.required)) param.required = true;
  if (argument.location !== undefined) param.in = argument.location;
  if (argument.enum && argument.enum.length > 0) param.enum = [...argument.enum];
  const form = resourceForm(argument);
  const { host_default: usual, default: own } = argument;
  const assumed = hostDefaults ? usual ?? own : own;
  const notes = [
    // A name of several segments is guessed wrong: the bare id, or the resource around it.
    ...(form === undefined ? [] : [form]),
    // Without this a caller would repeat what is sent anyway, or wonder why the answer is cut.
    ...(assumed === undefined ? [] : [`default ${assumed}`]),
    ...(hostDefaults || usual === undefined ? [] : [`usually ${usual}`]),
  ];
  if (notes.length > 0) param.description = notes.join("; ");
  return param;
}

/** Required first, otherwise in the given order, cut at {@link MAX_PARAMS}. */
function addParams(result: DescribeOpResult, params: readonly DescribedParam[]): void {
  if (params.length === 0) return;
  const ordered = [
    ...params.filter(({ required }) => required === true),
    ...params.filter(({ required }) => required !== true),
  ];
  result.params = ordered.slice(0, MAX_PARAMS);
  if (ordered.length > MAX_PARAMS) result.params_omitted_count = ordered.length - MAX_PARAMS;
}

function toolRiskClass(tool: ToolContract): RiskClass {
  if (tool.annotations.readOnlyHint) return "read";
  return tool.annotations.destructiveHint ? "destructive" : "write";
}

function toolParams(tool: ToolContract): DescribedParam[] {
  const { properties, required } = tool.inputSchema;
  if (!isJsonObject(properties)) return [];
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, schema]) =>
    toolParam(name, { schema: isJsonObject(schema) ? schema : {}, required: needed.includes(name) })
  );
}

function toolParam(
  name: string,
  { schema, required }: { schema: JsonObject; required: boolean },
): DescribedParam {
  const param: DescribedParam = { name, type: schemaType(schema.type) };
  if (required) param.required = true;
  if (Array.isArray(schema.enum)) param.enum = schema.enum.map(String);
  if (typeof schema.description === "string") param.description = schema.description;
  return param;
}

function schemaType(type: JsonValue | undefined): string {
  if (typeof type === "string") return type;
  return Array.isArray(type) ? type.join("|") : "any";
}
