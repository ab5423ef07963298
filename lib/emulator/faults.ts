/** Scripted misbehaviour: which fault acts on which request, and how it changes an answer. */

import { isJsonObject, type JsonObject, type JsonValue } from "../json/mod.ts";
import { concatBytes, utf8 } from "./encoding.ts";
import { ERROR_FORMS, statusFaultBody } from "./fault_bodies.ts";
import type { Fault, FaultEffect, FaultHandle } from "./types.ts";

/** Effects that act beside another one; every other kind decides the answer alone. */
const SIDE_KINDS: ReadonlySet<string> = new Set([
  "latency",
  "withhold_scopes",
  "repeat_page_token",
]);

const KINDS: ReadonlySet<string> = new Set([
  ...SIDE_KINDS,
  "status",
  "drop_before_headers",
  "half_status_line",
  "drop_mid_body",
  "short_content_length",
  "broken_chunk",
  "truncated_gzip",
  "hang",
  "slow_body",
  "endless_body",
  "large_body",
  "non_json",
  "redirect",
]);

/** What is known of a request when faults are chosen. */
export interface FaultSubject {
  method: string;
  host: string;
  path: string;
  query: URLSearchParams;
}

/** The effects chosen for one request. */
export interface ChosenFaults {
  latencyMs?: number;
  /** Scopes to withhold; `fire` is called when a method is refused for it. */
  withheld?: { scopes: readonly string[]; fire(): void };
  repeatPageToken: boolean;
  /** The effect that decides the answer. */
  decisive?: FaultEffect;
  /** Kind names, joined by `+`; undefined when nothing fired. */
  name?: string;
}

interface ActiveFault extends FaultHandle {
  id: number;
  fired: number;
  remaining: number;
}

/** Faults in force, in the order they were added. */
export class FaultRegistry {
  #active: ActiveFault[] = [];
  #nextId = 1;

  /** Puts a fault in force. `times` may be `Infinity`. */
  add(fault: Fault): FaultHandle & { readonly id: number } {
    const entry: ActiveFault = {
      id: this.#nextId++,
      fault,
      fired: 0,
      remaining: fault.times ?? 1,
      remove: () => {
        this.#active = this.#active.filter((other) => other !== entry);
      },
    };
    this.#active.push(entry);
    return entry;
  }

  /** Ends the fault with this id; false when there is none. */
  remove(id: number): boolean {
    const entry = this.#active.find((other) => other.id === id);
    entry?.remove();
    return entry !== undefined;
  }

  /** Ends every fault. */
  clear(): void {
    this.#active = [];
  }

  /** Faults still known, spent ones included. */
  list(): JsonObject[] {
    return this.#active.map((entry) => ({
      id: entry.id,
      fired: entry.fired,
      remaining: Number.isFinite(entry.remaining) ? entry.remaining : "unlimited",
      fault: JSON.parse(JSON.stringify(entry.fault)),
    }));
  }

  /**
   * Chooses for one request: the first matching fault of each side kind and the first decisive one,
   * so that faults added one after another play out as a script (429, then 503, then normal).
   */
  choose(subject: FaultSubject, ofHeader?: FaultEffect): ChosenFaults {
    const chosen: ChosenFaults = { repeatPageToken: false };
    const names: string[] = [];
    const taken = new Set<string>();
    const act = (effect: FaultEffect, fire: () => void): void => {
      const slot = SIDE_KINDS.has(effect.kind) ? effect.kind : "decisive";
      if (taken.has(slot)) return;
      // A token can only repeat where one was sent; the fault waits for such a request.
      if (effect.kind === "repeat_page_token" && !subject.query.get("pageToken")) return;
      taken.add(slot);
      if (effect.kind === "withhold_scopes") {
        // Only the frame knows the method's scopes: the fault counts where it refuses.
        chosen.withheld = { scopes: effect.scopes, fire };
        return;
      }
      names.push(effect.kind);
      fire();
      if (effect.kind === "latency") chosen.latencyMs = effect.ms;
      else if (effect.kind === "repeat_page_token") chosen.repeatPageToken = true;
      else chosen.decisive = effect;
    };
    if (ofHeader) act(ofHeader, () => {});
    for (const entry of this.#active) {
      if (entry.remaining <= 0 || !matches(entry.fault, subject)) continue;
      act(entry.fault.effect, () => {
        entry.fired++;
        entry.remaining--;
      });
    }
    if (names.length > 0) chosen.name = names.join("+");
    return chosen;
  }
}

