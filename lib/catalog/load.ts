/** The embedded catalog, parsed once a process (spec 04 §3.1). */

import { parseJson } from "../json/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { isJsonObject } from "../json/mod.ts";
import { defaultLogger, type Logger } from "../log/mod.ts";
import { embeddedCatalogBytes, embeddedSchemaText } from "./embedded.ts";
import { parseCatalog } from "./parse.ts";
import { isSchemaRef } from "./validate/ids.ts";
import type { Catalog } from "./types.ts";

/** A catalog without operations: nothing is found, nothing throws. */
export const EMPTY_CATALOG: Catalog = {
  catalog_schema_version: 1,
  generated_at: "1970-01-01T00:00:00Z",
  generator_version: "none",
  ops: [],
};

let embedded: Catalog | undefined;

/**
 * The catalog of this build. A build without a readable one gives {@link EMPTY_CATALOG} and one
 * warning.
 *
 * @throws GumError when the bytes are a catalog of another version.
 */
export function loadCatalog(logger: Logger = defaultLogger()): Catalog {
  return embedded ??= readCatalog(embeddedCatalogBytes, logger);
}

/** Parses what `read` gives; no bytes and no JSON are an empty catalog. */
export function readCatalog(read: () => Uint8Array, logger: Logger): Catalog {
  try {
    return parseCatalog(read());
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof Deno.errors.NotFound)) throw error;
    logger.log("warn", "this build has no readable catalog", { reason: error.message });
    return EMPTY_CATALOG;
  }
}

/** A shipped request schema by its served ref; undefined for unknown and malformed refs. */
export function embeddedRequestSchema(ref: string): JsonObject | undefined {
  if (!isSchemaRef(ref)) return undefined;
  const text = embeddedSchemaText(ref);
  if (text === undefined) return undefined;
  const document = parseJson(text);
  return isJsonObject(document) ? document : undefined;
}
