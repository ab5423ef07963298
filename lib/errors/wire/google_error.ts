/** Reads what a failed Google answer says about itself (spec 02 §3.9.1). Pure. */

import {
  isJsonObject,
  isRawNumber,
  type JsonObject,
  type JsonValue,
  parseJson,
} from "../../json/mod.ts";

/** A failed HTTP answer as the wire gave it. */
export interface FailedAnswer {
  status: number;
  statusText: string;
  /** Body bytes, capped by the reader. */
  body: Uint8Array;
  contentType?: string;
  /** `Retry-After` header, verbatim. */
  retryAfter?: string;
  /** `WWW-Authenticate` header, verbatim. */
  wwwAuthenticate?: string;
  /** Milliseconds since the epoch, for `Retry-After` dates. */
  now: number;
}

/** One field a service objected to (`google.rpc.BadRequest`). */
export interface FieldViolation {
  field: string;
  description: string;
  reason?: string;
}

/** What could be read from a failed answer; absent means the answer did not say. */
export interface GoogleErrorFacts {
  httpStatus: number;
  /** At most 512 characters. */
  message: string;
  googleStatus?: string;
  /** The first reason, which is the one reported. */
  upstreamReason?: string;
  /** Every reason the answer carries, for the mapping table. */
  reasons: readonly string[];
  service?: string;
  /** Number or id of the project that pays. */
  project?: string;
  quotaMetric?: string;
  quotaLimit?: string;
  requestId?: string;
  fieldViolations: readonly FieldViolation[];
  helpUrl?: string;
  /** Milliseconds, 1 to 300 000. */
  retryAfterMs?: number;
  /** Scopes named by a bearer challenge. */
  challengeScopes: readonly string[];
}

const MAX_MESSAGE = 512;
const MAX_EXCERPT = 200;
const MAX_RETRY_MS = 300_000;

/** 403 reasons that mean "slow down": the call was not executed and may be tried again. */
export const RATE_REASONS: ReadonlySet<string> = new Set([
  "rateLimitExceeded",
  "userRateLimitExceeded",
  "RATE_LIMIT_EXCEEDED",
  "sharingRateLimitExceeded",
]);

