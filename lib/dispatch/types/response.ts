/** The answer of a call (spec 02 §2.4). */

import type { JsonObject, JsonValue } from "../../json/mod.ts";
import type { OutputFormat } from "./invocation.ts";
import type { ExpressionMeta } from "./shaping.ts";

/** The answer of a call (spec 02 §2.4). */
export interface ShapedResponse {
  /** Encoded text for the caller. */
  body: Uint8Array;
  /** The format actually produced. */
  format: OutputFormat;
  /** The shaped tree (not the upstream tree); absent for raw. */
  structuredContent?: JsonValue;
  /** Absent on an `unchanged` answer. */
  expression?: ExpressionMeta;
  opId: string;
  variantId: string;
  /** The notice for each surface, computed once. */
  notice: { cli: string; mcp: string };
  fullResultPath?: string;
  fullResultResource?: string;
  fullResultSize?: number;
  artifactExpiresAt?: string;
  validationWarnings: string[];
  droppedPaths: string[];
  dedupedRows: number;
  limitedRows: number;
  annotationPaths: string[];
  /** 304 of a diff-only read. */
  unchanged?: { etag: string };
  /** What a page loop gathered (spec 02 §8.3). */
  pagination?: PaginationFacts;
  /** Upstream bytes before shaping, for token figures; absent on an `unchanged` answer. */
  upstreamBytes?: Uint8Array;
}

/** How far a page loop came; keys as they are shown. */
export type PaginationFacts = JsonObject & {
  pages: number;
  items: number;
  complete: boolean;
  next_page_token?: string;
  stopped_by?: PageStop;
};

/** Why a page loop ended before the last page. */
export type PageStop =
  | "page_limit"
  | "item_limit"
  | "size_limit"
  | "repeated_token"
  | "error"
  | "abort";
