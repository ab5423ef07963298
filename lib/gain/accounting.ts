/** Counting the tokens of calls, after their answers have left (spec 07 §3.9, §3.12, §3.13). */

import type { Clock } from "../clock/mod.ts";
import { sha256Hex } from "../digest/mod.ts";
import type { GainBatchRecord, GainRecord, GainSink } from "../dispatch/types.ts";
import { jcs } from "../format/jcs.ts";
import { defaultLogger, type Logger } from "../log/mod.ts";
import { countInSlices, loadTokenCounter } from "../tokens/mod.ts";
import { BATCH_OP, type GainEntry, operationFamily } from "./entry.ts";
import { openLedger } from "./ledger.ts";

const RETRY_WINDOW_MS = 300_000;
/** Calls remembered for the retry mark; older ones are out of the window anyway. */
const REMEMBERED_CALLS = 4_096;
/** Quiet time before counting begins, so that it never stands in front of an answer. */
const QUIET_MS = 200;
/** Longest stretch of counting in a hurry. */
const HURRIED_STRETCH_MS = 50;
/** Bodies held for counting; beyond it counting hurries until there is room. */
const HELD_BYTES = 64 * 1024 * 1024;

/** What accounting is made from. */
export interface AccountingOptions {
  /** `<data>/gum/<profile>`. */
  directory: string;
  clock: Clock;
  log?: Logger;
  /** Default: 8 random hex digits. */
  session?: string;
  /** Default 100 MiB. */
  rotateBytes?: number;
  /** Default 200 ms. */
  quietMs?: number;
}

/** Accounting of one session. */
export interface Accounting extends GainSink {
  /** The session's id in the ledger. */
  readonly session: string;
  recordBatch(batch: GainBatchRecord): void;
  /** Counts and writes everything recorded so far; never rejects. */
  flush(): Promise<void>;
  /** What the last append failed with; undefined when it went well. */
  failure(): string | undefined;
  /** {@link flush}, then closes the ledger. May be called twice. */
  close(): Promise<void>;
}

type Pending =
  | { kind: "call"; record: GainRecord; at: number; isRetry: boolean }
  | { kind: "batch"; record: GainBatchRecord; at: number };

/**
 * Opens accounting. Recording only notes the call; counting starts when the session has been quiet
 * for a moment, goes in short steps, and is finished by {@link Accounting.close}.
 */