function matches(fault: Fault, subject: FaultSubject): boolean {
  const match = fault.match;
  if (match === undefined) return true;
  if (match.method !== undefined && match.method.toUpperCase() !== subject.method) return false;
  if (match.host !== undefined && !hostMatches(match.host, subject.host)) return false;
  return match.path === undefined || pathMatches(match.path, subject.path);
}

function hostMatches(suffix: string, host: string): boolean {
  return host === suffix || host.endsWith(suffix.startsWith(".") ? suffix : `.${suffix}`);
}

/** `*` is one segment (or part of one), `**` the rest. */
function pathMatches(pattern: string, path: string): boolean {
  const source = pattern.split(/(\*\*|\*)/).map((part) =>
    part === "**" ? ".*" : part === "*" ? "[^/]*" : part.replace(/[.+?^$|()[\]\\{}]/g, "\\$&")
  ).join("");
  return new RegExp(`^${source}$`).test(path);
}

/**
 * Reads a fault effect that came as JSON.
 *
 * @throws SyntaxError or TypeError when it is none.
 */
export function readFaultEffect(value: JsonValue): FaultEffect {
  if (!isJsonObject(value) || typeof value.kind !== "string" || !KINDS.has(value.kind)) {
    throw new TypeError(`a fault effect needs a kind: ${[...KINDS].join(", ")}`);
  }
  for (const key of ["status", "ms", "afterBytes", "missing", "bytesPerTick", "tickMs", "bytes"]) {
    const member = value[key];
    if (member !== undefined && (typeof member !== "number" || member < 0)) {
      throw new TypeError(`fault effect: ${key} must be a number of at least 0`);
    }
  }
  if (value.kind === "status") checkErrorForm(value);
  for (const key of NEEDED[value.kind] ?? []) {
    if (value[key] === undefined) throw new TypeError(`fault effect ${value.kind} needs ${key}`);
  }
  return value as unknown as FaultEffect;
}

/** The members from which an error body is built. @throws TypeError. */
function checkErrorForm(effect: JsonObject): void {
  if (effect.form !== undefined && !ERROR_FORMS.some((form) => form === effect.form)) {
    throw new TypeError(`fault effect: form must be one of ${ERROR_FORMS.join(", ")}`);
  }
  for (const key of ["reason", "message", "retryDelay", "requestId", "helpUrl"]) {
    if (effect[key] !== undefined && typeof effect[key] !== "string") {
      throw new TypeError(`fault effect: ${key} must be text`);
    }
  }
  for (const key of ["fieldViolations", "details"]) {
    if (effect[key] !== undefined && !Array.isArray(effect[key])) {
      throw new TypeError(`fault effect: ${key} must be an array`);
    }
  }
  const { quota } = effect;
  if (quota === undefined) return;
  if (
    !isJsonObject(quota) || typeof quota.subject !== "string" ||
    typeof quota.description !== "string"
  ) {
    throw new TypeError("fault effect: quota must have a subject and a description");
  }
}

const NEEDED: Record<string, readonly string[]> = {
  status: ["status"],
  latency: ["ms"],
  drop_mid_body: ["afterBytes"],
  short_content_length: ["missing"],
  slow_body: ["bytesPerTick", "tickMs"],
  large_body: ["bytes"],
  non_json: ["body", "contentType"],
  redirect: ["status", "location"],
  withhold_scopes: ["scopes"],
};

