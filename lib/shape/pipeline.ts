/** The expression pipeline, stages 2 to 8, in order (spec 03 §3.4–§3.9). Pure. */

import type { ShapeRequest, ShapeResult } from "../dispatch/types.ts";
import { GumError } from "../errors/mod.ts";
import { recordArray, recordKey } from "../format/mod.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ParsedJson,
  readJson,
  setOwn,
} from "../json/mod.ts";
import type { ResolvedProfile } from "../profile/types.ts";
import { collapseArrays, flattenEnvelope, flattenSingleton } from "./array_stages.ts";
import { type EncodedBytes, encodeMarked, encodeShapedBytes } from "./encode.ts";
import { dropFields, keepFields, projectKeys } from "./field_stages.ts";
import { effectiveCap, isLossy, resultKindOf } from "./loss.ts";
import { lacksRecords, leftOutMessage, yieldingTo } from "./named_fields.ts";
import { droppedPathList, emptyDropTree } from "./paths.ts";
import { dedupeRows, sortRows } from "./row_stages.ts";
import { stripNulls } from "./strip_nulls.ts";
import { bigIntegerPaths, presentTextPaths } from "./tree_paths.ts";
import { truncateStrings } from "./truncate_strings.ts";

const NO_PROFILE: ResolvedProfile = { name: "_default" };

/**
 * Shapes and encodes one upstream body.
 *
 * @throws GumError `SERVICE_DOWN` when a body that is not JSON meets a format other than raw.
 */
export function shapeBody(request: ShapeRequest): ShapeResult {
  if (request.userFormat === "raw") return passThrough(request.body);
  const parsed = parseBody(request);
  if (parsed === undefined) return emptyBody(request.body);
  const profile = request.profile ?? NO_PROFILE;
  const shaped = runStages(parsed.value, { profile, request });
  const encoded = encodeFor(request, { shaped, profile });
  return {
    ...shaped,
    value: encoded.value,
    ...(encoded.tag !== undefined && { untrustedMark: encoded.tag }),
    body: encoded.body,
    format: encoded.format,
    profileApplied: request.profile !== undefined,
    bytesIn: request.body.byteLength,
    bytesOut: encoded.body.byteLength,
    ...(encoded.countedArrays.length > 0 && { countedArrays: encoded.countedArrays }),
    ...(parsed.hasBigIntegers && { bigIntegerPaths: bigIntegerPaths(shaped.value) }),
  };
}

/** Stage 8, with marks around text from strangers when the request asks for them (spec 11 §8). */
function encodeFor(
  request: ShapeRequest,
  result: { shaped: StageOutcome; profile: ResolvedProfile },
): EncodedBytes & { value: JsonValue; tag?: string } {
  const { shaped, profile } = result;
  const options = {
    format: request.userFormat ?? profile.format ?? request.fallbackFormat ?? "toon",
    opId: request.opId,
    variantId: request.variantId,
    omitZeroCounts: profile.omit_zero_counts,
  };
  const { untrustedRandom: random } = request;
  const paths = shaped.untrustedPaths ?? [];
  if (random === undefined || paths.length === 0) {
    return { ...encodeShapedBytes(shaped.value, options), value: shaped.value };
  }
  const { text, ...marked } = encodeMarked(shaped.value, { ...options, paths, random });
  return { ...marked, body: new TextEncoder().encode(text) };
}

type StageOutcome =
  & Omit<
    ShapeResult,
    "body" | "format" | "profileApplied" | "bytesIn" | "bytesOut" | "value"
  >
  & { value: JsonValue };

