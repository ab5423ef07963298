/** The catalog's shipped files, read on demand (spec 04 §2.1). */

import { readAsset, readAssetText } from "../assets/mod.ts";

/** The catalog exactly as built; `gum://catalog` serves these bytes. */
export function embeddedCatalogBytes(): Uint8Array<ArrayBuffer> {
  return readAsset("catalog/catalog.json");
}

/** The same as text. Throws like a file that is not there when this build has none. */
export function embeddedCatalogText(): string {
  return readAssetText("catalog/catalog.json");
}

/** SHA-256 of the catalog in lower-case hex, as the generator wrote it beside the catalog. */
export function embeddedCatalogSha256(): string {
  return readAssetText("catalog/catalog.json.sha256").slice(0, 64);
}

/** The search index file. */
export function embeddedIndexBytes(): Uint8Array<ArrayBuffer> {
  return readAsset("catalog/index/bm25.bin");
}

/** Text of a shipped request schema; undefined when there is none. The ref must be grammar-checked. */
export function embeddedSchemaText(ref: string): string | undefined {
  try {
    return readAssetText(`catalog/schemas/${ref}.json`);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
