/**
 * All pages of a list, in a loop around `dispatch` (spec 02 §8.3). Every page is a call of its own,
 * with its cache lookup, limiter token, audit and gain row; what was gathered is shaped once, so
 * that sorting, removing duplicates and limits act on the whole.
 */

import type { CatalogSnapshot } from "../catalog/types.ts";
import type { Clock } from "../clock/mod.ts";
import { findGumError, GumError } from "../errors/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/mod.ts";
import { mergedPages } from "./page_merge.ts";
import { type Page, pageBody, type PageScheme, pageSchemeOf } from "./page_scheme.ts";
import type { Invocation, Kernel, PageStop, PaginationFacts, ShapedResponse } from "./types.ts";

/** Bytes of pages that a loop keeps in memory. */
const GATHERED_BYTES = 64 * 1024 * 1024;

const DEFAULT_PAGE_LIMIT = 10;
const DEFAULT_DELAY_MS = 100;
const DEFAULT_RATE_WAIT_MS = 1000;

/** What a loop is made from. */
export interface PageLoopDeps {
  dispatch: Kernel["dispatch"];
  catalog: CatalogSnapshot;
  clock: Clock;
  /** Key of the array that holds an object's records (spec 03 §3.5). */
  recordKey: (object: JsonObject) => string | undefined;
}

/** Where a loop ends. */
export interface PageLimits {
  /** Pages fetched; 0 = no limit; default 10. */
  pageLimit?: number;
  /** Stop fetching once this many records came; the rest of that page is dropped. */
  items?: number;
  /** Milliseconds between pages; default 100. */
  delayMs?: number;
  /** Bytes kept; default {@link GATHERED_BYTES}. */
  gatheredBytes?: number;
}

/** One page as it arrived. */
export interface ArrivedPage {
  /** From 1. */
  number: number;
  /** The records of this page, at most as many as may still come. */
  records: JsonValue[];
  /** The page's body, its records as above. */
  body: JsonValue;
  warnings: readonly string[];
}

/** How a loop ended. */
export interface PageLoopEnd {
  facts: PaginationFacts;
  warnings: string[];
  /** What a later page failed with; the pages before it are good. */
  error?: GumError;
}

/** The answer of {@link dispatchPages}. */
export interface GatheredResponse {
  response: ShapedResponse;
  /** What a later page failed with: the response holds the pages before it. */
  error?: GumError;
}

/**
 * Fetches every page, then shapes the whole. `invocation` is that of the first page; a token in its
 * arguments says where to begin.
 *
 * @throws GumError when the first page fails, or when the operation has no pages.
 */
export async function dispatchPages(
  deps: PageLoopDeps,
  request: { invocation: Invocation; limits?: PageLimits },
  signal?: AbortSignal,
): Promise<GatheredResponse> {
  const gathered = mergedPages(deps.recordKey);
  const warnings = new Set<string>();
  const onPage = (page: ArrivedPage) => {
    gathered.add(page.body);
    for (const warning of page.warnings) warnings.add(warning);
  };
  const end = await eachPage(deps, { ...request, keep: true, onPage }, signal);
  for (const warning of end.warnings) warnings.add(warning);
  // A caller who gave up still gets what came: shaping sends nothing.
  const response = await deps.dispatch({
    ...request.invocation,
    shaping: {
      kind: "gathered",
      body: new TextEncoder().encode(JSON.stringify(gathered.whole())),
      pages: end.facts.pages,
      ...(request.limits?.items === undefined ? {} : { items: request.limits.items }),
    },
  });
  return {
    response: {
      ...response,
      pagination: end.facts,
      validationWarnings: [...new Set([...warnings, ...response.validationWarnings])],
    },
    ...(end.error === undefined ? {} : { error: end.error }),
  };
}

/**
 * Fetches page after page and hands each to `onPage`, for callers who print while pages arrive.
 * With `keep` the loop ends at the size limit, because what comes is held in memory.
 *
 * @throws GumError when the first page fails, or when the operation has no pages.
 */
