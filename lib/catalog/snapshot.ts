/** The operations one session sees, fixed for its life (spec 04 §3.17). */

import { GumError } from "../errors/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { defaultLogger, type Logger } from "../log/mod.ts";
import { checkOpVersions, withCurrentNames } from "./parse.ts";
import { isSchemaRef } from "./validate/ids.ts";
import { byCodeUnit } from "./search/order.ts";
import type { LongTailPack } from "./longtail/pack.ts";
import type { Catalog, CatalogSnapshot, Op, Variant } from "./types.ts";

/** What a snapshot is made of beside the catalog. */
export interface SnapshotOptions {
  /** Loads a request schema document; asked only for refs that a visible operation names. */
  requestSchema: (ref: string) => JsonObject | undefined;
  /**
   * Operations of active plugins. One that this build cannot read, or that claims an id of the
   * catalog, is left out and logged.
   */
  pluginOps?: readonly Op[];
  /** Default: the process logger. */
  logger?: Logger;
  /** Further operations, looked up when no other has the id; they are not among `ops`. */
  longTail?: LongTailPack;
}

/**
 * A read-only view over a catalog and the active plugins' operations. Exact ids win over
 * deprecated ones; every lookup is O(1).
 */
export function createSnapshot(catalog: Catalog, options: SnapshotOptions): CatalogSnapshot {
  const byId = new Map<string, Op>();
  const byVariant = new Map<string, { op: Op; variant: Variant }>();

  function admit(op: Op): void {
    byId.set(op.op_id, op);
    for (const variant of op.variants) {
      if (!byVariant.has(variant.variant_id)) byVariant.set(variant.variant_id, { op, variant });
    }
  }

  for (const op of catalog.ops) admit(withCurrentNames(op));
  for (const op of options.pluginOps ?? []) {
    const refusal = pluginRefusal(op, { byId, byVariant });
    if (refusal === undefined) admit(withCurrentNames(op));
    else {
      (options.logger ?? defaultLogger()).log("warn", "plugin operation left out", {
        op_id: op.op_id,
        reason: refusal,
      });
    }
  }

  const ops = Object.freeze([...byId.values()].sort((a, b) => byCodeUnit(a.op_id, b.op_id)));
  const byOldId = deprecatedIds(ops);
  let refs: ReadonlySet<string> | undefined;
  return {
    ops,
    findOp: (opId) => byId.get(opId) ?? byOldId.get(opId) ?? options.longTail?.findOp(opId),
    findVariant: (variantId) =>
      byVariant.get(variantId) ?? options.longTail?.findVariant(variantId),
    furtherIds: (prefix, limit) => longTailIds(options.longTail, { prefix, limit, byId }),
    everyOp: (service) => [
      ...ops.filter(({ op_id }) => op_id.startsWith(`${service}.`)),
      ...(options.longTail?.everyOp(service) ?? []).filter(({ op_id }) => !byId.has(op_id)),
    ],
    isHidden: (opId) => options.longTail?.isHidden(opId) ?? false,
    requestSchema(ref) {
      refs ??= new Set(referencedSchemas(ops));
      if (!isSchemaRef(ref)) return undefined;
      return refs.has(ref) ? options.requestSchema(ref) : options.longTail?.requestSchema(ref);
    },
  };
}

function longTailIds(
  longTail: LongTailPack | undefined,
  wanted: { prefix: string; limit: number; byId: ReadonlyMap<string, Op> },
): string[] {
  const { prefix, limit, byId } = wanted;
  const dot = prefix.indexOf(".");
  if (longTail === undefined || dot <= 0) return [];
  const found: string[] = [];
  for (const opId of longTail.operationIds(prefix.slice(0, dot))) {
    if (found.length >= limit) break;
    if (!opId.startsWith(prefix) || byId.has(opId)) continue;
    if (longTail.findOp(opId) !== undefined) found.push(opId);
  }
  return found;
}

/** Every schema ref that an operation or binding names, sorted; what `gum://schema/` may serve. */
export function referencedSchemas(ops: readonly Op[]): string[] {
  const refs = new Set<string>();
  for (const op of ops) {
    if (op.response_ref !== undefined) refs.add(op.response_ref);
    for (const { binding } of op.variants) {
      if (binding?.request_ref !== undefined) refs.add(binding.request_ref);
      if (binding?.response_ref !== undefined) refs.add(binding.response_ref);
    }
  }
  return [...refs].sort(byCodeUnit);
}

interface KnownIds {
  byId: ReadonlyMap<string, Op>;
  byVariant: ReadonlyMap<string, unknown>;
}

function pluginRefusal(op: Op, known: KnownIds): string | undefined {
  if (known.byId.has(op.op_id)) return "the operation id is taken";
  const clash = op.variants.find(({ variant_id }) => known.byVariant.has(variant_id));
  if (clash !== undefined) return `the variant id ${clash.variant_id} is taken`;
  try {
    checkOpVersions(op);
    return undefined;
  } catch (error) {
    if (error instanceof GumError) return error.message;
    throw error;
  }
}

function deprecatedIds(ops: readonly Op[]): Map<string, Op> {
  const byOldId = new Map<string, Op>();
  for (const op of ops) {
    for (const oldId of op.deprecated_op_ids ?? []) {
      if (!byOldId.has(oldId)) byOldId.set(oldId, op);
    }
  }
  return byOldId;
}
