/**
 * Edits of JSON texts that people also edit: one member is set or removed, every other byte,
 * comments and trailing commas included, stays as it was.
 *
 * @module
 */

import { isJsonObject, type JsonValue, readJson } from "../json/mod.ts";

/** The text is no JSON, even with comments and trailing commas allowed, or no object. */
export class JsoncError extends Error {
  override readonly name = "JsoncError";
}

interface Member {
  key: string;
  /** Offset of the key's opening quote. */
  start: number;
  value: Node;
  /** Offset of the comma after the value, when there is one. */
  comma?: number;
}

interface Node {
  start: number;
  end: number;
  /** Present on objects. */
  members?: Member[];
}

/** A scanned text: where its members are, and what JSON does not know. */
interface Scanned {
  root: Node & { members: Member[] };
  extras: readonly Span[];
}

/** A comment or a trailing comma. */
interface Span {
  start: number;
  end: number;
}

/** Scans a text whose root is an object. @throws JsoncError */
function scan(text: string): Scanned {
  if (text.replace(/^\ufeff/, "").trim() === "") {
    throw new JsoncError("the file is empty; remove it, or put {} into it");
  }
  const scanner = new Scanner(text);
  const root = scanner.document();
  if (root.members === undefined) throw new JsoncError("the file is not a JSON object");
  return { root: { ...root, members: root.members }, extras: scanner.extras };
}

