/**
 * The fidelity gate: what a recorded answer looks like to a reader after masking, annotating and
 * shaping, whether the facts of a task are still there, and how many tokens it took.
 *
 * @module
 */

import { annotateAnswer } from "../lib/adapters/mod.ts";
import { loadCatalog } from "../lib/catalog/mod.ts";
import type { Op, Variant } from "../lib/catalog/types.ts";
import { decodeToonDocument, jcs, toonDocumentValue } from "../lib/format/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../lib/json/mod.ts";
import {
  assembleProfileResolver,
  parseFieldMask,
  projectByMask,
  type ResolvedProfile,
} from "../lib/profile/mod.ts";
import { shaper } from "../lib/shape/mod.ts";
import type { TokenCounter } from "../lib/tokens/mod.ts";

/** Recorded calls with their whole answers. */
export const BODIES = new URL("../testdata/fidelity/bodies/", import.meta.url);
/** What tasks need to find in them. */
const FACTS = new URL("../testdata/fidelity/facts/", import.meta.url);
/** Fixtures of the built-in profiles: answers with derived fields, as the shaper meets them. */
export const PROFILE_FIXTURES = new URL("../testdata/profiles/", import.meta.url);

const EMBEDDED = new URL("../lib/profile/embedded/", import.meta.url);

/** A recorded call. */
export interface RecordedCall {
  op: string;
  args: JsonObject;
  body: JsonValue;
}

/**
 * Something a task needs. `at` leads through the decoded result: a key, an index, or an object whose
 * members pick the first record that has them.
 */
export interface Fact {
  what: string;
  at: (string | number | JsonObject)[];
  /** The exact value, or … */
  is?: JsonValue;
  /** … a piece of a longer text, or … */
  has?: string;
  /** … a pattern in it. */
  matches?: string;
}

/** Facts of one fixture, from the point of view of one task. */
export interface FactSheet {
  task: string;
  facts: Fact[];
}

/** What became of one fixture. */
export interface FidelityResult {
  name: string;
  op: string;
  profile: string;
  format: string;
  facts: number;
  missing: string[];
  /** cl100k_base tokens of the whole answer as it came. */
  rawTokens: number;
  /** The same of the minified answer after the mask that GUM sends. */
  maskedTokens: number;
  shapedTokens: number;
}

/** Names of the fixtures that embedded profiles test themselves with. */
export function profileFixtureNames(): ReadonlySet<string> {
  const names = new Set<string>();
  for (const entry of Deno.readDirSync(EMBEDDED)) {
    const text = Deno.readTextFileSync(new URL(entry.name, EMBEDDED));
    for (const [, name] of text.matchAll(/testdata\/profiles\/(.+)\.json/g)) {
      if (name !== undefined) names.add(name);
    }
  }
  return names;
}

/** The whole answer with derived fields. */
export function annotatedBody(call: RecordedCall): JsonValue {
  return annotateAnswer({ opId: call.op, args: call.args }, call.body).body;
}

/** Everything a measurement needs, loaded once. */
export interface FidelityBench {
  countTokens: TokenCounter;
  variantOf(opId: string): { op: Op; variant: Variant };
  profileOf(opId: string): ResolvedProfile | undefined;
  /** What the service answers to the request that GUM sends. */
  maskedAnswer(call: RecordedCall): JsonValue;
}

/** Loads catalog and profiles. */
export async function openFidelityBench(countTokens: TokenCounter): Promise<FidelityBench> {
  const { ops } = loadCatalog();
  const resolver = await assembleProfileResolver();
  const variantOf = (opId: string) => {
    const op = ops.find((candidate) => candidate.op_id === opId);
    const variant = op?.variants.find(({ variant_id }) => variant_id === op.default_variant_id);
    if (op === undefined || variant === undefined) throw new Error(`no operation ${opId}`);
    return { op, variant };
  };
  const profileOf = (opId: string) => resolver.resolve(variantOf(opId)).profile;
  return {
    countTokens,
    variantOf,
    profileOf,
    maskedAnswer(call) {
      const profile = profileOf(call.op);
      const mask = profile?.field_mask_mode === "none"
        ? undefined
        : profile?.field_mask ?? variantOf(call.op).variant.default_fields;
      return mask === undefined ? call.body : maskedBody(call.body, mask);
    },
  };
}

/** Names of all fixtures that have facts, sorted. */
export function factSheetNames(): string[] {
  return [...Deno.readDirSync(FACTS)].map(({ name }) => name)
    .filter((name) => name.endsWith(".json"))
    .map((name) => name.slice(0, -".json".length)).sort();
}

/** A recorded call by fixture name. */
export function readCall(name: string): RecordedCall {
  const text = Deno.readTextFileSync(new URL(`${name}.json`, BODIES));
  return parseJson(text) as unknown as RecordedCall;
}

