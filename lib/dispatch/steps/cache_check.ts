/** Step 5: has this principal been given this answer already (spec 07 §3.1, §3.2). */

import { parseJson } from "../../json/mod.ts";
import { type Call, emit } from "../call.ts";
import { sha256Hex } from "../../digest/mod.ts";
import { CODE_OP } from "../policy/risk.ts";
import type { AuthorizedCall, CacheOutcome } from "../stages.ts";
import type { CachedBody } from "../types.ts";

/** Runs step 5. A cache that fails is a miss and a warning in the log. */
export async function cacheCheck(call: Call, authorized: AuthorizedCall): Promise<CacheOutcome> {
  if (!isCacheable(call, authorized)) return { kind: "not_applicable" };
  const key = await cacheKey(authorized);
  const { op: { service }, fingerprint } = authorized;
  // Looked at first: a write that ends after this makes the answer of this call an old one.
  const changes = call.deps.cache.changes?.({ service, fingerprint });
  const entry = await lookUp(call, key);
  if (entry === undefined) return { kind: "miss", key, changes };
  if (entry.fresh) return { kind: "hit", key, entry };
  return entry.etag === undefined
    ? { kind: "miss", key, changes }
    : { kind: "miss", key, changes, stale: { ...entry, etag: entry.etag } };
}

function isCacheable(call: Call, authorized: AuthorizedCall): boolean {
  const { op, resolved: { variant }, fingerprint } = authorized;
  return variant.risk_class === "read" && call.invocation.media === undefined &&
    op.op_id !== CODE_OP && !variant.capabilities.includes("lro_return") &&
    (variant.auth_strategy === "none" || fingerprint !== "") &&
    (call.deps.cache.cacheable?.(op.op_id) ?? true);
}

/** Operation, variant, arguments, mask and principal: change one and the answer is another one. */
function cacheKey(authorized: AuthorizedCall): Promise<string> {
  const { op, resolved: { variant }, wireArgs, wireCanonical, fingerprint } = authorized;
  const fields = typeof wireArgs.fields === "string" ? wireArgs.fields : "";
  return sha256Hex(
    [op.op_id, variant.variant_id, wireCanonical, fields, fingerprint].join("\u0000"),
  );
}

async function lookUp(call: Call, key: string): Promise<CachedBody | undefined> {
  try {
    const entry = await call.deps.cache.get(key);
    if (entry === undefined || isJson(entry.body)) return entry;
    await call.deps.cache.evict(key);
  } catch (error) {
    emit(call, {
      level: "warn",
      message: "cache_read_failed",
      fields: { request_id: call.requestId, reason: `${error}` },
    });
  }
  return undefined;
}

function isJson(body: Uint8Array): boolean {
  if (body.length === 0) return true;
  try {
    parseJson(new TextDecoder("utf-8", { fatal: true }).decode(body));
    return true;
  } catch {
    return false; // the row was damaged: it is dropped and fetched again
  }
}
