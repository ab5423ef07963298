/** `gum.search_apis` (spec 01 §3.8.1): ranked operations as five string columns. */

import { HIDDEN_HINT, type SearchHit, searchRow } from "../lib/catalog/mod.ts";
import { GumError } from "../lib/errors/mod.ts";
import { encodeToonDocument } from "../lib/format/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import type { ConnectedSurface } from "./surface.ts";
import type { ToolCall, ToolResult } from "./types.ts";

const TOOL = "gum.search_apis";
const VARIANT = "gum.search_apis.v1";
const COLUMNS = ["api", "expected_response", "op", "params_required", "summary"];
const SUMMARY_CHARS = 80;
const MAX_CANDIDATES = 50;
const NO_MATCH = "No matching operations found. Try a broader query.";

/** Runs a search. Nothing is sent upstream and nothing is recorded. */
export function searchApis(surface: ConnectedSurface, call: ToolCall): ToolResult {
  const { tuning } = surface;
  const asked = typeof call.args.k === "number" ? call.args.k : tuning.searchK;
  const cap = tuning.searchMaxItems ?? asked;
  const hits = ranked(surface, String(call.args.query), Math.min(MAX_CANDIDATES, 5 * cap));
  const rows = hits.slice(0, cap).map((hit) => tableRow(surface, hit));
  const expression: JsonObject = {
    profile: TOOL,
    op_id: TOOL,
    variant_id: VARIANT,
    lossy: true,
    result_count: rows.length,
    omitted_count: hits.length - rows.length,
  };
  const hidden = hiddenMatch(surface, String(call.args.query));
  if (hidden !== undefined) expression.hidden_match = hidden;
  const notice = hidden === undefined
    ? []
    : [{ type: "text" as const, text: `${hidden} would match best. ${HIDDEN_HINT}` }];
  const document = rows.length === 0
    ? undefined
    : encodeToonDocument(rows, { op: TOOL, variant: VARIANT, columns: COLUMNS });
  if (document === undefined) {
    return {
      content: [{ type: "text", text: NO_MATCH }, ...notice],
      structuredContent: {
        format: "json",
        data: NO_MATCH,
        _expression: { ...expression, on_empty_message: NO_MATCH },
      },
    };
  }
  return {
    content: [{ type: "text", text: document }, ...notice],
    structuredContent: { format: "toon", toon: document, _expression: expression },
  };
}

function ranked(surface: ConnectedSurface, query: string, limit: number): SearchHit[] {
  if (surface.catalog.ops.length === 0) return [];
  try {
    return surface.session.search().search(query, limit);
  } catch (cause) {
    throw new GumError("SERVICE_DOWN", {
      message: "the search index could not be built",
      userMessage: "Searching the catalog failed.",
      suggestion: "Report this; operations can still be called by their id.",
      details: { tool: TOOL, source_error_code: "BM25_BUILD_FAILED" },
      retryable: false,
      cause,
    });
  }
}

/** What the profile hides, when it would have come first: otherwise nobody learns that it exists. */
function hiddenMatch(surface: ConnectedSurface, query: string): string | undefined {
  if (surface.catalog.ops.length === 0) return undefined;
  return surface.session.search().hiddenBest?.(query);
}

function tableRow(surface: ConnectedSurface, hit: SearchHit): JsonObject {
  const op = surface.catalog.findOp(hit.op_id);
  if (op === undefined) return { op: hit.op_id, summary: shorten(hit.summary, SUMMARY_CHARS) };
  const cells = Object.entries(searchRow(op)).map(([column, text]: [string, string]) => [
    column,
    shorten(text, column === "summary" ? SUMMARY_CHARS : surface.tuning.searchTruncateChars),
  ]);
  return Object.fromEntries(cells);
}

/** At most `limit` code points, the last one an ellipsis when something was cut. */
function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const points = [...text];
  return points.length <= limit ? text : points.slice(0, limit - 1).join("") + "…";
}
