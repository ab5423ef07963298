/** A pack from Discovery documents: the same bytes for the same inputs. */

import { sha256Hex } from "../../../digest/mod.ts";
import { deflateRaw, Z_DEFAULT_STRATEGY, Z_FIXED } from "pako";
import { buildIndex } from "../../search/build.ts";
import { shortApiTitle, splitWords } from "../../derive/mod.ts";
import type { SearchIndex } from "../../search/types.ts";
import { validateOp } from "../../validate/mod.ts";
import type { DiscoveryDocument } from "../../derive/mod.ts";
import type { Op, RiskClass } from "../../types.ts";
import { encodeContainer } from "../container.ts";
import { encodeColumns, indexLine } from "../index_file.ts";
import { materialise } from "../materialise.ts";
import { longTailRef } from "../naming.ts";
import {
  CHECKSUM_FILE,
  type MethodsChunk,
  type PackFile,
  type Renames,
  type ServiceContext,
} from "../types.ts";
import { packMethods, packSchemas } from "./chunks.ts";
import { jsonPhrases, linePhrases, trainDictionary } from "./dictionary.ts";
import {
  type CuratedService,
  globPattern,
  type SelectedMethod,
  type SelectionContext,
  type SelectionCounts,
  selectMethods,
} from "./select.ts";
import { addressOf } from "../methods.ts";
import { bodyProperties } from "./prune.ts";
import { type EarlierPack, followRenames } from "./renames.ts";
import { cleanTexts } from "./texts.ts";

/** Inputs beside the documents. */
export interface BuildContext extends SelectionContext {
  curated: readonly CuratedService[];
  /** Reviewed risk classes by op id. */
  risk: Readonly<Record<string, { class: RiskClass; reason: string }>>;
  /** Words that people use for a service, or (with dots in the key) for the ids that start so. */
  aliases: Readonly<Record<string, string[]>>;
  /** Query word to further words; beside those of the curated tier. */
  synonyms: Readonly<Record<string, string[]>>;
  /** The pack that this one follows; absent: none. */
  earlier?: EarlierPack;
}

/** What was built. */
export interface BuiltPack {
  files: Map<PackFile | typeof CHECKSUM_FILE, Uint8Array<ArrayBuffer>>;
  ops: Op[];
  /** Rule that decided each operation's risk class. */
  riskRules: Map<string, number>;
  /** Old ids that still work. */
  renames: Renames;
  counts: SelectionCounts & {
    documents: number;
    services: number;
    operations: number;
    variants: number;
    /** Admin SDK writes, which only the curated tier offers. */
    adminWrites: number;
    chunks: number;
    terms: number;
  };
}

/** Builds a pack. @throws CatalogError when an operation breaks a rule of the catalog. */
export async function buildPack(
  documents: readonly DiscoveryDocument[],
  context: BuildContext,
): Promise<BuiltPack> {
  const selection = selectMethods(newest(documents), context);
  const renames = renamesOf(selection.selected, context.earlier);
  const counts: BuiltPack["counts"] = {
    ...selection.counts,
    documents: new Set(documents.map(({ name, version }) => `${name} ${version}`)).size,
    services: 0,
    operations: 0,
    variants: 0,
    adminWrites: 0,
    chunks: 0,
    terms: 0,
  };
  const reviewedRisk = riskLookup(context.risk);
  const methods: PlainChunk[] = [];
  const schemas: PlainChunk[] = [];
  const ops: Op[] = [];
  const riskRules = new Map<string, number>();
  const refs = new Map<string, string>();
  for (const [service, list] of byService(selection.selected)) {
    const curated = context.curated.find((one) => one.service === service);
    const options = {
      ...(curated?.title === undefined ? {} : { title: curated.title }),
      context: serviceContext(service, curated),
      risk: reviewedRisk,
    };
    const kept = await admit(list, {
      chunks: packMethods(list, options),
      service,
      counts,
      ops,
      riskRules,
      refs,
      renames,
    });
    if (kept.chunks.length === 0) continue;
    counts.services++;
    kept.chunks.forEach((chunk) => {
      const last = chunk.operations.at(-1)?.o ?? "";
      methods.push({ key: service, last, content: chunk });
    });
    for (const document of new Set(kept.selected.map((one) => one.document))) {
      const key = `${service} ${document.version}`;
      const used = kept.selected.filter((one) => one.document === document);
      schemas.push({ key, last: key, content: packSchemas(document, used) });
    }
  }
  counts.operations = ops.length;
  counts.variants = ops.reduce((sum, op) => sum + op.variants.length, 0);
  counts.chunks = methods.length;

  const index = indexOf(ops, context);
  counts.terms = index.terms.length;
  const { bm25, strings } = encodeColumns(index, {
    synonyms: context.synonyms,
    dictionary: trainDictionary(index.docs.map(indexLine), linePhrases),
    compress: (plain, dictionary) => deflated(plain, { dictionary, fixed: true }),
  });
  const files: BuiltPack["files"] = new Map([
    ["methods.bin", packed(methods, renames)],
    ["schemas.bin", packed(schemas)],
    ["strings.bin", strings],
    ["bm25.bin", bm25],
  ]);
  const sums: string[] = [];
  for (const [name, bytes] of files) sums.push(`${await sha256Hex(bytes)}  ${name}\n`);
  files.set(CHECKSUM_FILE, new TextEncoder().encode(sums.join("")));
  return { files, ops, riskRules, renames, counts };
}