/** Extracts the facts of a failed answer. Never throws, whatever the body holds. */
export function readGoogleError(answer: FailedAnswer): GoogleErrorFacts {
  const text = new TextDecoder().decode(answer.body);
  const root = errorRoot(text);
  const details = root === undefined ? [] : arrayOf(root.details).filter(isJsonObject);
  const info = details.find((detail) => typeName(detail) === "google.rpc.ErrorInfo");
  const metadata = isJsonObject(info?.metadata) ? info.metadata : {};
  const legacy = root === undefined ? [] : arrayOf(root.errors).filter(isJsonObject);
  const reasons = [
    ...details.map((detail) => textOf(detail.reason)),
    ...legacy.map((entry) => textOf(entry.reason)),
    textOf(root?.oauthCode),
  ].filter((reason) => reason !== undefined);
  return {
    httpStatus: answer.status,
    message: messageOf(answer, { root, text }),
    googleStatus: textOf(root?.status),
    upstreamReason: textOf(info?.reason) ?? textOf(legacy[0]?.reason) ?? reasons[0],
    reasons,
    service: textOf(metadata.service),
    project: textOf(metadata.consumer)?.replace(/^projects\//, ""),
    quotaMetric: textOf(metadata.quota_metric),
    quotaLimit: textOf(metadata.quota_limit),
    requestId: requestIdOf(details),
    fieldViolations: [
      ...details.filter((detail) => typeName(detail) === "google.rpc.BadRequest")
        .flatMap((detail) => arrayOf(detail.fieldViolations)).filter(isJsonObject).map(violationOf),
      ...legacy.flatMap(parameterViolation),
    ],
    helpUrl: helpUrlOf(details) ?? textOf(metadata.activationUrl) ??
      enablingLink(info?.reason, metadata),
    retryAfterMs: retryDelay(answer, details),
    challengeScopes: challengeScopes(answer.wwwAuthenticate),
  };
}

/** Older services name the parameter beside a message as bare as "Invalid Value". */
function parameterViolation(entry: JsonObject): FieldViolation[] {
  const field = textOf(entry.location);
  if (field === undefined || entry.locationType !== "parameter") return [];
  return [violationOf({ field, description: textOf(entry.message) ?? "" })];
}

/** Brings every accepted body form to one object with `message`, `status`, `errors`, `details`. */
function errorRoot(text: string): JsonObject | undefined {
  let parsed: JsonValue;
  try {
    parsed = parseJson(text);
  } catch {
    return undefined; // not JSON: the caller falls back to an excerpt of the text
  }
  const outer = Array.isArray(parsed) ? parsed[0] : parsed;
  if (!isJsonObject(outer)) return undefined;
  if (isJsonObject(outer.error)) return outer.error;
  if (typeof outer.error === "string") {
    return { oauthCode: outer.error, message: outer.error_description ?? outer.error };
  }
  return outer.message !== undefined || outer.details !== undefined ? outer : undefined;
}

function messageOf(
  answer: FailedAnswer,
  read: { root: JsonObject | undefined; text: string },
): string {
  const stated = textOf(read.root?.message);
  if (stated !== undefined) return stated.slice(0, MAX_MESSAGE);
  const excerpt = read.root !== undefined ? "" : read.text.replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ").trim().slice(0, MAX_EXCERPT);
  const line = `HTTP ${answer.status} ${answer.statusText}`.trim();
  return excerpt === "" ? line : `${line}: ${excerpt}`.slice(0, MAX_MESSAGE);
}

function requestIdOf(details: readonly JsonObject[]): string | undefined {
  const info = details.find((detail) => typeName(detail) === "google.rpc.RequestInfo");
  const stated = textOf(info?.requestId);
  if (stated !== undefined) return stated;
  const ads = details.find((detail) => typeName(detail)?.endsWith(".GoogleAdsFailure") ?? false);
  return textOf(ads?.requestId);
}

function helpUrlOf(details: readonly JsonObject[]): string | undefined {
  const help = details.find((detail) => typeName(detail) === "google.rpc.Help");
  const link = arrayOf(help?.links).find(isJsonObject);
  return textOf(link?.url);
}

/** Where a disabled API is enabled, for answers that do not say. */
function enablingLink(reason: JsonValue | undefined, metadata: JsonObject): string | undefined {
  const service = textOf(metadata.service);
  if (reason !== "SERVICE_DISABLED" || service === undefined) return undefined;
  const link = new URL(`https://console.cloud.google.com/apis/library/${encodeURI(service)}`);
  const project = textOf(metadata.consumer)?.replace(/^projects\//, "");
  if (project !== undefined) link.searchParams.set("project", project);
  return link.href;
}

function violationOf(entry: JsonObject): FieldViolation {
  const reason = textOf(entry.reason);
  return {
    field: textOf(entry.field) ?? "",
    description: (textOf(entry.description) ?? "").slice(0, MAX_MESSAGE),
    ...(reason === undefined ? {} : { reason }),
  };
}

function retryDelay(answer: FailedAnswer, details: readonly JsonObject[]): number | undefined {
  const info = details.find((detail) => typeName(detail) === "google.rpc.RetryInfo");
  const longest = Math.max(
    retryAfterMs(answer.retryAfter, answer.now),
    durationMs(info?.retryDelay),
  );
  return longest > 0 ? longest : undefined;
}

/** A `Retry-After` header as milliseconds, 0 when absent, past or unreadable, at most 300 000. */
export function retryAfterMs(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  const trimmed = header.trim();
  const wait = /^-?[0-9]+(\.[0-9]+)?$/.test(trimmed)
    ? Number(trimmed) * 1000
    : Date.parse(trimmed) - now;
  return Number.isFinite(wait) ? Math.min(Math.max(0, Math.round(wait)), MAX_RETRY_MS) : 0;
}

function durationMs(value: JsonValue | undefined): number {
  if (isJsonObject(value)) return clampSeconds(Number(value.seconds ?? 0));
  const match = /^([0-9]+(?:\.[0-9]+)?)s$/.exec(textOf(value) ?? "");
  return match === null ? 0 : clampSeconds(Number(match[1]));
}

function clampSeconds(seconds: number): number {
  const wait = Math.round(seconds * 1000);
  return Number.isFinite(wait) ? Math.min(Math.max(0, wait), MAX_RETRY_MS) : 0;
}

function challengeScopes(header: string | undefined): string[] {
  const match = /\bscope="([^"]*)"/i.exec(header ?? "");
  return match?.[1]?.split(/\s+/).filter((scope) => scope !== "") ?? [];
}

function typeName(detail: JsonObject): string | undefined {
  return textOf(detail["@type"])?.replace(/^.*\//, "");
}

function arrayOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === "string" && value !== "") return value;
  return isRawNumber(value) ? value.rawJSON : undefined;
}
