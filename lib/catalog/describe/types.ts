/** The compact contract of one operation (spec 01 §2.4 `DescribeOpResult`, §3.8.2). */

import type { JsonObject } from "../../json/mod.ts";
import type { ExecutionSupport, FieldLocation, RiskClass, Stability } from "../types.ts";

/** What a caller reads before the first call. */
export interface DescribeOpResult {
  op_id: string;
  title: string;
  summary: string;
  default_variant_id: string;
  variants: DescribedVariant[];
  variants_total: number;
  variants_omitted_count: number;
  risk_class: RiskClass;
  confirmation_policy?: string;
  scopes: string[];
  output_profile?: string;
  execution_support: ExecutionSupport;
  unsupported_capabilities?: string[];
  capability_class_warnings?: string[];
  schema_refs: { input?: string; output?: string };
  params?: DescribedParam[];
  params_omitted_count?: number;
  risk_override?: true;
  risk_override_reason?: string;
}

/** One variant in a description. */
export interface DescribedVariant {
  variant_id: string;
  stability: Stability;
  interface_kind?: string;
  risk_class?: RiskClass;
  scopes?: string[];
  deprecated?: boolean;
  execution_support?: ExecutionSupport;
  unsupported_capabilities?: string[];
}

/** One argument in a description. */
export interface DescribedParam {
  name: string;
  type: string;
  required?: true;
  in?: FieldLocation;
  enum?: string[];
  description?: string;
}

/** What describe needs to know of a meta-tool; a tool definition of the MCP surface fits. */
export interface ToolContract {
  name: string;
  description: string;
  inputSchema: JsonObject;
  annotations: { readOnlyHint: boolean; destructiveHint: boolean };
}
