/** Reading catalog bytes: the version gates every load passes (spec 04 §2.2). */

import { GumError } from "../errors/mod.ts";
import { isJsonObject } from "../json/mod.ts";
import type { AuthStrategy, Catalog, Op, Variant } from "./types.ts";

const SUPPORTED = [1];

/** Keys that belong inside a binding; on a variant they mean a catalog of another layout. */
const BINDING_KEYS = [
  "adapter_key",
  "operation_key",
  "http",
  "proto_service",
  "proto_method",
  "sdk_resource",
  "sdk_method",
  "plugin_name",
  "tool_name",
  "rpc_service",
  "rpc_method",
  "routing_headers",
  "bindings",
];

/**
 * Decodes a catalog and refuses one this program does not understand. The deeper rules are the
 * validator's; the shipped bytes are a build product and passed them.
 *
 * @throws SyntaxError when the bytes are not JSON.
 * @throws GumError `CATALOG_SCHEMA_UNSUPPORTED`, `BINDING_SCHEMA_UNSUPPORTED` or
 * `CATALOG_FIELD_REQUIRED`, naming the operation and variant.
 */
export function parseCatalog(bytes: Uint8Array | string): Catalog {
  const text = typeof bytes === "string" ? bytes : new TextDecoder().decode(bytes);
  const parsed: unknown = JSON.parse(text);
  if (!isJsonObject(parsed)) throw unsupported("catalog_schema_version", { found: null });
  requireVersion("catalog_schema_version", parsed.catalog_schema_version);
  if (!Array.isArray(parsed.ops)) throw missing("ops", {});
  const catalog = parsed as unknown as Catalog;
  catalog.ops.forEach(checkOpVersions);
  return { ...catalog, ops: catalog.ops.map(withCurrentNames) };
}

/**
 * The gates for one operation, as applied to the embedded catalog and to plugin rows.
 *
 * @throws GumError with the codes of {@link parseCatalog}.
 */
export function checkOpVersions(op: Op): void {
  const place: Place = { op_id: textOr(op.op_id) };
  requirePositive("op_schema_version", { found: op.op_schema_version, place });
  requireVersion("op_schema_version", op.op_schema_version, place);
  if (!Array.isArray(op.variants)) throw missing("variants", place);
  for (const variant of op.variants) checkVariantVersions(variant, place);
}

/** Replaces names that older catalogs used: `service_account_key` is `service_account`. */
export function withCurrentNames(op: Op): Op {
  const outdated = (variant: Variant) => (variant.auth_strategy as string) === OLD_SERVICE_ACCOUNT;
  if (!op.variants.some(outdated)) return op;
  const auth_strategy: AuthStrategy = "service_account";
  return {
    ...op,
    variants: op.variants.map((variant) =>
      outdated(variant) ? { ...variant, auth_strategy } : variant
    ),
  };
}

const OLD_SERVICE_ACCOUNT = "service_account_key";

interface Place {
  op_id?: string;
  variant_id?: string;
}

function checkVariantVersions(variant: Variant, opPlace: Place): void {
  const place: Place = { ...opPlace, variant_id: textOr(variant.variant_id) };
  requirePositive("variant_schema_version", { found: variant.variant_schema_version, place });
  requireVersion("variant_schema_version", variant.variant_schema_version, place);
  for (const key of BINDING_KEYS) {
    if (Object.hasOwn(variant, key)) {
      throw new GumError("CATALOG_SCHEMA_UNSUPPORTED", {
        message: `${label(place)}: "${key}" belongs inside "binding"`,
        details: { ...place, field: key },
        suggestion: UPDATE,
      });
    }
  }
  if (variant.binding !== undefined) checkBinding(variant.binding, place);
  else if (isExecutable(variant)) {
    throw new GumError("CATALOG_SCHEMA_UNSUPPORTED", {
      message: `${label(place)}: an executable variant needs one binding`,
      details: { ...place, field: "binding" },
      suggestion: UPDATE,
    });
  }
}

function checkBinding(binding: unknown, place: Place): void {
  if (!isJsonObject(binding)) {
    throw new GumError("CATALOG_SCHEMA_UNSUPPORTED", {
      message: `${label(place)}: a variant has exactly one binding`,
      details: { ...place, field: "binding" },
      suggestion: UPDATE,
    });
  }
  const found = binding.binding_schema_version;
  if (isSupported(found)) return;
  throw new GumError("BINDING_SCHEMA_UNSUPPORTED", {
    message: `${label(place)}: binding_schema_version ${shown(found)} is not supported`,
    details: { ...place, found: shown(found), supported: SUPPORTED },
    suggestion: UPDATE,
  });
}

function isExecutable(variant: Variant): boolean {
  const support = variant.execution_support ?? "full";
  return support === "full" || support === "partial";
}

function requireVersion(field: string, found: unknown, place: Place = {}): void {
  if (!isSupported(found)) throw unsupported(field, { found, place });
}

/** Absent and non-positive numbers mean that the field was never filled in. */
function requirePositive(field: string, { found, place }: { found: unknown; place: Place }): void {
  if (found === undefined || (typeof found === "number" && found <= 0)) throw missing(field, place);
}

function isSupported(found: unknown): boolean {
  return typeof found === "number" && SUPPORTED.includes(found);
}

const UPDATE = "Update GUM, or install the matching build again.";

function unsupported(field: string, { found, place = {} }: { found: unknown; place?: Place }) {
  return new GumError("CATALOG_SCHEMA_UNSUPPORTED", {
    message: `${label(place)}: ${field} ${shown(found)} is not supported`,
    details: { ...place, field, found: shown(found), supported: SUPPORTED },
    userMessage: "This catalog was made for another version of GUM.",
    suggestion: UPDATE,
  });
}

function missing(field: string, place: Place): GumError {
  return new GumError("CATALOG_FIELD_REQUIRED", {
    message: `${label(place)}: ${field} is required`,
    details: { ...place, field },
    suggestion: UPDATE,
  });
}

function label(place: Place): string {
  if (place.op_id === undefined) return "catalog";
  return place.variant_id === undefined ? place.op_id : `${place.op_id} ${place.variant_id}`;
}

function shown(found: unknown): string {
  return found === undefined ? "(missing)" : JSON.stringify(found);
}

function textOr(value: unknown): string {
  return typeof value === "string" ? value : "(unnamed)";
}
