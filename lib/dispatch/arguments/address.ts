/**
 * Whether a call's address is one of its own operation. A reserved placeholder (`v1/{+name}`) takes
 * whole resource names, so without this check one operation could be used as another: the resource
 * above its own, or one that another operation of the service answers for. Policies, destructive
 * scopes and the words of a confirmation all go by the operation's id (spec 02 §3.4, §3.11.1).
 * The catalog's patterns decide; where an argument has none, the operation's id does. Pure.
 */

import {
  fitsPattern,
  hasOpenEnd,
  innerPattern,
  isSafePattern,
  resourceForm,
} from "../../resource_names/mod.ts";
import type { CatalogSnapshot, HttpBinding, Op, Variant } from "../../catalog/types.ts";
import { isRawNumber, type JsonObject } from "../../json/mod.ts";

/** What is wrong with an address. */
export interface StrayAddress {
  /** The argument that leads astray. */
  field: string;
  /** What the argument looks like; undefined where the catalog does not say. */
  expected: string | undefined;
  /** The operation the address belongs to; undefined when it is none that is known. */
  belongsTo: string | undefined;
}

const ONE = "*";
/** No service takes a longer one, so it belongs to none. */
const LONGEST_ADDRESS = 8_192;

/** Finds an address that belongs elsewhere; undefined when it does not, or nobody can tell. */
export function strayAddress(
  call: { op: Op; variant: Variant; args: JsonObject },
  catalog: CatalogSnapshot,
): StrayAddress | undefined {
  const { op, variant, args } = call;
  const http = variant.binding?.http;
  const fields = reservedNames(http?.path ?? "");
  if (http === undefined || fields.length === 0) return undefined;
  const patterns = patternsOf(op);
  const path = addressed(http.path, args);
  const owners = () =>
    path === undefined || path.length > LONGEST_ADDRESS
      ? []
      : relatives(op, catalog).filter(({ relative, shape }) =>
        relative.op_id !== op.op_id && shape.method === http.method && fits(path, shape)
      );
  for (const field of fields) {
    const pattern = patterns.get(field);
    const text = textOf(args, field);
    // Line breaks never reach the wire, so they hide nothing.
    if (pattern === undefined || text === undefined) continue;
    if (fitsPattern(text.replace(/[\r\n]/g, ""), pattern)) continue;
    const belongsTo = owners()[0]?.relative.op_id;
    return { field, expected: expectedForm(pattern), belongsTo };
  }
  const own = shapeOf(op, http);
  const last = fields.at(-1) ?? "";
  if (path === undefined) return undefined;
  const isExact = fields.every((field) => patterns.has(field));
  // Whatever follows a placeholder of unknown content ties the address to its operation.
  if (!isExact && !http.path.endsWith(`{+${last}}`)) return undefined;
  const isOwn = fits(path, own);
  if (!isExact && !isOwn && isAncestor(op, plainName(textOf(args, last) ?? ""))) {
    return { field: last, expected: undefined, belongsTo: undefined };
  }
  if (isOwn && !isAmbiguous(path, own)) return undefined;
  const owner = owners().find(({ relative, shape }) =>
    !isSameAction(op, relative) && (!isOwn || isNarrower(shape, own))
  );
  if (owner === undefined) return undefined;
  const pattern = patterns.get(last);
  const expected = pattern === undefined ? undefined : expectedForm(pattern);
  return { field: last, expected, belongsTo: owner.relative.op_id };
}

function expectedForm(pattern: string): string {
  return resourceForm({ pattern }) ?? "one path segment, without a slash";
}

/** Patterns by field: those that can be matched safely, wherever the operation comes from. */
function patternsOf(op: Op): Map<string, string> {
  return new Map(
    (op.request_fields ?? []).flatMap(({ name, pattern }) =>
      pattern === undefined || !isSafePattern(pattern) ? [] : [[name, pattern] as const]
    ),
  );
}

function reservedNames(template: string): string[] {
  return [...template.matchAll(/\{\+([^}]+)\}/g)].map((match) => match[1] ?? "");
}

/** An address that fits may still be another operation's: one with a verb, or a narrower one. */
function isAmbiguous(path: string, own: Shape): boolean {
  return own.isOpen || own.verb === "" && /:[A-Za-z]+$/.test(path);
}

function isNarrower(shape: Shape, own: Shape): boolean {
  if (own.verb !== shape.verb) return own.verb === "";
  return own.isOpen && (!shape.isOpen || shape.literals > own.literals);
}

/** The usual address of an operation: host, path, and a custom verb apart. */
interface Shape {
  method: string;
  address: RegExp;
  verb: string;
  /** Some part of it takes any number of segments. */
  isOpen: boolean;
  /** How many characters of it are given. */
  literals: number;
}

function shapeOf(op: Op, http: HttpBinding): Shape {
  const [, stem = "", verb = ""] =
    /^(.*?)((?::[A-Za-z]+)?)$/.exec(http.path.split("//").at(-1) ?? "") ?? [];
  const patterns = patternsOf(op);
  const isExact = reservedNames(stem).every((name) => patterns.has(name));
  const segments = isExact ? undefined : segmentsSource(stem, op);
  const source = segments ?? patternSource(stem, patterns);
  const isOpen = segments === undefined &&
    reservedNames(stem).some((name) => hasOpenEnd(patterns.get(name) ?? ".*"));
  return {
    method: http.method,
    address: new RegExp(`^${source}${verb}$`, "u"),
    verb,
    isOpen,
    literals: source.replace(/\(\?:|[()]|\[[^\]]*\][+*]?|\.[*+]/g, "").length,
  };
}