function runStages(
  upstream: JsonValue,
  options: { profile: ResolvedProfile; request: ShapeRequest },
): StageOutcome {
  const { request } = options;
  const { askedMask } = request;
  const profile = askedMask === undefined ? options.profile : yieldingTo(options.profile, {
    mask: askedMask,
    recordKey: isJsonObject(upstream) ? recordKey(upstream) : undefined,
  });
  const schemas = schemaMember(upstream);
  const dropTree = emptyDropTree();
  const upstreamCount = recordArray(upstream)?.length ?? 0;
  const cap = effectiveCap(profile, request.maxItems);

  let value = selectFields(upstream, profile, dropTree);
  if (profile.strip_nulls) value = stripNulls(value, request.nullElisionSafe);
  let unwrapped: string | undefined;
  if (profile.flatten) ({ value, unwrapped } = flattenEnvelope(value));
  let singleton = false;
  if (profile.flatten_singletons) ({ value, unwrapped: singleton } = flattenSingleton(value));
  let omittedByKey: Record<string, number> = {};
  let wrapped: string | undefined;
  if (cap !== undefined) ({ value, omitted: omittedByKey, wrapped } = collapseArrays(value, cap));
  if (profile.truncate_strings) value = truncateStrings(value, profile.truncate_strings);
  const rows = shapeRows(value, profile);
  value = request.settle?.(rows.value) ?? rows.value;
  let droppedPaths = droppedPathList(dropTree);
  if (schemas !== undefined && isJsonObject(value)) {
    value = withMember(value, schemas);
    const below = `${schemas.key}.`;
    droppedPaths = droppedPaths.filter((path) => path !== schemas.key && !path.startsWith(below));
  }

  const records = recordArray(value);
  const resultKind = kindOf(value, { records, upstream, singleton, profile, askedMask });
  const resultCount = singleton ? 1 : records?.length ?? 0;
  const omittedRecords = recordsOmitted(value, omittedByKey);
  const siblingSum = Object.values(omittedByKey).reduce((sum, count) => sum + count, 0);
  const onEmptyMessage = resultKind === "empty"
    ? emptyMessage(upstream, { profile, askedMask })
    : undefined;
  if (onEmptyMessage !== undefined && isBare(value)) value = onEmptyMessage;
  const untrusted = profile.untrusted_fields ?? [];
  return {
    value,
    lossy: isLossy(profile, request.maxItems),
    resultCount,
    omittedCount: Math.max(
      siblingSum,
      upstreamCount - resultCount,
      // Rows that went from an array which was not yet the record array when it came.
      omittedRecords + rows.deduped + rows.limited,
    ),
    omittedByKey,
    ...(omittedRecords > 0 && { omittedRecords }),
    dedupedRows: rows.deduped,
    limitedRows: rows.limited,
    droppedPaths,
    ...(onEmptyMessage !== undefined && { onEmptyMessage }),
    intentionalZero: cap === 0 && resultCount === 0 && onEmptyMessage !== undefined,
    resultKind,
    ...(untrusted.length > 0 && {
      untrustedPaths: presentTextPaths(value, { paths: untrusted, unwrapped, wrapped }),
    }),
  };
}

/**
 * A profile with a message for "no records" describes a list: an object without any is empty when
 * stages took the list away or the service left it out, but not when the caller's mask did or the
 * records are on a later page.
 */
function kindOf(
  value: JsonValue,
  at: {
    records: JsonValue[] | undefined;
    upstream: JsonValue;
    /** The value is itself the only record. */
    singleton: boolean;
    profile: ResolvedProfile;
    askedMask: string | undefined;
  },
): StageOutcome["resultKind"] {
  const { records, upstream, singleton, profile, askedMask } = at;
  const kind = resultKindOf(value, records);
  if (kind !== "object" || profile.on_empty === undefined || !isJsonObject(value)) return kind;
  if (Object.values(value).some((member) => Array.isArray(member))) return kind;
  if (recordArray(upstream) !== undefined) return singleton ? kind : "empty";
  const unknown = askedMask !== undefined && leftOutMessage(profile, askedMask) !== undefined;
  return unknown || hasNextPage(upstream) || !lacksRecords(value, profile) ? kind : "empty";
}

function hasNextPage(upstream: JsonValue): boolean {
  return isJsonObject(upstream) && Object.hasOwn(upstream, "nextPageToken") &&
    upstream.nextPageToken !== "";
}

/** The profile's message, or the reason why it would claim too much. */
function emptyMessage(
  upstream: JsonValue,
  asked: { profile: ResolvedProfile; askedMask: string | undefined },
): string | undefined {
  const { profile, askedMask } = asked;
  if (profile.on_empty === undefined) return undefined;
  const unknown = askedMask === undefined || recordArray(upstream) !== undefined
    ? undefined
    : leftOutMessage(profile, askedMask);
  return unknown ?? profile.on_empty.normalize("NFC");
}

