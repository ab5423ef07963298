/** Operation ids, service keys and schema refs of the long tail (spec 04 §10 "Ids"). */

import { requestRef } from "../validate/mod.ts";

const REF_LIMIT = 128;

/** Service key of an API name: `siteVerification` → `siteverification`. */
export function serviceKey(apiName: string): string {
  return apiName.replace(/[^A-Za-z0-9]/g, "").toLowerCase();
}

/**
 * Segments of a method id as op-id segments: hyphens and underscores become case boundaries
 * (`release_by_hash` → `releaseByHash`).
 */
export function operationTail(methodTail: string): string {
  return methodTail.replace(/[-_]+([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** API version as one segment of a variant id: `v2.1` → `v2_1`. */
export function versionSegment(version: string): string {
  return version.replaceAll(".", "_");
}

/** Served ref of an operation's arguments; over-long ones end in a digest of the id. */
export function longTailRef(opId: string): string {
  const ref = requestRef(opId);
  if (ref.length <= REF_LIMIT) return ref;
  let sum = 0x811c9dc5;
  for (let at = 0; at < opId.length; at++) sum = Math.imul(sum ^ opId.charCodeAt(at), 0x01000193);
  return `${ref.slice(0, 100)}.${(sum >>> 0).toString(16).padStart(8, "0")}.request`;
}

/** Family of a version: APIs such as Admin SDK and Merchant keep several under one name. */
export function versionFamily(version: string): string {
  return /^(.*?)_?v[0-9]/.exec(version)?.[1] ?? version;
}