/** A cursor over one text. */
class Scanner {
  readonly #text: string;
  #at = 0;
  /** Comments and trailing commas met so far: with any, the text is more than JSON. */
  readonly extras: Span[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  document(): Node {
    if (this.#text.charCodeAt(0) === 0xfeff) this.#at = 1;
    this.#skip();
    const node = this.#value(0);
    this.#skip();
    if (this.#at < this.#text.length) this.#fail();
    return node;
  }

  #fail(): never {
    const line = this.#text.slice(0, this.#at).split("\n").length;
    throw new JsoncError(`the file is not valid JSON (line ${line})`);
  }

  #skip(): void {
    for (;;) {
      const blank = /[ \t\r\n]*/y;
      blank.lastIndex = this.#at;
      this.#at += blank.exec(this.#text)?.[0].length ?? 0;
      const start = this.#at;
      if (this.#text.startsWith("//", start)) {
        const end = this.#text.indexOf("\n", this.#at);
        this.#at = end < 0 ? this.#text.length : end;
      } else if (this.#text.startsWith("/*", start)) {
        const end = this.#text.indexOf("*/", this.#at + 2);
        if (end < 0) this.#fail();
        this.#at = end + 2;
      } else return;
      this.extras.push({ start, end: this.#at });
    }
  }

  #value(depth: number): Node {
    if (depth > 200) this.#fail();
    const first = this.#text[this.#at];
    if (first === "{") return this.#object(depth);
    if (first === "[") return this.#array(depth);
    const start = this.#at;
    const scalar =
      // deno-lint-ignore no-control-regex -- strings of JSON hold no raw control characters
      /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
    scalar.lastIndex = start;
    const found = scalar.exec(this.#text);
    if (found === null) this.#fail();
    this.#at += found[0].length;
    return { start, end: this.#at };
  }

  #object(depth: number): Node {
    const start = this.#at++;
    const members: Member[] = [];
    this.#skip();
    while (this.#text[this.#at] !== "}") {
      if (this.#text[this.#at] !== '"') this.#fail();
      const key = this.#value(depth + 1);
      this.#skip();
      if (this.#text[this.#at++] !== ":") this.#fail();
      this.#skip();
      const value = this.#value(depth + 1);
      const member: Member = {
        key: String(JSON.parse(this.#text.slice(key.start, key.end))),
        start: key.start,
        value,
      };
      members.push(member);
      this.#skip();
      if (this.#text[this.#at] !== ",") break;
      const comma = member.comma = this.#at++;
      this.#skip();
      if (this.#text[this.#at] === "}") this.extras.push({ start: comma, end: comma + 1 });
    }
    if (this.#text[this.#at++] !== "}") this.#fail();
    return { start, end: this.#at, members };
  }

  #array(depth: number): Node {
    const start = this.#at++;
    this.#skip();
    while (this.#text[this.#at] !== "]") {
      this.#value(depth + 1);
      this.#skip();
      if (this.#text[this.#at] !== ",") break;
      const comma = this.#at++;
      this.#skip();
      if (this.#text[this.#at] === "]") this.extras.push({ start: comma, end: comma + 1 });
    }
    if (this.#text[this.#at++] !== "]") this.#fail();
    return { start, end: this.#at };
  }
}

/** Whether a text holds comments or trailing commas, which a rewrite would lose. @throws JsoncError */
export function hasComments(text: string): boolean {
  return scan(text).extras.length > 0;
}

/** The value of a text, comments and trailing commas left out. @throws JsoncError */
export function jsoncValue(text: string): JsonValue {
  const { root, extras } = scan(text);
  return valueOf(text, { node: root, extras });
}

/** The value at a path of keys; undefined when a key is missing. @throws JsoncError */
export function memberAt(text: string, path: readonly string[]): JsonValue | undefined {
  const { root, extras } = scan(text);
  const found = find(root, path);
  return found === undefined ? undefined : valueOf(text, { node: found.value, extras });
}

/** The value at a path as it is written; undefined when a key is missing. @throws JsoncError */
export function memberText(text: string, path: readonly string[]): string | undefined {
  const found = find(scan(text).root, path);
  return found === undefined ? undefined : text.slice(found.value.start, found.value.end);
}

function valueOf(text: string, part: { node: Node; extras: readonly Span[] }): JsonValue {
  const { node } = part;
  const extras = part.extras
    .filter(({ start, end }) => start >= node.start && end <= node.end)
    .sort((left, right) => left.start - right.start);
  let plain = "";
  let at = node.start;
  for (const { start, end } of extras) {
    plain += text.slice(at, start) + " ";
    at = end;
  }
  return readJson(plain + text.slice(at, node.end)).value;
}

// A key given twice counts once, with its last value, as JSON readers take it.
function last(members: readonly Member[], key: string): Member | undefined {
  return members.findLast((member) => member.key === key);
}

function find(root: Node, path: readonly string[]): Member | undefined {
  let node: Node = root;
  let member: Member | undefined;
  for (const key of path) {
    member = last(node.members ?? [], key);
    if (member === undefined) return undefined;
    node = member.value;
  }
  return member;
}

/**
 * The text with the member at `path` set; missing objects on the way are made.
 *
 * @throws JsoncError when the text is no JSON object, or something else stands on the way.
 */
export function setMember(text: string, path: readonly string[], value: JsonValue): string {
  const { root } = scan(text);
  let node: Node & { members: Member[] } = root;
  for (const [depth, key] of path.entries()) {
    const member = last(node.members, key);
    const rest = path.slice(depth + 1);
    if (member === undefined) {
      const nested = rest.reduceRight<JsonValue>((inner, name) => ({ [name]: inner }), value);
      return insertMember(text, node, { key, value: nested });
    }
    if (rest.length === 0) {
      const style = styleOf(text, node);
      const written = style.inline
        ? JSON.stringify(value)
        : pretty(value, { ...style, indent: lineIndent(text, member.start) });
      return text.slice(0, member.value.start) + written + text.slice(member.value.end);
    }
    const { members } = member.value;
    if (members === undefined) {
      throw new JsoncError(`${path.slice(0, depth + 1).join(".")} is not an object`);
    }
    node = { ...member.value, members };
  }
  return text;
}

/** The text with what is written at `path` exchanged; unchanged when nothing is. @throws JsoncError */
export function replaceMemberText(text: string, path: readonly string[], written: string): string {
  const found = find(scan(text).root, path);
  return found === undefined
    ? text
    : text.slice(0, found.value.start) + written + text.slice(found.value.end);
}

/** The text without the member at `path`; unchanged when there is none. @throws JsoncError */
export function removeMember(text: string, path: readonly string[]): string {
  const { root } = scan(text);
  const parent = path.length === 1 ? root : find(root, path.slice(0, -1))?.value;
  const members = parent?.members ?? [];
  const index = members.findLastIndex((member) => member.key === path.at(-1));
  const member = members[index];
  if (parent === undefined || member === undefined) return text;
  const before = members[index - 1];
  if (before !== undefined) {
    // From the comma before it; a trailing comma of its own stays behind as the new last one.
    const from = member.comma === undefined ? before.comma ?? before.value.end : before.comma ?? 0;
    const to = member.comma === undefined ? member.value.end : member.comma;
    return text.slice(0, from) + text.slice(to);
  }
  const from = parent.start + 1;
  const next = members[1];
  if (next === undefined) {
    const kept = /\S/.test(text.slice(from, member.start)) ? text.slice(from, member.start) : "";
    const tail = text.slice((member.comma ?? member.value.end - 1) + 1, parent.end - 1);
    return text.slice(0, from) + kept + (/\S/.test(tail) || kept !== "" ? tail : "") +
      text.slice(parent.end - 1);
  }
  return text.slice(0, member.start) + text.slice(next.start);
}

interface Style {
  newline: string;
  unit: string;
  indent: string;
  inline: boolean;
}

function styleOf(text: string, node: Node & { members: Member[] }): Style {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const first = node.members[0];
  const outer = lineIndent(text, node.start);
  const unit = indentUnit(text);
  if (first === undefined) {
    return { newline, unit, indent: outer + unit, inline: false };
  }
  const inline = !text.slice(node.start, first.start).includes("\n");
  return { newline, unit, indent: lineIndent(text, first.start), inline };
}

/** Blanks at the start of the line that holds an offset. */
function lineIndent(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

function indentUnit(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
}

function pretty(value: JsonValue, style: Style): string {
  return JSON.stringify(value, null, style.unit).replaceAll("\n", style.newline + style.indent);
}

function insertMember(
  text: string,
  node: Node & { members: Member[] },
  member: { key: string; value: JsonValue },
): string {
  const style = styleOf(text, node);
  const before = node.members.at(-1);
  const key = JSON.stringify(member.key);
  if (before === undefined) {
    const inside = text.slice(node.start + 1, node.end - 1);
    const kept = inside.trimEnd();
    const line = `${style.newline}${style.indent}${key}: ${pretty(member.value, style)}`;
    const closing = `${style.newline}${lineIndent(text, node.start)}`;
    return text.slice(0, node.start + 1) + kept + line + closing + text.slice(node.end - 1);
  }
  const at = before.comma === undefined ? before.value.end : before.comma + 1;
  const separator = before.comma === undefined ? "," : "";
  const trailing = before.comma === undefined ? "" : ",";
  // A comment at the end of the line belongs to the member before.
  const remark = /(?:[ \t]*(?:\/\*[^\n]*?\*\/|\/\/[^\r\n]*))*/y;
  remark.lastIndex = at;
  const comment = style.inline ? "" : remark.exec(text)?.[0] ?? "";
  const written = style.inline
    ? ` ${key}: ${JSON.stringify(member.value)}`
    : `${style.newline}${style.indent}${key}: ${pretty(member.value, style)}`;
  return text.slice(0, at) + separator + comment + written + trailing +
    text.slice(at + comment.length);
}

/** A JSON object as text with sorted keys at every level, two spaces and a final newline. */
export function sortedJson(value: JsonValue): string {
  return JSON.stringify(sorted(value), null, 2) + "\n";
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value).sort().map((key) => [key, sorted(value[key] ?? null)]),
  );
}
