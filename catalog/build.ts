/**
 * The catalog from its inputs, in memory: select, derive, declare, sanitize, sort, validate.
 * Steps 3–7 of spec 04 §3.5; nothing here touches a file.
 *
 * @module
 */
import type { JsonObject } from "../lib/json/mod.ts";
import type { Catalog, Op } from "../lib/catalog/types.ts";
import {
  assignRequestRefs,
  type DiscoveryDocument,
  indexMethods,
  orderVariantKeys,
} from "../lib/catalog/derive/mod.ts";
import { CatalogError, type ProjectionTree, validate } from "../lib/catalog/validate/mod.ts";
import type { Overrides } from "./overrides.ts";
import { sanitizeTexts } from "./sanitize_text.ts";
import { declareOperation } from "./sdk_only.ts";
import { type SelectedOperation, selectOperations } from "./select.ts";
import { byCodeUnit, generatedAt, GENERATOR_VERSION } from "./serialise.ts";

/** Operations that take no argument at all. */
export const FIELDLESS_OPS: readonly string[] = [
  "calendar.colors.get",
  "drive.about.get",
  "searchconsole.sites.list",
];

/** Everything one run knows about the catalog it built. */
export interface BuiltCatalog {
  catalog: Catalog;
  /** Request schema documents by ref. */
  schemas: Map<string, JsonObject>;
  /** Response skeletons by op id, for operations with a document. */
  projections: Record<string, ProjectionTree>;
  /** Discovery-backed operations with the facts that the scope gate judges. */
  selected: SelectedOperation[];
  /** Methods of the documents that no operation uses. */
  skippedMethods: number;
}

/** Inputs of {@link buildCatalog}. */
export interface BuildInputs {
  overrides: Overrides;
  /** By `[apis.*]` table. */
  documents: ReadonlyMap<string, DiscoveryDocument>;
}

/** Builds and validates the catalog. */
export async function buildCatalog(inputs: BuildInputs): Promise<BuiltCatalog> {
  const { overrides, documents } = inputs;
  const selected = selectOperations(overrides, documents);
  const declared = (overrides.sdk_only ?? []).map(declareOperation);
  const all: { op: Op; schema?: JsonObject }[] = [...selected, ...declared];
  refuseExcluded(all.map(({ op }) => op), overrides.exclude ?? []);
  bindProfiles(all.map(({ op }) => op), overrides.output_profiles ?? {});

  for (const { op } of all) {
    const table = overrides.ops?.[op.op_id];
    const written = (overrides.sdk_only ?? []).some((entry) => entry.op_id === op.op_id);
    await sanitizeTexts(op, {
      title: written || table?.title !== undefined,
      summary: written || table?.summary !== undefined,
    });
  }

  const ops = all.map(({ op }) => op).sort((a, b) => byCodeUnit(a.op_id, b.op_id));
  const refs = assignRequestRefs(ops.map((op) => op.op_id));
  const schemas = new Map<string, JsonObject>();
  for (const { op, schema } of all) {
    const ref = refs.get(op.op_id);
    if (schema !== undefined && ref !== undefined) schemas.set(ref, schema);
  }
  const projections = Object.fromEntries(
    selected.map(({ op, projection }) => [op.op_id, projection]),
  );
  const catalog: Catalog = {
    catalog_schema_version: 1,
    generated_at: generatedAt([...documents.values()].map((document) => document.revision)),
    generator_version: GENERATOR_VERSION,
    ops,
  };
  const methods = [...documents.values()].reduce((n, doc) => n + indexMethods(doc).size, 0);
  const built = {
    catalog,
    schemas,
    projections,
    selected,
    skippedMethods: methods - selected.length,
  };
  validateBuilt(built);
  return built;
}

/** The whole of spec 04 §3.2 over a built catalog. */
export function validateBuilt(built: BuiltCatalog): void {
  validate(built.catalog, {
    requestSchemas: Object.fromEntries(built.schemas),
    projections: built.projections,
    fieldlessOps: FIELDLESS_OPS,
    requireSomeDefault: true,
  });
}

/** Names the output profile on every variant that has none of its own. */
function bindProfiles(ops: readonly Op[], profiles: Readonly<Record<string, string>>): void {
  const known = new Set(ops.map((op) => op.op_id));
  const stray = Object.keys(profiles).find((opId) => !known.has(opId));
  if (stray !== undefined) {
    throw new CatalogError("OVERRIDES_SCHEMA_INVALID", `/output_profiles/${stray}: no such op`);
  }
  for (const op of ops) {
    const name = profiles[op.op_id];
    if (name === undefined) continue;
    for (const variant of op.variants) variant.output_profile ??= name;
    orderVariantKeys(op);
  }
}

/** A curated operation under an exclude glob is a contradiction, so it fails. */
function refuseExcluded(ops: readonly Op[], globs: readonly string[]): void {
  const patterns = globs.map((glob) => ({
    glob,
    pattern: new RegExp(
      `^${glob.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&")).join(".*")}$`,
    ),
  }));
  for (const op of ops) {
    const hit = patterns.find(({ pattern }) => pattern.test(op.op_id));
    if (hit === undefined) continue;
    throw new CatalogError("EXCLUDED_OPERATION", `matches ${hit.glob}`, { opId: op.op_id });
  }
}
