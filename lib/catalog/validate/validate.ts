/**
 * Build-time validation of a whole catalog: the first broken rule is thrown (spec 04 §3.2).
 *
 * @module
 */
import type { JsonObject } from "../../json/mod.ts";
import type { Catalog, Op } from "../types.ts";
import { CatalogError, type CatalogErrorCode } from "./catalog_error.ts";
import { SUPPORTED_SCHEMA_VERSIONS } from "./enums.ts";
import { checkFields, checkPathTemplate } from "./fields.ts";
import { OP_ID_PATTERN, VARIANT_ID_PATTERN } from "./ids.ts";
import type { ProjectionTree } from "./masks.ts";
import {
  checkDefaultFields,
  checkRiskOverride,
  checkVariant,
  type VariantContext,
} from "./variant.ts";

/** What the rules need beside the catalog. */
export interface ValidateOptions {
  /** Request schema documents by ref. */
  requestSchemas?: Readonly<Record<string, JsonObject>>;
  /** Response skeletons by op id; masks are only checked for grammar without them. */
  projections?: Readonly<Record<string, ProjectionTree>>;
  /** Ops that may have no request fields at all. */
  fieldlessOps?: readonly string[];
  /** Set for the whole shipped catalog: at least one field must declare a default. */
  requireSomeDefault?: boolean;
}

/**
 * Checks a catalog.
 *
 * @throws CatalogError for the first rule that does not hold.
 */
export function validate(catalog: Catalog, options: ValidateOptions = {}): void {
  checkHeader(catalog);
  const opIds = new Set<string>();
  const variantIds = new Set<string>();
  for (const op of catalog.ops) {
    if (opIds.has(op.op_id)) {
      throw new CatalogError("DUPLICATE_OP_ID", "declared twice", { opId: op.op_id });
    }
    opIds.add(op.op_id);
    validateOp(op, options);
    for (const variant of op.variants) {
      if (variantIds.has(variant.variant_id)) {
        throw new CatalogError("DUPLICATE_VARIANT_ID", "used by another operation", {
          opId: op.op_id,
          variantId: variant.variant_id,
        });
      }
      variantIds.add(variant.variant_id);
    }
  }
  const someDefault = catalog.ops.some((op) =>
    op.request_fields?.some((field) => field.default !== undefined) === true
  );
  if (options.requireSomeDefault === true && !someDefault) {
    throw new CatalogError("REQUEST_FIELD_INVALID", "no field of the catalog declares a default");
  }
}

function checkHeader(catalog: Catalog): void {
  const version: unknown = catalog.catalog_schema_version;
  if (!isSupported(version)) {
    throw new CatalogError(
      "CATALOG_SCHEMA_UNSUPPORTED",
      `catalog_schema_version ${JSON.stringify(version)}; supported: ${SUPPORTED_SCHEMA_VERSIONS}`,
    );
  }
  if (!isTimestamp(catalog.generated_at)) {
    throw new CatalogError("CATALOG_FIELD_REQUIRED", "generated_at is not an RFC 3339 time");
  }
  if (!isText(catalog.generator_version)) {
    throw new CatalogError("CATALOG_FIELD_REQUIRED", "generator_version");
  }
  if (!Array.isArray(catalog.ops)) throw new CatalogError("CATALOG_FIELD_REQUIRED", "ops");
}

/** Checks one operation with its variants. */
export function validateOp(op: Op, options: ValidateOptions = {}): void {
  const fail = (code: CatalogErrorCode, detail: string, variantId?: string): never => {
    throw new CatalogError(code, detail, {
      opId: op.op_id,
      ...(variantId === undefined ? {} : { variantId }),
    });
  };
  if (!isText(op.op_id)) fail("CATALOG_FIELD_REQUIRED", "op_id");
  if (!OP_ID_PATTERN.test(op.op_id) || op.op_id.length > 128) {
    fail("OP_ID_INVALID", "op_id grammar");
  }
  checkShapeVersion(op.op_schema_version, { name: "op_schema_version", fail });
  if (!isText(op.title)) fail("CATALOG_FIELD_REQUIRED", "title");
  if (!isText(op.summary)) fail("CATALOG_FIELD_REQUIRED", "summary");
  if (!isText(op.default_variant_id)) fail("CATALOG_FIELD_REQUIRED", "default_variant_id");
  if (!Array.isArray(op.variants) || op.variants.length === 0) {
    fail("CATALOG_FIELD_REQUIRED", "variants");
  }
  if (!op.variants.some((variant) => variant.variant_id === op.default_variant_id)) {
    fail("DEFAULT_VARIANT_DANGLING", `default_variant_id ${op.default_variant_id}`);
  }
  const context: VariantContext = {
    op,
    requestSchema: (ref) =>
      Object.hasOwn(options.requestSchemas ?? {}, ref) ? options.requestSchemas?.[ref] : undefined,
    projection: options.projections?.[op.op_id],
  };
  const ids = new Set<string>();
  for (const variant of op.variants) {
    const id = variant.variant_id;
    if (!isText(id)) fail("CATALOG_FIELD_REQUIRED", "variant_id");
    if (ids.has(id)) fail("DUPLICATE_VARIANT_ID", "declared twice in the operation", id);
    ids.add(id);
    if (!VARIANT_ID_PATTERN.test(id) || id.length > 200) {
      fail("CATALOG_FIELD_REQUIRED", "variant_id grammar", id);
    }
    checkShapeVersion(variant.variant_schema_version, {
      name: "variant_schema_version",
      fail: (code, detail) => fail(code, detail, id),
    });
    checkVariant(variant, context);
  }
  checkPreferred(op, fail);
  checkFields(op);
  checkPathTemplate(op);
  const fieldless = options.fieldlessOps;
  if (fieldless !== undefined) {
    const empty = (op.request_fields ?? []).length === 0;
    if (empty !== fieldless.includes(op.op_id)) {
      fail(
        "REQUEST_FIELD_INVALID",
        empty ? "the operation has no request fields" : "listed as without fields, but has some",
      );
    }
  }
  for (const variant of op.variants) checkDefaultFields(variant, context);
  for (const variant of op.variants) checkRiskOverride(variant, op.op_id);
}

function checkPreferred(op: Op, fail: (code: CatalogErrorCode, detail: string) => never): void {
  const preferred = op.variants.filter((variant) => variant.preferred === true);
  if (preferred.length > 1) fail("PREFERRED_CONFLICT", "two variants are preferred");
  const only = preferred[0];
  if (only !== undefined && only.variant_id !== op.default_variant_id) {
    fail("PREFERRED_CONFLICT", "the preferred variant is not the default");
  }
}

function checkShapeVersion(
  version: unknown,
  context: { name: string; fail: (code: CatalogErrorCode, detail: string) => never },
): void {
  if (version === undefined || version === null || (typeof version === "number" && version <= 0)) {
    context.fail("CATALOG_FIELD_REQUIRED", context.name);
  }
  if (!isSupported(version)) {
    context.fail(
      "CATALOG_SCHEMA_UNSUPPORTED",
      `${context.name} ${JSON.stringify(version)}; supported: ${SUPPORTED_SCHEMA_VERSIONS}`,
    );
  }
}

function isSupported(version: unknown): boolean {
  return typeof version === "number" && Number.isInteger(version) &&
    SUPPORTED_SCHEMA_VERSIONS.includes(version);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isTimestamp(value: unknown): boolean {
  return typeof value === "string" &&
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/.test(value) &&
    !Number.isNaN(Date.parse(value));
}
