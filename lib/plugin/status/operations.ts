/** Plugin rows as operations of the session's catalog (spec 06 §3.10). */

import type { AuthStrategy, Op, Variant } from "../../catalog/types.ts";
import type { PluginVariantRow, RegistrySnapshot } from "../types.ts";
import { activePlugins } from "./resolve.ts";

/** Operations of the plugins that are active for a session, for `createSnapshot({ pluginOps })`. */
export function pluginOps(
  snapshot: Pick<RegistrySnapshot, "catalog" | "state" | "ok">,
  sessionStartedAt?: number,
): Op[] {
  const active = activePlugins(snapshot, sessionStartedAt);
  return operationsOf(snapshot.catalog.variants.filter((row) => active.has(row.owner_plugin)));
}

/** Rows as operations with one variant each. */
export function operationsOf(rows: readonly PluginVariantRow[]): Op[] {
  return rows.map((row) => {
    const variant = variantOf(row);
    return {
      op_id: row.op_id,
      op_schema_version: 1,
      title: row.title ?? row.op_id,
      summary: row.summary ?? "",
      service: "plug",
      service_family: `plugin.${row.owner_plugin}`,
      default_variant_id: row.variant_id,
      variants: [variant],
      ...(Array.isArray(row.request_fields) ? { request_fields: row.request_fields } : {}),
      ...(row.binding?.response_ref === undefined
        ? {}
        : { response_ref: row.binding.response_ref }),
      tags: ["plugin", row.owner_plugin],
    };
  });
}

function variantOf(row: PluginVariantRow): Variant {
  return {
    variant_id: row.variant_id,
    variant_schema_version: row.variant_schema_version,
    version: row.version,
    stability: row.stability,
    interface_kind: row.interface_kind,
    backend_kind: row.backend_kind,
    risk_class: row.risk_class,
    // The manifest's gate accepted the word; the loader rewrites the one alias.
    auth_strategy: row.auth_strategy as AuthStrategy,
    ...((row.scopes ?? []).length === 0 ? {} : { scopes: row.scopes }),
    ...(row.confirmation_policy === undefined
      ? {}
      : { confirmation_policy: row.confirmation_policy }),
    capabilities: row.capabilities ?? [],
    ...(row.execution_support === "full" ? {} : { execution_support: row.execution_support }),
    ...(row.unsupported_capabilities === undefined
      ? {}
      : { unsupported_capabilities: row.unsupported_capabilities }),
    ...(row.output_profile === undefined ? {} : { output_profile: row.output_profile }),
    ...(row.raw_result_allowed === undefined ? {} : { raw_result_allowed: row.raw_result_allowed }),
    ...(row.null_elision_safe_fields === undefined
      ? {}
      : { null_elision_safe_fields: row.null_elision_safe_fields }),
    annotations: { readOnly: row.risk_class === "read", openWorld: true, idempotent: false },
    ...(row.schema_hashes === undefined ? {} : { schema_hashes: row.schema_hashes }),
    binding: row.binding,
  };
}
