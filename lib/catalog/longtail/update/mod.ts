/**
 * Updating the long tail: a signed list of documents, the changed ones of it, a pack of the services
 * they belong to (spec 04 §10 "Freshness"). Curated operations are never touched.
 *
 * @module
 */
export { type DocumentList, verifiedList } from "./signed_list.ts";
export { rollBack, type UpdateContext, updateLongTail, type UpdateReport } from "./update.ts";
