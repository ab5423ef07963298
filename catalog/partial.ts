/**
 * Partial modes: one aspect of the committed catalog is recomputed, everything else stays,
 * `generated_at` included (spec 04 §3.12, §3.13). The full run and these share one gate.
 *
 * @module
 */
import type { JsonObject } from "../lib/json/mod.ts";
import type { Catalog, Op } from "../lib/catalog/types.ts";
import { applyCapabilities, orderVariantKeys } from "../lib/catalog/derive/mod.ts";
import type { BuiltCatalog } from "./build.ts";
import type { Overrides } from "./overrides.ts";
import { byCodeUnit } from "./serialise.ts";

/** A changed catalog and the notes to print. */
export interface PartialResult {
  catalog: Catalog;
  warnings: string[];
}

/**
 * Adds or replaces the operations of one service with freshly built ones. Operations that the
 * service no longer builds stay and are named in a warning. Running it twice changes nothing.
 */
export function injectService(
  committed: Catalog,
  options: { service: string; fresh: readonly Op[] },
): PartialResult {
  const fresh = options.fresh.filter((op) => op.service === options.service);
  const freshIds = new Set(fresh.map((op) => op.op_id));
  const warnings = committed.ops
    .filter((op) => op.service === options.service && !freshIds.has(op.op_id))
    .map((op) => `unknown operation kept: ${op.op_id}`);
  if (fresh.length === 0) warnings.push(`no operations are built for ${options.service}`);
  const kept = committed.ops.filter((op) => !freshIds.has(op.op_id));
  return {
    catalog: {
      ...committed,
      ops: [...kept, ...fresh].sort((a, b) => byCodeUnit(a.op_id, b.op_id)),
    },
    warnings,
  };
}

/** Recomputes atoms and execution support of every operation. */
export function applyCapabilitiesTo(committed: Catalog, overrides: Overrides): PartialResult {
  const ops = structuredClone(committed.ops);
  for (const op of ops) {
    applyCapabilities(op, overrides.ops?.[op.op_id]);
    orderVariantKeys(op);
  }
  return { catalog: { ...committed, ops }, warnings: [] };
}

/** Writes the mask of each operation onto every read variant, and removes withdrawn masks. */
export function applyDefaultFields(
  committed: Catalog,
  masks: Readonly<Record<string, string | undefined>>,
): PartialResult {
  const ops = structuredClone(committed.ops);
  for (const op of ops) {
    const mask = masks[op.op_id];
    for (const variant of op.variants) {
      if (mask === undefined) delete variant.default_fields;
      else if (variant.risk_class === "read") variant.default_fields = mask;
    }
    orderVariantKeys(op);
  }
  return { catalog: { ...committed, ops }, warnings: [] };
}

/** Masks of the overrides by operation id. */
export function masksOf(overrides: Overrides): Record<string, string> {
  const masks: Record<string, string> = {};
  for (const [opId, table] of Object.entries(overrides.ops ?? {})) {
    if (table.default_fields !== undefined) masks[opId] = table.default_fields;
  }
  return masks;
}

/** Request fields of the fresh build for operations that have none; curated ones stay. */
export function enrichRequestFields(
  committed: Catalog,
  fresh: readonly Op[],
): PartialResult {
  const built = new Map(fresh.map((op) => [op.op_id, op]));
  const ops = structuredClone(committed.ops);
  for (const op of ops) {
    const source = built.get(op.op_id);
    if ((op.request_fields ?? []).length > 0 || source?.request_fields === undefined) continue;
    op.request_fields = structuredClone(source.request_fields);
  }
  return { catalog: { ...committed, ops }, warnings: [] };
}

/** The built catalog with another set of operations, schemas following. */
export function withCatalog(built: BuiltCatalog, catalog: Catalog): BuiltCatalog {
  const refs = new Set(
    catalog.ops.flatMap((op) => op.variants.map((variant) => variant.binding?.request_ref)),
  );
  const schemas = new Map<string, JsonObject>(
    [...built.schemas].filter(([ref]) => refs.has(ref)),
  );
  return { ...built, catalog, schemas };
}
