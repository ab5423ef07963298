/** Operations that show whether a change happened, or which ids exist (spec 02 §8.4). */

import type { CatalogSnapshot } from "../../catalog/types.ts";

/** The reading neighbours of an operation, where the catalog has them. */
export interface Siblings {
  get?: string;
  list?: string;
}

/** Finds `get` and `list` beside an operation: `drive.files.get` beside `drive.files.create`. */
export function siblingsOf(catalog: CatalogSnapshot, opId: string): Siblings {
  const resource = opId.slice(0, opId.lastIndexOf(".") + 1);
  const known = (verb: string) => catalog.findOp(resource + verb)?.op_id;
  return { get: known("get"), list: known("list") };
}
