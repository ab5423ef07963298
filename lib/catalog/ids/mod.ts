/**
 * The grammar of ids and refs, for whoever needs no more of the catalog.
 *
 * @module
 */

export { isSchemaRef, requestRef } from "../validate/ids.ts";
