/**
 * Files that ship inside the program, read on demand (spec 04 §2.1). The only module that knows
 * where they are: next to the sources, or next to a bundle, or inside a compiled executable, whose
 * virtual file system keeps the repository's layout.
 *
 * @module
 */

// A bundle lives one folder below the repository root, this module two.
const root = new URL(
  import.meta.url.endsWith("/lib/catalog/embedded.ts") ? "../../" : "../",
  import.meta.url,
);

/**
 * Bytes of a shipped file by its path in the repository, such as `catalog/catalog.json`.
 *
 * @throws Deno.errors.NotFound when the build left it out.
 */
export function embeddedFile(path: string): Uint8Array<ArrayBuffer> {
  return Deno.readFileSync(new URL(path, root));
}

/** Text of a shipped file; see {@link embeddedFile}. */
export function embeddedText(path: string): string {
  return Deno.readTextFileSync(new URL(path, root));
}

/** The catalog exactly as built; `gum://catalog` serves these bytes. */
export function embeddedCatalogBytes(): Uint8Array<ArrayBuffer> {
  return embeddedFile("catalog/catalog.json");
}

/** SHA-256 of the catalog in lower-case hex, as the generator wrote it beside the catalog. */
export function embeddedCatalogSha256(): string {
  return embeddedText("catalog/catalog.json.sha256").slice(0, 64);
}

/** The search index file. */
export function embeddedIndexBytes(): Uint8Array<ArrayBuffer> {
  return embeddedFile("catalog/index/bm25.bin");
}

/** Text of a shipped request schema; undefined when there is none. The ref must be grammar-checked. */
export function embeddedSchemaText(ref: string): string | undefined {
  try {
    return embeddedText(`catalog/schemas/${ref}.json`);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
