/** Operations without a Discovery document: `[[sdk_only]]` entries of the overrides. */
import type { JsonObject } from "../lib/json/mod.ts";
import type { Binding, Op, RequestField, Variant } from "../lib/catalog/types.ts";
import {
  applyCapabilities,
  buildRequestSchema,
  mergeFields,
  orderVariantKeys,
  sortEffects,
} from "../lib/catalog/derive/mod.ts";
import { requestRef, variantVersion } from "../lib/catalog/validate/mod.ts";
import type { SdkOnly } from "./overrides.ts";

/** An operation written out in the overrides, with its request schema. */
export interface DeclaredOperation {
  op: Op;
  schema?: JsonObject;
}

/** Builds one declared operation. */
export function declareOperation(entry: SdkOnly): DeclaredOperation {
  const fields: RequestField[] = mergeFields([], { field: entry.field ?? [] });
  const schema = buildRequestSchema(entry.op_id, { fields });
  const binding: Binding = {
    binding_schema_version: 1,
    adapter_key: entry.adapter_key,
    operation_key: entry.operation_key,
    ...(schema === undefined ? {} : { request_ref: requestRef(entry.op_id) }),
    ...entry.binding,
  };
  const readOnly = entry.risk_class === "read";
  const variant: Variant = {
    variant_id: entry.variant_id,
    variant_schema_version: 1,
    version: entry.version ?? variantVersion(entry.variant_id),
    stability: entry.stability,
    interface_kind: entry.interface_kind,
    backend_kind: entry.backend_kind,
    risk_class: entry.risk_class,
    auth_strategy: entry.auth_strategy,
    ...((entry.scopes ?? []).length === 0 ? {} : { scopes: [...entry.scopes ?? []].sort() }),
    ...(entry.effects === undefined ? {} : { effects: sortEffects(entry.effects) }),
    capabilities: entry.capabilities ?? [],
    ...(entry.output_profile === undefined ? {} : { output_profile: entry.output_profile }),
    ...(entry.default_format === undefined ? {} : { default_format: entry.default_format }),
    annotations: {
      readOnly,
      // The code operation only reaches out through the operations that its script calls.
      openWorld: entry.auth_strategy !== "none",
      idempotent: readOnly && binding.http?.method === "GET",
    },
    binding,
  };
  const op: Op = {
    op_id: entry.op_id,
    op_schema_version: 1,
    title: entry.title,
    summary: entry.summary,
    service: entry.service,
    service_family: entry.service_family,
    default_variant_id: entry.variant_id,
    variants: [variant],
    request_fields: fields,
    ...(fields.some((field) => field.name === "pageToken") ? { paginated: true } : {}),
    ...(entry.aliases === undefined ? {} : { aliases: entry.aliases }),
  };
  applyCapabilities(op);
  orderVariantKeys(op);
  return { op, schema };
}
