/** From a packed operation to the catalog record, through the curated tier's own derivation. */

import type { JsonObject } from "../../json/mod.ts";
import {
  deriveOperation,
  deriveRisk,
  type DiscoveryDocument,
  type DiscoveryMethod,
  type DiscoverySchema,
  type OperationCuration,
  orderVariantKeys,
} from "../derive/mod.ts";
import type { Op, RiskClass, Variant } from "../types.ts";
import { longTailRef, versionSegment } from "./naming.ts";
import { longTailAuth, longTailEffects, needsConfirmation, streamingAtoms } from "./policy.ts";
import { longPattern, reservedNames, usualPatterns } from "./patterns.ts";
import type { MethodsChunk, PackedDocument, PackedOperation, PackedVersion } from "./types.ts";

/** A materialised operation and its argument schema, body properties one level deep. */
export interface MaterialisedOperation {
  op: Op;
  schema?: JsonObject;
  /** Name of the request body's schema, for the nested form. */
  bodySchema?: string;
  /** Number of the risk rule that decided. */
  riskRule: number;
}

/** Materialises one operation with all its versions. */
export function materialise(
  chunk: MethodsChunk,
  packed: PackedOperation,
): MaterialisedOperation {
  const main = deriveOne(chunk, { packed, version: undefined });
  const { op } = main;
  if (packed.y !== undefined) op.deprecated_op_ids = packed.y;
  const variants = [mainVariant(op)];
  for (const version of packed.w ?? []) {
    variants.push(mainVariant(deriveOne(chunk, { packed, version }).op));
  }
  op.variants = [
    ...variants.slice(0, 1),
    ...variants.slice(1).sort((a, b) => a.variant_id < b.variant_id ? -1 : 1),
  ];
  return {
    op,
    ...(main.schema === undefined ? {} : { schema: main.schema }),
    ...(packed.q === undefined ? {} : { bodySchema: packed.q }),
    riskRule: main.rule,
  };
}

function mainVariant(op: Op): Variant {
  const [variant] = op.variants;
  if (variant === undefined) throw new TypeError(`${op.op_id} was derived without a variant`);
  return variant;
}

interface OneVersion {
  packed: PackedOperation;
  /** Undefined: the main one. */
  version: PackedVersion | undefined;
}

function deriveOne(
  chunk: MethodsChunk,
  one: OneVersion,
): { op: Op; schema?: JsonObject; rule: number } {
  const { packed, version } = one;
  const { context } = chunk;
  const packedDocument = chunk.documents[version?.d ?? packed.d];
  if (packedDocument === undefined) throw new TypeError(`${packed.o} names no document`);
  const method = methodOf(chunk, packed, version);
  const document = documentOf(chunk, packed, packedDocument);
  const verdict = deriveRisk({
    methodId: method.id,
    httpMethod: method.httpMethod,
    longRunning: packed.l === 1,
    scopes: method.scopes,
  });
  const riskClass: RiskClass = packed.k?.[0] ?? verdict.riskClass;
  const auth = longTailAuth(method.scopes ?? []);
  const judged = { service: context.service, methodId: method.id, riskClass };
  const effects = longTailEffects({ ...judged, cloud: auth.strategy === "adc" });
  const streaming = streamingAtoms(method);
  const curation: OperationCuration = {
    summary: packed.s,
    ...(streaming.length === 0 ? {} : { extra_capabilities: streaming }),
    ...(packed.t === undefined ? {} : { title: packed.t }),
    ...(packed.k === undefined ? {} : { risk_class: packed.k[0], risk_reason: packed.k[1] }),
    ...(needsConfirmation(judged) ? { confirmation_policy: "high_stakes_write" as const } : {}),
    ...(effects.length === 0 ? {} : { effects }),
    ...(auth.components === undefined ? {} : { auth_components: auth.components }),
    auth_strategy: auth.strategy,
    // A read that the rules had to be told about may still cost money when it is repeated.
    idempotent: riskClass === "read" && method.httpMethod === "GET",
    variant_id: `${context.service}.${versionSegment(packedDocument.v)}.rest.${
      packed.o.slice(context.service.length + 1)
    }`,
  };
  const derived = deriveOperation(packed.o, {
    document,
    method,
    api: {
      ...context,
      title: packedDocument.t,
      backend_kind: "discovery-rest",
    },
    curation,
  });
  const variant = mainVariant(derived.op);
  variant.version = packedDocument.v;
  boundExecution(variant);
  const ref = longTailRef(packed.o);
  if (variant.binding?.request_ref !== undefined) variant.binding.request_ref = ref;
  orderVariantKeys(derived.op);
  return {
    op: derived.op,
    ...(derived.schema === undefined ? {} : { schema: { ...derived.schema, $id: ref } }),
    rule: verdict.rule,
  };
}