function renamesOf(
  selected: readonly SelectedMethod[],
  earlier: EarlierPack | undefined,
): Renames {
  if (earlier === undefined) return {};
  const now = selected.map(({ opId, service, document, method }) => ({
    opId,
    service,
    httpMethod: method.httpMethod,
    address: addressOf(document, method.path),
    // A body without properties is none to the pack.
    request: Object.keys(bodyProperties(document, method).properties).length === 0
      ? ""
      : method.request?.$ref ?? "",
    response: method.response?.$ref ?? "",
  }));
  const revisions = selected.map(({ document }) => document.revision);
  const revision = revisions.reduce((newest, one) => one > newest ? one : newest, "");
  return followRenames(earlier, { now, revision });
}

/** Reviewed classes by op id; a key may hold `*` for any part, exact keys win. */
function riskLookup(
  table: BuildContext["risk"],
): (opId: string) => [RiskClass, string] | undefined {
  const globs = Object.entries(table).filter(([key]) => key.includes("*"))
    .map(([key, entry]) => ({ pattern: globPattern(key), entry }));
  return (opId) => {
    const entry = table[opId] ?? globs.find(({ pattern }) => pattern.test(opId))?.entry;
    return entry === undefined ? undefined : [entry.class, entry.reason];
  };
}

/** A service's own family keeps its rate limits apart from all others. */
function serviceContext(service: string, curated: CuratedService | undefined): ServiceContext {
  return {
    service,
    service_family: curated?.service_family ?? service,
    ...(curated?.host_defaults === undefined ? {} : { host_defaults: curated.host_defaults }),
    ...(curated?.scope_preference === undefined
      ? {}
      : { scope_preference: curated.scope_preference }),
  };
}

function indexOf(ops: readonly Op[], context: BuildContext): SearchIndex {
  const aliases = Object.entries(context.aliases);
  const named = aliases.filter(([key]) => key.includes("."));
  return buildIndex(
    ops.map((op) => {
      const own = named.filter(([key]) => op.op_id.startsWith(`${key}.`) || op.op_id === key);
      return own.length === 0 ? op : { ...op, aliases: own.flatMap(([, words]) => words) };
    }),
    {
      catalogSha256: "",
      tables: {
        service_aliases: Object.fromEntries(aliases.filter(([key]) => !key.includes("."))),
        synonyms: {},
      },
      tier: 0,
      idText,
      // Ids are long here, and a long one says less with each of its words.
      fields: { id: { weight: 3, b: 0.45 }, title: { weight: 2, b: 0.6 } },
    },
  );
}

/** Segments that say where something lives, not what it is. */
const PLACES: ReadonlySet<string> = new Set(
  "projects locations organizations folders zones regions global v1 youtube instances accounts"
    .split(" "),
);