export async function eachPage(
  deps: PageLoopDeps,
  request: {
    invocation: Invocation;
    limits?: PageLimits;
    keep?: boolean;
    onPage: (page: ArrivedPage) => void | Promise<void>;
  },
  signal?: AbortSignal,
): Promise<PageLoopEnd> {
  const { invocation, limits = {}, onPage } = request;
  const { pageLimit = DEFAULT_PAGE_LIMIT, delayMs = DEFAULT_DELAY_MS } = limits;
  requireRead(invocation);
  const scheme = pageSchemeOf(deps.catalog, invocation);
  const batchId = invocation.batch?.batchId ?? crypto.randomUUID();
  const run: LoopRun = { deps, invocation, scheme, batchId, signal };
  const seen = new Set<string>();
  const start = scheme.tokenIn(invocation.args);
  if (start !== undefined) seen.add(`${start}`);
  const state: LoopState = { pages: 0, items: 0, bytes: 0, token: start };
  const warnings: string[] = [];
  const ended = (stop?: PageStop, error?: GumError): PageLoopEnd => ({
    facts: factsOf(state, stop),
    warnings,
    ...(error === undefined ? {} : { error }),
  });
  for (;;) {
    let page: Page;
    try {
      if (state.pages > 0) await deps.clock.sleep(delayMs, signal);
      page = await fetchPage(run, state);
    } catch (thrown) {
      if (state.pages === 0) throw thrown;
      if (signal?.aborted) return ended("abort");
      const error = findGumError(thrown);
      if (error === undefined) throw thrown;
      return ended("error", error);
    }
    state.pages++;
    state.bytes += page.bytes;
    state.key ??= page.key;
    const room = limits.items === undefined ? Infinity : limits.items - state.items;
    const records = page.records.slice(0, room);
    state.items += records.length;
    const cut = records.length < page.records.length;
    await onPage({
      number: state.pages,
      records,
      body: cut ? withRecords(page, records) : page.body,
      warnings: page.warnings,
    });
    const next = page.next;
    state.token = next;
    if (cut) {
      // The token of this page leads past records that were dropped.
      state.token = page.token;
      return ended("item_limit");
    }
    if (next === undefined) return ended();
    if (seen.has(`${next}`)) {
      warnings.push("the service gave a page token that it gave before; the loop was ended there");
      return ended("repeated_token");
    }
    seen.add(`${next}`);
    if (limits.items !== undefined && state.items >= limits.items) return ended("item_limit");
    if (pageLimit > 0 && state.pages >= pageLimit) return ended("page_limit");
    const cap = limits.gatheredBytes ?? GATHERED_BYTES;
    if (request.keep && state.bytes >= cap) return ended("size_limit");
    if (signal?.aborted) return ended("abort");
  }
}

interface LoopRun {
  deps: PageLoopDeps;
  invocation: Invocation;
  scheme: PageScheme;
  batchId: string;
  signal: AbortSignal | undefined;
}

interface LoopState {
  pages: number;
  items: number;
  bytes: number;
  token: string | number | undefined;
  /** Where the pages so far had their records. */
  key?: string;
}

function requireRead(invocation: Invocation): void {
  if (!invocation.allowWrite && !invocation.allowDestructive) return;
  throw new GumError("INVALID_ARGS", {
    message: "only read operations have pages to follow",
    details: {
      op_id: invocation.opId,
      field: "page_all",
      missing: [],
      unknown: [],
      type_errors: [],
    },
    suggestion: "Leave out the page flags.",
  });
}

function factsOf(state: LoopState, stop: PageStop | undefined): PaginationFacts {
  return {
    pages: state.pages,
    items: state.items,
    complete: stop === undefined,
    ...(stop === undefined || state.token === undefined
      ? {}
      : { next_page_token: `${state.token}` }),
    ...(stop === undefined ? {} : { stopped_by: stop }),
  } as PaginationFacts;
}

/** One page; "slow down" is waited for once. */
async function fetchPage(run: LoopRun, state: LoopState): Promise<Page> {
  const { deps, invocation, scheme, batchId, signal } = run;
  const dispatch = async () =>
    pageBody(
      await deps.dispatch({
        ...invocation,
        args: state.token === undefined
          ? invocation.args
          : scheme.withToken(invocation.args, state.token),
        // Shaping waits for the whole, and an answer "unchanged" would have no records.
        diffOnlyAllowed: false,
        shaping: { kind: "page", tokenField: scheme.maskField },
        batch: { batchId, index: state.pages },
      }, signal),
      { scheme, recordKey: deps.recordKey, knownKey: state.key, token: state.token },
    );
  try {
    return await dispatch();
  } catch (thrown) {
    const limited = findGumError(thrown, "RATE_LIMITED");
    if (limited === undefined || limited.details.quota_exhausted === true) throw thrown;
    const asked = limited.details.retry_after_ms;
    await deps.clock.sleep(typeof asked === "number" ? asked : DEFAULT_RATE_WAIT_MS, signal);
    return await dispatch();
  }
}

function withRecords(page: Page, records: JsonValue[]): JsonValue {
  if (!isJsonObject(page.body) || page.key === undefined) return records;
  return { ...page.body, [page.key]: records };
}
