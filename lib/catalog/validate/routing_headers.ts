/** Routing headers of gRPC variants: paths into the request message (spec 04 §3.2 row 16). */
import { isJsonObject, type JsonObject } from "../../json/mod.ts";
import type { Variant } from "../types.ts";
import { CatalogError } from "./catalog_error.ts";
import { ROUTING_PATH_PATTERN } from "./ids.ts";

/**
 * Checks `binding.routing_headers`; the first bad entry is reported. Other backend kinds are
 * skipped.
 *
 * @throws CatalogError `GRPC_ROUTING_HEADER_*`.
 */
export function checkRoutingHeaders(
  variant: Variant,
  context: { opId: string; requestSchema: (ref: string) => JsonObject | undefined },
): void {
  const headers = variant.binding?.routing_headers;
  if (variant.backend_kind !== "grpc-sdk" || headers === undefined) return;
  const place = { opId: context.opId, variantId: variant.variant_id };
  if (headers.length === 0) {
    throw new CatalogError(
      "GRPC_ROUTING_HEADER_NOT_REQUIRED",
      "routing_headers is empty; leave it out",
      place,
    );
  }
  const schema = variant.binding?.request_ref === undefined
    ? undefined
    : context.requestSchema(variant.binding.request_ref);
  const seen = new Set<string>();
  for (const path of headers) {
    if (typeof path !== "string" || !ROUTING_PATH_PATTERN.test(path)) {
      throw new CatalogError("GRPC_ROUTING_HEADER_INVALID", JSON.stringify(path), place);
    }
    if (seen.has(path)) throw new CatalogError("GRPC_ROUTING_HEADER_DUPLICATE", path, place);
    seen.add(path);
    if (schema === undefined || !resolves(schema, path)) {
      throw new CatalogError(
        "GRPC_ROUTING_HEADER_NOT_FOUND",
        schema === undefined ? `${path}: no request schema` : path,
        place,
      );
    }
  }
}

/** Walks `properties`; array elements are never entered. */
function resolves(schema: JsonObject, path: string): boolean {
  let level: JsonObject = schema;
  for (const name of path.split(".")) {
    const properties = level.properties;
    if (!isJsonObject(properties) || !Object.hasOwn(properties, name)) return false;
    const next = properties[name];
    if (!isJsonObject(next)) return false;
    level = next;
  }
  return true;
}