export function openAccounting(options: AccountingOptions): Accounting {
  const { clock, quietMs = QUIET_MS } = options;
  const log = options.log ?? defaultLogger();
  const session = options.session ?? crypto.getRandomValues(new Uint8Array(16)).toHex().slice(0, 8);
  const ledger = openLedger({ ...options, log });
  const pending: Pending[] = [];
  const earlier = new Map<string, number>();
  const innerTokens = new Map<string, number>();
  let held = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pump: Promise<void> | undefined;
  let hurry = false;
  let lastNoted = -Infinity;
  let lastPause = -Infinity;
  let wake = () => {};
  let closed = false;
  let failure: string | undefined;

  const isPressed = () => hurry || held > HELD_BYTES;
  /** In a hurry pauses are few; without any, neither a deadline nor a second signal would be seen. */
  const pause = (): Promise<void> => {
    if (isPressed() && performance.now() - lastPause < HURRIED_STRETCH_MS) return Promise.resolve();
    return new Promise((resume) =>
      setTimeout(() => {
        lastPause = performance.now();
        resume();
      }, 0)
    );
  };
  /** Lets calls go first: counting one waits for quiet, though never longer than that takes. */
  const calm = (): Promise<void> => {
    const wait = lastNoted + quietMs - performance.now();
    if (isPressed() || wait <= 0) return Promise.resolve();
    return new Promise((resume) => {
      const timer = setTimeout(resume, wait);
      wake = () => {
        clearTimeout(timer);
        resume();
      };
    });
  };
  const counterOf = async () => {
    const count = await loadTokenCounter();
    return (content: string | Uint8Array) =>
      countInSlices(typeof content === "string" ? content : new TextDecoder().decode(content), {
        count,
        pause,
      });
  };
  const callEntry = async (
    item: Extract<Pending, { kind: "call" }>,
    tokens: (content: string | Uint8Array) => Promise<number>,
  ): Promise<GainEntry> => {
    const { record } = item;
    let raw = 0;
    for (const body of record.innerBodies ?? [record.rawBody]) raw += await tokens(body);
    const shaped = await tokens(record.shapedBody);
    const served = record.cacheStatus === "hit" || record.cacheStatus === "etag_304";
    if (record.batch !== undefined) {
      const { batchId } = record.batch;
      innerTokens.set(batchId, (innerTokens.get(batchId) ?? 0) + shaped);
    }
    return {
      session,
      op_id: record.opId,
      variant_id: record.variantId,
      output_profile: record.profileName === "_default" ? null : record.profileName,
      args_hash: record.argsHash,
      auth_subject_fingerprint: record.fingerprint,
      request_tokens: await tokens(jcs(record.request)),
      response_tokens: served ? 0 : raw,
      raw_tokens: raw,
      shaped_tokens: shaped,
      cache_status: record.cacheStatus,
      field_mask_status: record.fieldMaskStatus,
      served_from_cache: served,
      is_retry: item.isRetry,
      op_family: operationFamily(record.opId),
      baseline_method: "estimated",
      batch_id: record.batch?.batchId,
      batch_index: record.batch?.index,
      error_code: record.errorCode,
      cancelled: record.cancelled ? true : undefined,
      ts: new Date(item.at).toISOString(),
    };
  };
  const batchEntry = async (
    item: Extract<Pending, { kind: "batch" }>,
    tokens: (content: string | Uint8Array) => Promise<number>,
  ): Promise<GainEntry> => {
    const { record } = item;
    const elements = jcs({ elements: record.elements });
    const request = await tokens(elements);
    const inner = innerTokens.get(record.batchId) ?? 0;
    innerTokens.delete(record.batchId);
    const response = Math.max(0, await tokens(record.envelope) - inner);
    return {
      session,
      op_id: BATCH_OP,
      variant_id: null,
      output_profile: null,
      args_hash: await sha256Hex(elements),
      auth_subject_fingerprint: "batch",
      request_tokens: request,
      response_tokens: response,
      raw_tokens: 0,
      shaped_tokens: request + response,
      cache_status: "not_applicable",
      field_mask_status: "not_applicable",
      served_from_cache: false,
      is_retry: false,
      op_family: BATCH_OP,
      baseline_method: "estimated",
      batch_id: record.batchId,
      element_count: record.elements.length,
      cancelled: record.cancelled ? true : undefined,
      ts: new Date(item.at).toISOString(),
    };
  };
  const writeAll = async () => {
    lastPause = performance.now();
    for (let item = pending.shift(); item !== undefined; item = pending.shift()) {
      try {
        await calm();
        const tokens = await counterOf();
        const entry = item.kind === "call"
          ? await callEntry(item, tokens)
          : await batchEntry(item, tokens);
        await ledger.append(entry);
        failure = undefined;
      } catch (error) {
        failure = error instanceof Error ? error.message : String(error);
        log.log("warn", "gain_append_failed", { reason: failure });
      }
      held -= sizeOf(item);
      await pause();
    }
  };
  const start = () => {
    clearTimeout(timer);
    timer = undefined;
    return pump ??= writeAll().finally(() => pump = undefined);
  };
  const note = (item: Pending) => {
    if (closed) return;
    pending.push(item);
    held += sizeOf(item);
    lastNoted = performance.now();
    if (isPressed()) wake();
    clearTimeout(timer);
    timer = undefined;
    if (pump !== undefined) return;
    timer = setTimeout(start, held > HELD_BYTES ? 0 : quietMs);
    // A process with nothing else to do ends through close(), which does not wait for the timer.
    Deno.unrefTimer(timer);
  };
  /** Whether this session made the same call within the window; a clock may be set back. */
  const isRetry = (record: GainRecord, now: number): boolean => {
    const key = `${operationFamily(record.opId)} ${record.argsHash}`;
    const last = earlier.get(key);
    earlier.delete(key);
    earlier.set(key, now);
    if (earlier.size > REMEMBERED_CALLS) {
      for (const oldest of earlier.keys()) {
        earlier.delete(oldest);
        break;
      }
    }
    return last !== undefined && Math.abs(now - last) <= RETRY_WINDOW_MS;
  };
  const flush = async () => {
    hurry = true;
    wake();
    try {
      while (pending.length > 0 || pump !== undefined) await start();
    } finally {
      hurry = false;
    }
  };

  return {
    session,
    record(record) {
      const at = clock.now();
      note({ kind: "call", record, at, isRetry: isRetry(record, at) });
    },
    recordBatch(record) {
      note({ kind: "batch", record, at: clock.now() });
    },
    flush,
    failure: () => failure,
    async close() {
      closed = true;
      await flush();
      clearTimeout(timer);
      await ledger.close();
    },
  };
}

function sizeOf(item: Pending): number {
  if (item.kind === "batch") return item.record.envelope.length;
  const { rawBody, shapedBody, innerBodies = [] } = item.record;
  return innerBodies.reduce((sum, { length }) => sum + length, rawBody.length + shapedBody.length);
}