/** The facts of a fixture. */
export function readFacts(name: string): FactSheet {
  const text = Deno.readTextFileSync(new URL(`${name}.json`, FACTS));
  return JSON.parse(text) as FactSheet;
}

/** The reader's view of a call: what the result says once it is decoded. */
export interface ReaderView {
  text: string;
  format: string;
  value: JsonValue;
  masked: JsonValue;
  profile: string;
}

/** Masks, annotates, shapes and decodes a recorded answer as a call would have it. */
export function readerView(call: RecordedCall, bench: FidelityBench): ReaderView {
  const { variant } = bench.variantOf(call.op);
  const profile = bench.profileOf(call.op);
  const masked = bench.maskedAnswer(call);
  const annotated = annotateAnswer({ opId: call.op, args: call.args }, masked).body;
  const shape = shaper.shape({
    body: new TextEncoder().encode(JSON.stringify(annotated)),
    opId: call.op,
    variantId: variant.variant_id,
    profile,
    fallbackFormat: variant.default_format,
    nullElisionSafe: variant.null_elision_safe_fields ?? [],
  });
  const text = new TextDecoder().decode(shape.body);
  return {
    text,
    format: shape.format,
    value: referencesResolved(decoded(text, shape.format)),
    masked,
    profile: profile?.name ?? "_default",
  };
}

function maskedBody(body: JsonValue, mask: string): JsonValue {
  const parsed = parseFieldMask(mask);
  if (!parsed.ok) throw new Error(`${mask}: ${parsed.reason}`);
  return projectByMask(parsed.mask, body);
}

function decoded(text: string, format: string): JsonValue {
  if (format === "toon") return toonDocumentValue(decodeToonDocument(text));
  if (format === "json") return parseJson(text);
  throw new Error(`no reader for ${format}`);
}

/**
 * What a reader makes of the two references an answer may hold: `links`, the link of a file with
 * `{id}` for its id, by type, and `same as <start>` for the guests of an earlier event of a series.
 */
export function referencesResolved(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const { links, files, items } = value;
  if (isJsonObject(links) && Array.isArray(files)) {
    return { ...value, files: files.map((file) => withLink(file, links)) };
  }
  return Array.isArray(items)
    ? { ...value, items: items.map((event) => withGuests(event, items)) }
    : value;
}

function withLink(file: JsonValue, links: JsonObject): JsonValue {
  if (!isJsonObject(file)) return file;
  const template = links[String(file.mimeType)] ?? links["*"];
  const link = typeof file.link === "string"
    ? file.link
    : typeof template === "string"
    ? template.replace("{id}", String(file.id))
    : null;
  return { ...file, webViewLink: link };
}

function withGuests(event: JsonValue, events: readonly JsonValue[]): JsonValue {
  if (!isJsonObject(event) || typeof event.guests !== "string") return event;
  const [, start] = /^same as (.+)$/.exec(event.guests) ?? [];
  if (start === undefined) return event;
  const named = events.find((other) =>
    isJsonObject(other) && other.recurringEventId === event.recurringEventId &&
    other.starts === start
  );
  return { ...event, guests: isJsonObject(named) ? named.guests ?? null : null };
}

/** Measures one fixture. */
export function measureFixture(
  name: string,
  input: { call: RecordedCall; sheet: FactSheet; bench: FidelityBench },
): FidelityResult {
  const { call, sheet, bench } = input;
  const view = readerView(call, bench);
  return {
    name,
    op: call.op,
    profile: view.profile,
    format: view.format,
    facts: sheet.facts.length,
    missing: sheet.facts.filter((fact) => !holds(fact, view.value)).map(({ what }) => what),
    // Google indents its answers by two spaces.
    rawTokens: bench.countTokens(`${JSON.stringify(call.body, null, 2)}\n`),
    maskedTokens: bench.countTokens(JSON.stringify(view.masked)),
    shapedTokens: bench.countTokens(view.text),
  };
}

/** Whether the decoded result says what the fact says. */
export function holds(fact: Fact, value: JsonValue): boolean {
  let found: JsonValue | undefined = value;
  for (const step of fact.at) {
    if (typeof step === "number") found = Array.isArray(found) ? found[step] : undefined;
    else if (typeof step === "string") {
      found = isJsonObject(found) && Object.hasOwn(found, step) ? found[step] : undefined;
    } else {
      found = Array.isArray(found)
        ? found.find((record) =>
          isJsonObject(record) &&
          Object.entries(step).every(([key, wanted]) => record[key] === wanted)
        )
        : undefined;
    }
  }
  if (found === undefined) return false;
  if (fact.has !== undefined) return typeof found === "string" && found.includes(fact.has);
  if (fact.matches !== undefined) {
    return typeof found === "string" && new RegExp(fact.matches).test(found);
  }
  return fact.is !== undefined && jcs(found) === jcs(fact.is);
}

/** The share saved over all results together. */
export function savedShare(before: number, after: number): number {
  return before === 0 ? 0 : 1 - after / before;
}
