/** Smallest catalog that passes every rule, for tests that break one thing at a time. */
import type { Catalog, Op, Variant } from "../../types.ts";

/** A read over HTTP. */
export function minimalVariant(changes: Partial<Variant> = {}): Variant {
  return {
    variant_id: "demo.v1.rest.things.get",
    variant_schema_version: 1,
    version: "v1",
    stability: "stable",
    interface_kind: "discovery-rest",
    backend_kind: "typed-rest-sdk",
    risk_class: "read",
    auth_strategy: "byo_oauth",
    scopes: ["https://www.googleapis.com/auth/demo.readonly"],
    capabilities: ["json_response", "path_params", "field_mask"],
    annotations: { readOnly: true, openWorld: true, idempotent: true },
    binding: {
      binding_schema_version: 1,
      adapter_key: "rest.typed-rest-sdk",
      operation_key: "demo.things.get",
      request_ref: "demo.things.get.request",
      http: { method: "GET", path: "https://demo.googleapis.com/v1/things/{id}" },
    },
    ...changes,
  };
}

/** An operation with that variant. */
export function minimalOp(changes: Partial<Op> = {}, variant: Partial<Variant> = {}): Op {
  return {
    op_id: "demo.things.get",
    op_schema_version: 1,
    title: "Get thing (Demo)",
    summary: "Returns a thing.",
    service: "demo",
    service_family: "demo",
    default_variant_id: variant.variant_id ?? "demo.v1.rest.things.get",
    variants: [minimalVariant(variant)],
    request_fields: [{ name: "id", location: "path", type: "string", required: true }],
    ...changes,
  };
}

/** A catalog with that operation. */
export function minimalCatalog(changes: Partial<Catalog> = {}, op: Op = minimalOp()): Catalog {
  return {
    catalog_schema_version: 1,
    generated_at: "2026-01-01T00:00:00Z",
    generator_version: "gum/gen-catalog@1.0.0",
    ops: [op],
    ...changes,
  };
}