/** Service, API title, and the segments that tell operations of a service apart. */
function idText(op: Op): string {
  const [service = "", ...segments] = op.op_id.split(".");
  const own = segments.filter((segment, at) => at >= segments.length - 2 || !PLACES.has(segment));
  const title = /\(([^()]*(?:\([^()]*\)[^()]*)*)\)$/.exec(op.title)?.[1] ?? "";
  const words = new Set([service, ...splitWords(shortApiTitle(title))]);
  return [...words, ...own].join(" ");
}

/** Two file names may hold the same document; the newer revision counts. */
function newest(documents: readonly DiscoveryDocument[]): DiscoveryDocument[] {
  const byKey = new Map<string, DiscoveryDocument>();
  for (const document of documents) {
    const key = `${document.name} ${document.version}`;
    const known = byKey.get(key);
    if (known === undefined || known.revision < document.revision) byKey.set(key, document);
  }
  return [...byKey.values()];
}

function byService(selected: readonly SelectedMethod[]): Map<string, SelectedMethod[]> {
  const services = new Map<string, SelectedMethod[]>();
  for (const one of selected) {
    const list = services.get(one.service);
    if (list === undefined) services.set(one.service, [one]);
    else list.push(one);
  }
  return services;
}

/** Materialises, cleans and validates; drops what the long tail does not offer. */
async function admit(
  selected: readonly SelectedMethod[],
  state: {
    chunks: MethodsChunk[];
    service: string;
    counts: BuiltPack["counts"];
    ops: Op[];
    riskRules: Map<string, number>;
    refs: Map<string, string>;
    renames: Renames;
  },
): Promise<{ chunks: MethodsChunk[]; selected: SelectedMethod[] }> {
  const { counts, service } = state;
  const kept = new Set<string>();
  for (const chunk of state.chunks) {
    const operations: MethodsChunk["operations"] = [];
    for (const packed of chunk.operations) {
      const draft = materialise(chunk, packed);
      const [variant] = draft.op.variants;
      const ofAdminSdk = service === "admin" || service === "adminreports";
      if (ofAdminSdk && variant?.risk_class !== "read") {
        counts.adminWrites++;
        continue;
      }
      const { title, summary } = await cleanTexts(draft.op);
      packed.s = summary;
      if (title !== draft.op.title) packed.t = title;
      const oldIds = oldIdsOf(draft.op.op_id, state.renames);
      if (oldIds.length > 0) packed.y = oldIds;
      const { op, riskRule } = materialise(chunk, packed);
      validateOp(op);
      const ref = longTailRef(op.op_id);
      const owner = state.refs.get(ref);
      if (owner !== undefined) throw new TypeError(`${ref} belongs to ${owner} and ${op.op_id}`);
      state.refs.set(ref, op.op_id);
      state.riskRules.set(op.op_id, riskRule);
      state.ops.push(op);
      operations.push(packed);
      kept.add(op.op_id);
    }
    chunk.operations = operations;
  }
  return {
    chunks: state.chunks.filter(({ operations }) => operations.length > 0),
    selected: selected.filter(({ opId }) => kept.has(opId)),
  };
}

function oldIdsOf(opId: string, renames: Renames): string[] {
  return Object.entries(renames).filter(([, { to }]) => to === opId).map(([old]) => old);
}

interface PlainChunk {
  key: string;
  last: string;
  content: object;
}

function packed(chunks: readonly PlainChunk[], renames?: Renames): Uint8Array<ArrayBuffer> {
  const texts = chunks.map(({ content }) => JSON.stringify(content));
  const dictionary = trainDictionary(texts, jsonPhrases);
  const inputs = chunks.map(({ key, last }, at) => {
    const plain = new TextEncoder().encode(texts[at]);
    return { key, last, packed: deflated(plain, { dictionary }), plain: plain.length };
  });
  return encodeContainer(inputs, { dictionary, renames });
}

/** With the fixed code a short text needs no table of its own, which also decodes faster. */
function deflated(
  plain: Uint8Array,
  options: { dictionary: Uint8Array; fixed?: boolean },
): Uint8Array<ArrayBuffer> {
  const strategy = options.fixed ? Z_FIXED : Z_DEFAULT_STRATEGY;
  const { dictionary } = options;
  // Not `node:zlib`, which under Deno compresses as if there were no dictionary.
  return new Uint8Array(deflateRaw(plain, { level: 9, memLevel: 9, dictionary, strategy }));
}