/** From the catalog's patterns; a reserved placeholder without one takes everything. */
function patternSource(stem: string, patterns: ReadonlyMap<string, string>): string {
  return stem.split(/(\{[^}]+\})/).map((part) => {
    const reserved = /^\{\+(.+)\}$/.exec(part)?.[1];
    if (reserved !== undefined) return `(?:${innerPattern(patterns.get(reserved) ?? ".*")})`;
    return part.startsWith("{") ? "[^/]+" : escaped(part);
  }).join("");
}

/** From the resource words of the operation's id. */
function segmentsSource(stem: string, op: Op): string | undefined {
  const segments = segmentsOf(stem, op);
  return segments?.map((segment) => segment === ONE ? "[^/]*" : escaped(segment)).join("/");
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Resource words of an operation id: `chat.spaces.messages.delete` has `spaces`, `messages`. */
function resourcesOf(op: Op): string[] {
  return op.op_id.split(".").slice(1, -1);
}

/** Segments of an address, `*` for any one; undefined when the id does not say enough. */
function segmentsOf(stem: string, op: Op): string[] | undefined {
  const words = stem.split("/").filter((word) => word !== "");
  const resources = resourcesOf(op);
  const reserved = words.flatMap((word, at) => word.startsWith("{+") ? [at] : []);
  // Behind a word for its kind a placeholder is one segment: `datasets/{+datasetId}`.
  const whole = reserved.filter((at) => {
    const before = words[at - 1] ?? "";
    if (at < 2 || /^v[0-9]|\{/.test(before)) return true;
    return reserved.length === 1 && !resources.includes(before);
  });
  const [only] = whole;
  if (whole.length > 1) return undefined;
  let named: string[] = [];
  if (only !== undefined) {
    const after = words.slice(only + 1);
    if (after.some((word) => word.includes("{"))) return undefined;
    const above = resources.slice(0, resources.length - after.length);
    if (resources.slice(above.length).join("/") !== after.join("/")) return undefined;
    if (above.length === 0) return undefined;
    named = above.flatMap((resource) => [resource, ONE]);
  }
  return words.flatMap((word, at) => at === only ? named : [word.includes("{") ? ONE : word]);
}

function fits(path: string, shape: Shape): boolean {
  return shape.address.test(path);
}

/** Host and path as a server may come to read them; undefined while a value is missing. */
function addressed(template: string, args: JsonObject): string | undefined {
  let isWhole = true;
  const path = template.split("//").at(-1) ?? "";
  const filled = path.replace(/\{(\+?)([^}]+)\}/g, (_all, plus: string, name: string) => {
    const text = textOf(args, name);
    if (text === undefined) isWhole = false;
    return plus === "+" ? plainName(text ?? "") : encodeURIComponent((text ?? "").toWellFormed());
  });
  return isWhole ? filled : undefined;
}

function textOf(args: JsonObject, name: string): string | undefined {
  const value = Object.hasOwn(args, name) ? args[name] : undefined;
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return isRawNumber(value) ? value.rawJSON : undefined;
}

/** A resource name without what hides its segments: encoded characters and empty segments. */
function plainName(text: string): string {
  return decoded(text).replace(/[\t\r\n]/g, "").split("/")
    .filter((segment) => segment !== "").join("/");
}

/** Percent-decoded until nothing changes, as a chain of servers may do it. */
function decoded(text: string): string {
  for (let round = 0, current = text;; round++) {
    const next = current.replace(
      /%([0-7][0-9a-f])/gi,
      (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)),
    );
    if (next === current || round > 3) return next;
    current = next;
  }
}

/**
 * True for `spaces/a` where `spaces/a/messages/b` is meant: deleting a message must not delete the
 * space around it.
 */
function isAncestor(op: Op, name: string): boolean {
  const resources = resourcesOf(op);
  const segments = name.split("/");
  if (segments.length % 2 !== 0 || segments.includes(resources.at(-1) ?? "")) return false;
  const named = segments.filter((_segment, at) => at % 2 === 0);
  return resources.some((_resource, at) =>
    at + 1 < resources.length && at < named.length &&
    named.slice(-(at + 1)).join("/") === resources.slice(0, at + 1).join("/")
  );
}

/** `logging.logs.delete` and `logging.projects.logs.delete` do the same to the same thing. */
function isSameAction(left: Op, right: Op): boolean {
  const tail = (op: Op) => op.op_id.split(".").slice(-2).join(".");
  return left.op_id === right.op_id || tail(left) === tail(right);
}

interface Relative {
  relative: Op;
  shape: Shape;
}

const known = new WeakMap<CatalogSnapshot, Map<string, Relative[]>>();

/** The operations of the same service whose addresses are known; found once for a catalog. */
function relatives(op: Op, catalog: CatalogSnapshot): Relative[] {
  const service = op.op_id.slice(0, op.op_id.indexOf("."));
  const ofCatalog = known.get(catalog) ?? new Map<string, Relative[]>();
  known.set(catalog, ofCatalog);
  const found = ofCatalog.get(service) ?? findRelatives(service, catalog);
  ofCatalog.set(service, found);
  return found;
}

function findRelatives(service: string, catalog: CatalogSnapshot): Relative[] {
  const visible = () => catalog.ops.filter(({ op_id }) => op_id.startsWith(`${service}.`));
  return (catalog.everyOp?.(service) ?? visible())
    .flatMap((relative) =>
      relative.variants.flatMap(({ binding }) => {
        if (binding?.http === undefined) return [];
        return [{ relative, shape: shapeOf(relative, binding.http) }];
      })
    )
    // The most telling first: a verb, then an address with an end, then the longest.
    .sort((a, b) =>
      Number(b.shape.verb !== "") - Number(a.shape.verb !== "") ||
      Number(a.shape.isOpen) - Number(b.shape.isOpen) || b.shape.literals - a.shape.literals
    );
}