/** Streams cannot be received at all; media goes through files only, which `partial` says. */
function boundExecution(variant: Variant): void {
  const { capabilities } = variant;
  if (capabilities.includes("server_streaming") || capabilities.includes("bidi_streaming")) {
    variant.execution_support = "schema_only";
    variant.unsupported_capabilities = [...capabilities];
    return;
  }
  const media = capabilities.filter((atom) =>
    atom === "media_download" || atom === "media_upload" || atom === "resumable_upload"
  );
  if (media.length === 0) return;
  variant.execution_support = "partial";
  variant.unsupported_capabilities = media;
}

const OPERATION_SCHEMA = "gum.Operation";

function documentOf(
  chunk: MethodsChunk,
  packed: PackedOperation,
  document: PackedDocument,
): DiscoveryDocument {
  const schemas: Record<string, DiscoverySchema> = {
    [OPERATION_SCHEMA]: { properties: { done: {}, error: {} } },
  };
  const body = packed.q === undefined ? undefined : chunk.bodies[packed.q];
  if (packed.q !== undefined && body !== undefined) {
    const required = new Set(packed.b ?? []);
    schemas[packed.q] = {
      properties: Object.fromEntries(
        Object.entries(body).map(([name, at]) => {
          const spec = chunk.specs[at] ?? {};
          return [
            name,
            required.has(name) ? { ...spec, annotations: { required: [packed.i] } } : spec,
          ];
        }),
      ),
    };
  }
  return {
    name: document.n,
    version: document.v,
    title: document.t,
    revision: "",
    rootUrl: document.rootUrl,
    servicePath: document.servicePath,
    schemas,
  };
}

function methodOf(
  chunk: MethodsChunk,
  packed: PackedOperation,
  version: PackedVersion | undefined,
): DiscoveryMethod {
  const scopes = (version?.c ?? packed.c ?? []).map((at) => chunk.scopes[at] ?? "");
  const patterns = patternsOf(chunk, packed);
  return {
    // Body properties name the main version's method as the one that requires them.
    id: packed.i,
    httpMethod: packed.h,
    path: version?.p ?? packed.p,
    parameters: Object.fromEntries(
      Object.entries(packed.a ?? {}).map(([name, at]) => {
        const spec = chunk.specs[at] ?? {};
        const pattern = patterns.get(name);
        return [name, pattern === undefined ? spec : { ...spec, pattern }];
      }),
    ),
    ...(packed.q === undefined ? {} : { request: { $ref: packed.q } }),
    ...(packed.l === 1 ? { response: { $ref: OPERATION_SCHEMA } } : {}),
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(packed.m === 1 ? { supportsMediaDownload: true } : {}),
    ...(packed.u === undefined || version !== undefined ? {} : { mediaUpload: packed.u }),
  };
}

function patternsOf(chunk: MethodsChunk, packed: PackedOperation): Map<string, string> {
  const known = chunk.patterns;
  if (known === undefined) return new Map();
  const shorts = packed.r?.map((at) => known[at] ?? "") ??
    usualPatterns({ id: packed.i, path: packed.p });
  return new Map(
    reservedNames(packed.p).flatMap((name, at) => {
      const pattern = longPattern(shorts[at] ?? "");
      return pattern === undefined ? [] : [[name, pattern] as const];
    }),
  );
}
