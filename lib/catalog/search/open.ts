/** Opening the shipped index, once a process. */

import { findGumError, GumError } from "../../errors/mod.ts";
import { defaultLogger, type Logger } from "../../log/mod.ts";
import { embeddedCatalogSha256, embeddedIndexBytes } from "../embedded.ts";
import type { Op, OperationSearch, SearchHit, SearchWithin } from "../types.ts";
import { decodeIndex } from "./index_file.ts";
import type { LongTailSearch } from "../longtail/search.ts";
import type { LongTailExposure, PackSource } from "../longtail/types.ts";
import { mergeTiers } from "./merge.ts";
import { idsIn, namedFirst } from "./named.ts";
import { findTerm } from "./order.ts";
import { synonymsByStem } from "./query.ts";
import { createSearch, type CreateSearchOptions, type RankedHit, rowLimit } from "./rank.ts";
import type { SearchIndex } from "./types.ts";
import { reworded, type Vocabulary } from "./wording.ts";

/** A search that knows how much it searches. */
export interface LoadedSearch extends OperationSearch {
  /** Number of searchable operations; 0 when there is no catalog. */
  readonly size: number;
}

/** Options of {@link openSearch}. */
export interface OpenSearchOptions extends CreateSearchOptions {
  /** Operations of active plugins, added to the shipped ones in memory. */
  pluginOps?: readonly Op[];
  /** Receives one warning when the shipped index is unusable. Default: the process logger. */
  logger?: Logger;
  /** Where the index comes from; default: the shipped files. For tests and other builds. */
  source?: IndexSource;
  /**
   * The long tail beside the curated operations; absent or `off`: curated ones only. A build whose
   * pack cannot be read searches without it and logs one warning.
   */
  longTail?: { exposure: LongTailExposure; source?: PackSource; updates?: string };
}

/** An index file and what is needed to replace it. */
export interface IndexSource {
  indexBytes: () => Uint8Array;
  catalogSha256: () => string;
  /** Operations for a rebuild; default: the embedded catalog's. */
  ops?: readonly Op[];
}

const SHIPPED: IndexSource = {
  indexBytes: embeddedIndexBytes,
  catalogSha256: embeddedCatalogSha256,
};

let shippedIndex: Promise<SearchIndex | undefined> | undefined;

/**
 * Opens the search over the shipped catalog plus the given plugin operations. The file is decoded
 * once a process; when it is unusable the index is built from the catalog and one warning logged.
 *
 * @throws GumError `BM25_BUILD_FAILED` when neither way gives an index.
 */
export async function openSearch(options: OpenSearchOptions = {}): Promise<LoadedSearch> {
  const logger = options.logger ?? defaultLogger();
  // Asked for now and awaited below: it loads while the curated index is read.
  const pack = (options.longTail?.exposure ?? "off") === "off"
    ? undefined
    : import("../longtail/installed_search.ts");
  pack?.catch(() => undefined);
  const base = options.source === undefined
    ? await (shippedIndex ??= loadIndex(SHIPPED, logger))
    : await loadIndex(options.source, logger);
  if (base === undefined && (options.pluginOps ?? []).length === 0) return EMPTY_SEARCH;
  const index = await withPluginOps(base, options.pluginOps ?? []);
  const curated = createSearch(index, options);
  const synonyms = synonymsByStem(index.tables.synonyms);
  const longTail = await longTailSearch(synonyms, { ...options, logger, pack });
  const vocabulary = vocabularyOf(index, { synonyms, longTail });
  if (longTail === undefined) {
    return {
      size: index.docs.length,
      search(query, topK, within = {}) {
        if (within.tier === "long_tail") return [];
        const rows = curated.search(reworded(query, vocabulary), topK, within);
        return namedFirst(rows, curated.named(query).filter((hit) => isWithin(hit, within)))
          .slice(0, rowLimit(topK ?? 0));
      },
    };
  }
  // Whoever asks what is hidden has just searched for the same words.
  let last: { query: string; words: string; curated: RankedHit[]; shown: RankedHit[] } | undefined;
  const rank = (query: string, topK: number) => {
    const words = reworded(query, vocabulary);
    // How far a curated row is lifted depends on those below it, so all of them take part.
    last = {
      query,
      words,
      curated: curated.ranked(words, MAX_ROWS),
      shown: longTail.ranked(words, topK),
    };
    return last;
  };
  const rankWithin = (query: string, topK: number, within: SearchWithin) => {
    const words = reworded(query, vocabulary);
    return {
      curated: within.tier === "long_tail" ? [] : curated.ranked(words, MAX_ROWS, within),
      shown: within.tier === "curated" ? [] : longTail.ranked(words, topK, within),
    };
  };
  const named = (query: string): { shown: SearchHit[]; hidden?: string } => {
    const known = curated.named(query).map((hit) => ({ ...hit, tier: "curated" as const }));
    if (known.length > 0) return { shown: known };
    const found = idsIn(query).flatMap((id) => longTail.named(id) ?? []);
    const hidden = found.find((one) => one.hidden)?.hit.op_id;
    return {
      shown: found.filter((one) => !one.hidden).map(({ hit }) => hit),
      ...(hidden === undefined ? {} : { hidden }),
    };
  };
  return {
    size: index.docs.length + longTail.size,
    search(query, topK, within = {}) {
      const wanted = rowLimit(topK ?? 0);
      const rows = narrows(within) ? rankWithin(query, wanted, within) : rank(query, wanted);
      return namedFirst(
        mergeTiers(rows.curated, rows.shown),
        named(query).shown.filter((hit) => isWithin(hit, within)),
      ).slice(0, wanted);
    },
    hiddenBest(query) {
      const { shown, hidden: meant } = named(query);
      if (shown.length > 0 || meant !== undefined) return meant;
      const rows = last?.query === query ? last : rank(query, 1);
      const hidden = longTail.hiddenBest(rows.words);
      if (hidden === undefined) return undefined;
      const tail = [hidden, ...rows.shown.slice(0, 1)].sort((a, b) =>
        Math.round(b.coverage * 4) - Math.round(a.coverage * 4) || b.hit.score - a.hit.score
      );
      const [best] = mergeTiers(rows.curated, tail);
      return best?.op_id === hidden.hit.op_id ? best.op_id : undefined;
    },
  };
}