function selectFields(
  upstream: JsonValue,
  profile: ResolvedProfile,
  dropped: ReturnType<typeof emptyDropTree>,
): JsonValue {
  let value = upstream;
  if (profile.projection?.length) value = projectKeys(value, { keys: profile.projection, dropped });
  if (profile.keep_fields?.length) {
    value = keepFields(value, { paths: profile.keep_fields, dropped });
  }
  if (profile.drop_fields?.length) {
    value = dropFields(value, { paths: profile.drop_fields, dropped });
  }
  return value;
}

/** What stage 5 took from the record array; where none stands out, from all that it cut. */
function recordsOmitted(value: JsonValue, omitted: Record<string, number>): number {
  const key = isJsonObject(value) ? recordKey(value) : undefined;
  if (key !== undefined) return omitted[`${key}_omitted_count`] ?? omitted.omitted_count ?? 0;
  return Object.values(omitted).reduce((sum, count) => sum + count, 0);
}

function shapeRows(
  value: JsonValue,
  profile: ResolvedProfile,
): { value: JsonValue; deduped: number; limited: number } {
  const untouched = { value, deduped: 0, limited: 0 };
  const limit = profile.limit ?? 0;
  if (profile.dedupe === undefined && profile.sort_by === undefined && limit === 0) {
    return untouched;
  }
  let rows = recordArray(value);
  if (rows === undefined) return untouched;
  let deduped = 0;
  if (profile.dedupe !== undefined) {
    ({ rows, removed: deduped } = dedupeRows(rows, profile.dedupe.by));
  }
  if (profile.sort_by !== undefined) rows = sortRows(rows, profile.sort_by);
  const limited = limit > 0 ? Math.max(0, rows.length - limit) : 0;
  if (limited > 0) rows = rows.slice(0, limit);
  if (!isJsonObject(value)) return { value: rows, deduped, limited };
  const key = recordKey(value);
  if (key === undefined) return untouched;
  return { value: withMember(value, { key, member: rows }), deduped, limited };
}

/**
 * A top-level object `$defs` (else `definitions`) is a schema's foundation and survives every stage.
 * An array of that name is a list like any other: restored, it would belie what the cap counted.
 */
function schemaMember(value: JsonValue): { key: string; member: JsonValue } | undefined {
  if (!isJsonObject(value)) return undefined;
  const key = ["$defs", "definitions"].find((name) =>
    Object.hasOwn(value, name) && isJsonObject(value[name])
  );
  return key === undefined ? undefined : { key, member: value[key] as JsonValue };
}

function withMember(object: JsonObject, entry: { key: string; member: JsonValue }): JsonObject {
  const copy: JsonObject = {};
  for (const key of Object.keys(object)) setOwn(copy, key, object[key] as JsonValue);
  setOwn(copy, entry.key, entry.member);
  return copy;
}

/** Exactly `[]`, `{}` or null: nothing but the message would be left to show. */
function isBare(value: JsonValue): boolean {
  if (value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** The tree of a body; undefined for one that is empty. Its text is let go before anything is built. */
function parseBody({ body, opId }: ShapeRequest): ParsedJson | undefined {
  const text = new TextDecoder().decode(body);
  // Trimming would copy; what is not blank shows early.
  if (!/\S/.test(text)) return undefined;
  try {
    return readJson(text);
  } catch (cause) {
    throw new GumError("SERVICE_DOWN", {
      message: "the body to shape is not JSON",
      details: { op_id: opId },
      suggestion: "Ask for the raw format.",
      cause,
    });
  }
}

function passThrough(body: Uint8Array): ShapeResult {
  return {
    ...nothingRemoved(),
    body,
    format: "raw",
    value: undefined,
    bytesIn: body.byteLength,
    bytesOut: body.byteLength,
    resultKind: "scalar",
  };
}

function emptyBody(received: Uint8Array): ShapeResult {
  const body = new TextEncoder().encode("{}");
  return {
    ...nothingRemoved(),
    body,
    format: "json",
    value: {},
    bytesIn: received.byteLength,
    bytesOut: body.byteLength,
    resultKind: "empty",
  };
}

function nothingRemoved() {
  return {
    profileApplied: false,
    lossy: false,
    resultCount: 0,
    omittedCount: 0,
    omittedByKey: {},
    dedupedRows: 0,
    limitedRows: 0,
    droppedPaths: [],
    intentionalZero: false,
  };
}
