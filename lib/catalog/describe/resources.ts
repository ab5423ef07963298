/** Payloads of the catalog resources; the caller encodes them (spec 01 §3.11, 04 §3.17). */

import type { JsonObject } from "../../json/mod.ts";
import { isSchemaRef } from "../validate/ids.ts";
import type { CatalogSnapshot, Op, Variant } from "../types.ts";

/** Payload of `gum://op/{id}`: the whole record; undefined when the session does not see it. */
export function opResource(id: string, snapshot: CatalogSnapshot): Op | undefined {
  return snapshot.findOp(id);
}

/** Payload of `gum://variant/{id}`; undefined when the session does not see it. */
export function variantResource(
  id: string,
  snapshot: CatalogSnapshot,
): { op_id: string; variant: Variant } | undefined {
  const found = snapshot.findVariant(id);
  return found && { op_id: found.op.op_id, variant: found.variant };
}

/** What looking up `gum://schema/{ref}` gave. */
export type SchemaLookup =
  | { kind: "found"; ref: string; document: JsonObject }
  /** The ref is well-formed; an active plugin may still serve it. */
  | { kind: "absent"; ref: string; detail: string }
  | { kind: "malformed"; detail: string };

/**
 * Decodes the tail of a schema URI once, checks its grammar before anything is looked up, and asks
 * the snapshot.
 */
export function schemaResource(encodedRef: string, snapshot: CatalogSnapshot): SchemaLookup {
  const ref = decodeOnce(encodedRef);
  if (!isSchemaRef(ref)) {
    return { kind: "malformed", detail: "the schema ref does not match its grammar" };
  }
  const document = snapshot.requestSchema(ref);
  return document === undefined
    ? { kind: "absent", ref, detail: "the schema is not in active snapshot" }
    : { kind: "found", ref, document };
}

function decodeOnce(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray percent sign: the text as it came then fails the grammar.
    return text;
  }
}