function refuseUnknown(value: JsonObject, known: readonly string[]): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    throw new TypeError(`a fault has no member ${JSON.stringify(unknown)}: ${known.join(", ")}`);
  }
}

/** Reads a whole fault that came as JSON; `times: -1` means no end. */
export function readFault(value: JsonValue): Fault {
  if (!isJsonObject(value)) throw new TypeError("a fault is an object");
  const effect = readFaultEffect(value.effect ?? value);
  // A mistyped member would otherwise be a fault that strikes too often, or everywhere.
  if (value.effect !== undefined) refuseUnknown(value, ["effect", "times", "match"]);
  if (isJsonObject(value.match)) refuseUnknown(value.match, ["host", "method", "path"]);
  const fault: Fault = { effect };
  if (typeof value.times === "number") fault.times = value.times < 0 ? Infinity : value.times;
  if (isJsonObject(value.match)) {
    fault.match = {};
    for (const key of ["host", "method", "path"] as const) {
      const member = value.match[key];
      if (typeof member === "string") fault.match[key] = member;
    }
  }
  return fault;
}

/** An answer ready for the wire. */
export interface WireAnswer {
  status: number;
  headers: Headers;
  bytes: Uint8Array<ArrayBuffer>;
}

/** The answer of a fault that stands in for the operation; undefined for other kinds. */
export function substituteAnswer(effect: FaultEffect): WireAnswer | undefined {
  switch (effect.kind) {
    case "status": {
      const headers = new Headers(effect.headers);
      if (effect.retryAfter !== undefined) headers.set("retry-after", effect.retryAfter);
      if (effect.status === 204 || effect.status === 304) {
        return { status: effect.status, headers, bytes: new Uint8Array() };
      }
      headers.set("content-type", effect.contentType ?? "application/json; charset=UTF-8");
      const body = effect.body ?? JSON.stringify(statusFaultBody(effect), undefined, 2);
      return { status: effect.status, headers, bytes: utf8(body) };
    }
    case "non_json":
      return {
        status: 200,
        headers: new Headers({ "content-type": effect.contentType }),
        bytes: utf8(effect.body),
      };
    case "redirect":
      return {
        status: effect.status,
        headers: new Headers({ location: effect.location }),
        bytes: new Uint8Array(),
      };
    default:
      return undefined;
  }
}

/** Kinds that act on the connection itself, not on an HTTP answer. */
function isConnectionFault(effect: FaultEffect): boolean {
  return effect.kind === "drop_before_headers" || effect.kind === "half_status_line";
}

/** Kinds that never let the operation run. */
export function replacesOperation(effect: FaultEffect): boolean {
  return isConnectionFault(effect) || effect.kind === "hang" || effect.kind === "status" ||
    effect.kind === "non_json" || effect.kind === "redirect" || effect.kind === "endless_body" ||
    effect.kind === "large_body";
}

/** Head of an HTTP/1.1 answer, for faults that write the connection themselves. */
export function rawHead(
  answer: WireAnswer,
  extra: Record<string, string>,
): Uint8Array<ArrayBuffer> {
  const headers = new Headers(answer.headers);
  for (const [name, value] of Object.entries(extra)) headers.set(name, value);
  const lines = [`HTTP/1.1 ${answer.status} Emulated`];
  for (const [name, value] of headers) lines.push(`${name}: ${value}`);
  return utf8(`${lines.join("\r\n")}\r\n\r\n`);
}

/** The whole answer in two chunks, the second with a size line that is no number. */
export function brokenChunkBytes(answer: WireAnswer): Uint8Array<ArrayBuffer> {
  const half = answer.bytes.subarray(0, Math.ceil(answer.bytes.length / 2));
  return concatBytes([
    rawHead(answer, { "transfer-encoding": "chunked" }),
    utf8(`${half.length.toString(16)}\r\n`),
    half,
    utf8("\r\nnot-a-size\r\n"),
    answer.bytes.subarray(half.length),
  ]);
}