type Synonyms = ReadonlyMap<string, readonly string[]>;

function vocabularyOf(
  index: SearchIndex,
  { synonyms, longTail }: { synonyms: Synonyms; longTail: LongTailSearch | undefined },
): Vocabulary {
  const curated = (term: string) => synonyms.has(term) || findTerm(index.terms, term) >= 0;
  return {
    curated,
    known: (term) => curated(term) || longTail?.knows(term) === true,
    *terms() {
      yield* index.terms;
      yield* synonyms.keys();
    },
  };
}

function narrows({ service, tier }: SearchWithin): boolean {
  return service !== undefined || tier !== undefined;
}

function isWithin({ op_id, tier = "curated" }: SearchHit, within: SearchWithin): boolean {
  return (within.service === undefined || op_id.startsWith(`${within.service}.`)) &&
    (within.tier === undefined || within.tier === tier);
}

/** Curated rows that take part in a merge. */
const MAX_ROWS = 50;

async function longTailSearch(
  synonyms: Synonyms,
  options: OpenSearchOptions & {
    logger: Logger;
    pack: Promise<typeof import("../longtail/installed_search.ts")> | undefined;
  },
): Promise<LongTailSearch | undefined> {
  const { exposure = "off", source, updates } = options.longTail ?? {};
  if (exposure === "off" || options.pack === undefined) return undefined;
  try {
    const { openInstalledSearch } = await options.pack;
    return await openInstalledSearch({
      exposure,
      synonyms,
      logger: options.logger,
      ...(source === undefined ? {} : { source }),
      ...(updates === undefined ? {} : { updates }),
    });
  } catch (error) {
    options.logger.log("warn", "the long tail cannot be searched", {
      code: findGumError(error)?.code ?? "BM25_INDEX_CORRUPT",
      reason: error instanceof Error ? error.message : String(error),
    });
    return undefined;
  }
}

/** Reads an index, or builds it from the catalog; undefined when the catalog is empty. */
async function loadIndex(
  source: IndexSource,
  logger: Logger,
): Promise<SearchIndex | undefined> {
  let damaged: Uint8Array | undefined;
  let catalogSha256 = "";
  try {
    catalogSha256 = source.catalogSha256();
    damaged = source.indexBytes();
    return decodeIndex(damaged, { catalogSha256 });
  } catch (error) {
    logger.log("warn", "search index unusable, building it in memory", {
      code: findGumError(error)?.code ?? "BM25_INDEX_CORRUPT",
      reason: error instanceof Error ? error.message : String(error),
    });
  }
  try {
    const { rebuildIndex } = await import("./rebuild.ts");
    return await rebuildIndex({ damaged, catalogSha256, ops: source.ops });
  } catch (error) {
    throw buildFailed(error);
  }
}

const EMPTY_SEARCH: LoadedSearch = { size: 0, search: () => [] };

async function withPluginOps(
  base: SearchIndex | undefined,
  ops: readonly Op[],
): Promise<SearchIndex> {
  if (base !== undefined && ops.length === 0) return base;
  const { buildIndex, EMPTY_TABLES, extendIndex } = await import("./build.ts");
  return base === undefined
    ? buildIndex(ops, { catalogSha256: "", tables: EMPTY_TABLES })
    : extendIndex(base, ops);
}

function buildFailed(cause: unknown): GumError {
  return new GumError("BM25_BUILD_FAILED", {
    message: "the search index could not be built",
    userMessage: "Searching is not possible with this build.",
    suggestion: "Install GUM again; operations can still be called by their id.",
    cause,
  });
}

/**
 * A search that can be handed out while the index is still being read.
 *
 * @throws GumError from `search`: `SEARCH_INDEX_NOT_LOADED` until the index is there, or the error
 * that loading ended with.
 */
export function deferredSearch(loading: Promise<OperationSearch>): OperationSearch {
  let state: { search: OperationSearch } | { failure: unknown } | undefined;
  loading.then((search) => state = { search }, (failure) => state = { failure });
  return {
    search(query, topK, within) {
      if (state === undefined) throw notLoaded();
      if ("failure" in state) throw state.failure;
      return state.search.search(query, topK, within);
    },
    hiddenBest: (query) =>
      state !== undefined && "search" in state ? state.search.hiddenBest?.(query) : undefined,
  };
}

function notLoaded(): GumError {
  return new GumError("SEARCH_INDEX_NOT_LOADED", {
    message: "the search index is still being read",
    userMessage: "The search is not ready yet.",
    suggestion: "Repeat the request in a moment.",
    retryable: true,
  });
}
