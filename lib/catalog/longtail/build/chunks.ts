/** Operations of one service as chunks: specs, scopes and bodies interned, split by size. */

import {
  answersWithOperation,
  deriveSummary,
  deriveTitle,
  type DiscoveryDocument,
  type DiscoverySchema,
  isReserved,
} from "../../derive/mod.ts";
import { unitedPattern } from "../../../resource_names/mod.ts";
import type { RiskClass } from "../../types.ts";
import { reservedNames, shortPattern, usualPatterns } from "../patterns.ts";
import type { MethodsChunk, PackedOperation, SchemasChunk, ServiceContext } from "../types.ts";
import { bodyProperties, prunedSpec, reachableSchemas } from "./prune.ts";
import type { SelectedMethod } from "./select.ts";

/** Plain bytes after which a new chunk begins: what one lookup has to decode. */
const CHUNK_BYTES = 64 * 1024;

/** Reviewed facts that go into the pack. */
export interface ChunkOptions {
  /** Title of a service's API; default: the document's own. */
  title?: string;
  context: ServiceContext;
  risk: (opId: string) => [RiskClass, string] | undefined;
}

/** Packs operations of one service, in op-id order. */
export function packMethods(
  selected: readonly SelectedMethod[],
  options: ChunkOptions,
): MethodsChunk[] {
  const chunks: MethodsChunk[] = [];
  let builder = chunkBuilder(options);
  for (const method of selected) {
    builder.add(method);
    if (builder.bytes() < CHUNK_BYTES) continue;
    chunks.push(builder.chunk);
    builder = chunkBuilder(options);
  }
  if (builder.chunk.operations.length > 0) chunks.push(builder.chunk);
  return chunks;
}

function chunkBuilder(
  options: ChunkOptions,
): { chunk: MethodsChunk; add(method: SelectedMethod): void; bytes(): number } {
  const chunk: MethodsChunk = {
    context: options.context,
    documents: [],
    specs: [],
    scopes: [],
    patterns: [""],
    bodies: {},
    operations: [],
  };
  const documents = new Map<DiscoveryDocument, number>();
  const specs = new Map<string, number>();
  const scopes = new Map<string, number>();
  let bytes = 0;

  function intern<T>(
    known: Map<string, number>,
    list: T[],
    entry: { key: string; value: T },
  ): number {
    const at = known.get(entry.key);
    if (at !== undefined) return at;
    bytes += entry.key.length + 1;
    known.set(entry.key, list.length);
    list.push(entry.value);
    return list.length - 1;
  }
  const specAt = (value: DiscoverySchema): number =>
    intern(specs, chunk.specs, { key: JSON.stringify(value), value });
  const scopesAt = (list: readonly string[] | undefined): number[] =>
    (list ?? []).map((scope) => intern(scopes, chunk.scopes, { key: scope, value: scope }));
  const shorts: string[] = chunk.patterns ?? [];
  const patterns = new Map<string, number>([["", 0]]);
  function patternsAt(one: SelectedMethod): number[] | undefined {
    const { method } = one;
    // A value fits when it fits in any of the versions that share the argument.
    const versions = [method, ...one.others.map((other) => other.method)];
    const wanted = reservedNames(method.path).map((name) =>
      shortPattern(unitedPattern(
        versions.filter((version) => isReserved(version, name))
          .map((version) => version.parameters?.[name]?.pattern),
      ))
    );
    if (wanted.join(" ") === usualPatterns(method).join(" ")) return undefined;
    return wanted.map((short) => intern(patterns, shorts, { key: short, value: short }));
  }
  function documentAt(document: DiscoveryDocument): number {
    const at = documents.get(document);
    if (at !== undefined) return at;
    documents.set(document, chunk.documents.length);
    return chunk.documents.push({
      n: document.name,
      v: document.version,
      t: options.title ?? document.title ?? document.name,
      rootUrl: document.rootUrl,
      servicePath: document.servicePath,
    }) - 1;
  }

  function add(one: SelectedMethod): void {
    const { document, method, opId } = one;
    const { properties, required } = bodyProperties(document, method);
    const request = method.request?.$ref;
    const title = deriveTitle(opId, options.title ?? document.title ?? document.name);
    const packed: PackedOperation = {
      o: opId,
      d: documentAt(document),
      i: method.id,
      h: method.httpMethod,
      p: method.path,
      s: deriveSummary(method.description, title),
    };
    const parameters = Object.entries(method.parameters ?? {});
    if (parameters.length > 0) {
      packed.a = Object.fromEntries(
        parameters.map(([name, spec]) => [name, specAt(prunedSpec(spec))]),
      );
    }
    const patterns = patternsAt(one);
    if (patterns !== undefined) packed.r = patterns;
    if (request !== undefined && Object.keys(properties).length > 0) {
      packed.q = request;
      // Methods that share a body share its properties; which are required differs.
      if (chunk.bodies[request] === undefined) {
        chunk.bodies[request] = Object.fromEntries(
          Object.entries(properties).map(([name, spec]) => [name, specAt(spec)]),
        );
        bytes += JSON.stringify(chunk.bodies[request]).length;
      }
      if (required.length > 0) packed.b = required;
    }
    if (method.response?.$ref !== undefined) packed.e = method.response.$ref;
    if (answersWithOperation(document, method)) packed.l = 1;
    const main = scopesAt(method.scopes);
    if (main.length > 0) packed.c = main;
    if (method.mediaUpload !== undefined) packed.u = method.mediaUpload;
    if (method.supportsMediaDownload === true) packed.m = 1;
    const risk = options.risk(opId);
    if (risk !== undefined) packed.k = risk;
    if (one.others.length > 0) {
      packed.w = one.others.map((other) => {
        const own = scopesAt(other.method.scopes);
        return {
          d: documentAt(other.document),
          p: other.method.path,
          ...(own.join() === main.join() ? {} : { c: own }),
        };
      });
    }
    bytes += JSON.stringify(packed).length;
    chunk.operations.push(packed);
  }
  return { chunk, add, bytes: () => bytes };
}

/** Schemas that the operations of one document need, requests and responses alike. */
export function packSchemas(
  document: DiscoveryDocument,
  selected: readonly SelectedMethod[],
): SchemasChunk {
  const roots = new Set<string>();
  for (const { method } of selected) {
    for (const ref of [method.request?.$ref, method.response?.$ref]) {
      if (ref !== undefined) roots.add(ref);
    }
  }
  return reachableSchemas(document, [...roots].sort());
}
