/** Text of the outputs: key order, indentation, ids and times (spec 04 §2.1, §3.12). */
import type { Catalog, Op } from "../lib/catalog/types.ts";

/** Version of this generator, as the catalog records it. */
export const GENERATOR_VERSION = "gum/gen-catalog@1.0.0";

const OP_KEY_ORDER: readonly (keyof Op)[] = [
  "op_id",
  "op_schema_version",
  "title",
  "summary",
  "service",
  "service_family",
  "default_variant_id",
  "variants",
  "request_fields",
  "params_required",
  "params_optional",
  "response_ref",
  "paginated",
  "tags",
  "aliases",
  "deprecated_op_ids",
  "deprecated_variant_ids",
  "superseded_variant_ids",
];

/** Catalog text: two-space indentation, LF, one trailing newline. */
export function catalogText(catalog: Catalog): string {
  return `${
    JSON.stringify(
      {
        catalog_schema_version: catalog.catalog_schema_version,
        generated_at: catalog.generated_at,
        generator_version: catalog.generator_version,
        ops: catalog.ops.map((op) =>
          Object.fromEntries(
            OP_KEY_ORDER.filter((key) => op[key] !== undefined).map((key) => [key, op[key]]),
          )
        ),
      },
      null,
      2,
    )
  }\n`;
}

/** Text of the checksum file: what `sha256sum -c` reads. */
export function checksumText(digest: string): string {
  return `${digest}  catalog.json\n`;
}

/** `generated_at` of a run: the newest document revision (`YYYYMMDD`) at midnight UTC. */
export function generatedAt(revisions: readonly string[]): string {
  const newest = [...revisions].filter((revision) => /^\d{8}$/.test(revision)).sort().at(-1);
  if (newest === undefined) throw new TypeError("no document has a revision date");
  return `${newest.slice(0, 4)}-${newest.slice(4, 6)}-${newest.slice(6)}T00:00:00Z`;
}

/** Order of ids in every output: UTF-16 code units. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
