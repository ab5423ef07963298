/** Token figures of replayed fixtures (spec 07 §3.13, §3.16). */

import { type BatchElement, batchEnvelope, withoutNamedMask } from "../../code/mod.ts";
import { sha256Hex } from "../../digest/mod.ts";
import { encodeCompact, jcs } from "../../format/mod.ts";
import { type JsonValue, parseJson } from "../../json/mod.ts";
import type { TokenCounter } from "../../tokens/mod.ts";
import { BATCH_OP } from "../entry.ts";
import type { FixtureKernel, ReplayedCall } from "./fixture_kernel.ts";
import type { Category, RecordedCall, RecordedRequest, ReplayFormat } from "./types.ts";

/** Largest output of a script, as code mode has it; envelopes of the set stay below. */
const ROOM = 64 * 1024 * 1024;

/** One row of the replay: a call, or the envelope around a batch. */
export interface MeasuredRow {
  opId: string;
  /** The GUM tool that carries the call. */
  tool: string;
  /** Tokens of the answer, compact: the conservative baseline. */
  raw: number;
  /** Tokens of the answer as it was sent. */
  rawAsSent: number;
  shaped: number;
  /** What GUM asked for it, on outer rows. */
  requestTokens: number;
  /**
   * Tokens of the shaped body in the compact TOON form (spec 03 §3.12.2): no header, no notice. A
   * diagnostic; GUM never sends these bytes, and nothing is decided by them.
   */
  compactToon?: number;
}

/** A replayed fixture. */
export interface MeasuredFixture {
  path: string;
  category: string;
  rows: MeasuredRow[];
  /** The text of the tool result. */
  text: string;
  /** Formats of the answers, errors as `error`. */
  formats: string[];
}

/** Counts each text once: both passes share the recorded side. */
export function rememberingCounter(count: TokenCounter): TokenCounter {
  const known = new Map<string, number>();
  return (text) => {
    let tokens = known.get(text);
    if (tokens === undefined) known.set(text, tokens = count(text));
    return tokens;
  };
}

/** What is measured: a call, or the elements of a batch. */
export interface MeasurableFixture {
  path: string;
  category: Category;
  calls: readonly RecordedCall[];
}

/** How fixtures are measured. */
export interface MeasureOptions {
  kernel: FixtureKernel;
  format: ReplayFormat;
  count: TokenCounter;
  /** Measures the compact TOON form, too. */
  compact?: boolean;
  toolOf(request: RecordedRequest): string;
}

/** Replays one fixture and counts both sides. */
export async function measureFixture(
  fixture: MeasurableFixture,
  options: MeasureOptions,
): Promise<MeasuredFixture> {
  const { path, category, calls } = fixture;
  const { kernel, format } = options;
  const replayed: ReplayedCall[] = [];
  for (const call of calls) replayed.push(await kernel.run(call, format));
  const isBatch = category === "gum_parallel_batch";
  const rows = calls.map((call, index): MeasuredRow => ({
    opId: call.request.op_id,
    tool: isBatch ? "gum.code" : options.toolOf(call.request),
    ...rawTokens(call, options.count),
    shaped: options.count(replayed[index]?.text ?? ""),
    requestTokens: 0,
    ...(options.compact ? { compactToon: compactTokens(replayed[index], options.count) } : {}),
  }));
  const formats = replayed.map((result) =>
    result.kind === "answer" ? result.response.format : "error"
  );
  if (!isBatch) {
    return {
      path,
      category,
      rows,
      text: replayed[0]?.text ?? "",
      formats,
    };
  }
  const { text, outer } = await batchOf(fixture, { replayed, rows, options });
  return { path, category, rows: [...rows, outer], text, formats };
}

function rawTokens(call: RecordedCall, count: TokenCounter): { raw: number; rawAsSent: number } {
  if (call.body.trim() === "") return { raw: 0, rawAsSent: 0 };
  return {
    raw: count(JSON.stringify(parseJson(call.body))),
    rawAsSent: count(call.body),
  };
}

async function batchOf(
  fixture: MeasurableFixture,
  work: { replayed: readonly ReplayedCall[]; rows: MeasuredRow[]; options: MeasureOptions },
): Promise<{ text: string; outer: MeasuredRow }> {
  const { count, kernel, format } = work.options;
  const request = elementsText(fixture.calls, format);
  const elements = fixture.calls.map((call, index): BatchElement =>
    withoutNamedMask({
      opId: call.request.op_id,
      variantId: kernel.variantIdOf(call.request.op_id),
      result: resultOf(work.replayed[index]),
    })
  );
  const text = JSON.stringify(
    batchEnvelope(await batchIdOf(elementsText(fixture.calls)), elements, ROOM),
  );
  const inner = work.rows.reduce((sum, row) => sum + row.shaped, 0);
  const requestTokens = count(request);
  const response = Math.max(0, count(text) - inner);
  return {
    text,
    outer: {
      opId: BATCH_OP,
      tool: "gum.code",
      raw: 0,
      rawAsSent: 0,
      shaped: requestTokens + response,
      requestTokens,
    },
  };
}

function compactTokens(replayed: ReplayedCall | undefined, count: TokenCounter): number {
  if (replayed?.kind !== "answer") return count(replayed?.text ?? "");
  const { structuredContent } = replayed.response;
  return structuredContent === undefined ? 0 : count(encodeCompact(structuredContent));
}

function resultOf(replayed: ReplayedCall | undefined): BatchElement["result"] {
  if (replayed === undefined) return { kind: "cancelled" };
  return replayed.kind === "answer"
    ? { kind: "answer", response: replayed.response }
    : { kind: "failure", error: replayed.error };
}

/** The elements as the caller writes them; JSON is what a batch answers unless asked otherwise. */
export function elementsText(
  calls: readonly RecordedCall[],
  format: ReplayFormat = "json",
): string {
  const elements = calls.map(({ request }) => ({
    op_id: request.op_id,
    args: request.args,
    ...(format === "json" ? {} : { format }),
  }));
  return jcs({ elements } as JsonValue);
}

/** A batch's id: drawn at random when it ran, here from its elements. */
export async function batchIdOf(elements: string): Promise<string> {
  return (await sha256Hex(elements)).slice(0, 8);
}
