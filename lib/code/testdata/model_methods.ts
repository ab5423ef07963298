/**
 * What the model says of methods and slices. It shares no code with the sandbox's library; errors
 * of the library are compared by their kind alone.
 */

import { order, same } from "./model_operators.ts";
import type { ModelValue } from "./model_program.ts";
import {
  asInt,
  asList,
  asString,
  bool,
  chars,
  entryOf,
  failure,
  int,
  keysOf,
  list,
  NIL,
  sortedList,
  str,
} from "./model_values.ts";

/** Where `wanted` begins, in characters, searched naively. */
function find(haystack: string[], wanted: string[], from: "first" | "last"): number {
  const hits: number[] = [];
  for (let at = 0; at + wanted.length <= haystack.length; at++) {
    if (wanted.every((char, offset) => haystack[at + offset] === char)) hits.push(at);
  }
  return (from === "first" ? hits.at(0) : hits.at(-1)) ?? -1;
}

/** Pieces between occurrences, found from the left without overlap. */
function pieces(given: string, separator: string): string[] {
  if (separator === "") return chars(given);
  const [all, by] = [chars(given), chars(separator)];
  const result: string[] = [];
  let piece = "";
  for (let at = 0; at < all.length;) {
    if (by.every((char, offset) => all[at + offset] === char)) {
      result.push(piece);
      piece = "";
      at += by.length;
    } else piece += all[at++];
  }
  return [...result, piece];
}

const TEXT: Record<string, (subject: string, args: ModelValue[]) => ModelValue> = {
  compare: (s, [a]) => int(Math.sign(order(str(s), str(asString(a))))),
  contains: (s, [a]) => bool(find(chars(s), chars(asString(a)), "first") >= 0),
  count: (s, [a]) => {
    const wanted = asString(a);
    return int(wanted === "" ? chars(s).length + 1 : pieces(s, wanted).length - 1);
  },
  fields: (s) =>
    list(
      pieces(chars(s).map((c) => "\t\n\r ".includes(c) ? " " : c).join(""), " ")
        .filter((piece) => piece !== "").map(str),
    ),
  has_prefix: (s, [a]) => {
    const wanted = chars(asString(a));
    return bool(wanted.every((char, at) => chars(s)[at] === char));
  },
  has_suffix: (s, [a]) => {
    const [all, wanted] = [chars(s).reverse(), chars(asString(a)).reverse()];
    return bool(wanted.every((char, at) => all[at] === char));
  },
  index: (s, [a]) => int(find(chars(s), chars(asString(a)), "first")),
  last_index: (s, [a]) => int(find(chars(s), chars(asString(a)), "last")),
  join: (s, [a]) => {
    let joined = "";
    asList(a).forEach((item, at) => joined += (at === 0 ? "" : s) + asString(item));
    return str(joined);
  },
  repeat: (s, [a]) => {
    const times = asInt(a);
    if (times < 0n || times * BigInt(s.length) > 1_048_576n) throw failure("value error");
    return str(Array.from({ length: s === "" ? 0 : Number(times) }, () => s).join(""));
  },
  replace_all: (s, [a, b]) => {
    const [from, to] = [asString(a), asString(b)];
    return str(from === "" ? s : pieces(s, from).join(to));
  },
  split: (s, [a]) => list(pieces(s, asString(a)).map(str)),
  to_lower: (s) => str(s.toLowerCase()),
  to_upper: (s) => str(s.toUpperCase()),
  trim_space: (s) => str(s.replace(/^[ \t\r\n]+/, "").replace(/[ \t\r\n]+$/, "")),
  trim: (s, [a]) => {
    if (a === undefined) return str(s.replace(/^[ \t\r\n]+/, "").replace(/[ \t\r\n]+$/, ""));
    const cut = chars(asString(a));
    let rest = chars(s);
    while (rest.length > 0 && cut.includes(rest[0] ?? "")) rest = rest.slice(1);
    while (rest.length > 0 && cut.includes(rest.at(-1) ?? "")) rest = rest.slice(0, -1);
    return str(rest.join(""));
  },
  trim_prefix: (s, [a]) => {
    const cut = chars(asString(a));
    const all = chars(s);
    return str(cut.every((char, at) => all[at] === char) ? all.slice(cut.length).join("") : s);
  },
  trim_suffix: (s, [a]) => {
    const [all, cut] = [chars(s), chars(asString(a))];
    const start = all.length - cut.length;
    const ends = start >= 0 && cut.every((char, at) => all[start + at] === char);
    return str(ends ? all.slice(0, start).join("") : s);
  },
};

const LIST: Record<
  string,
  (subject: ModelValue & { t: "list" }, args: ModelValue[]) => ModelValue
> = {
  append: (l, args) => {
    for (const arg of args) l.v.push(arg);
    return l;
  },
  clear: (l) => {
    l.v.splice(0, l.v.length);
    return l;
  },
  copy: (l) => list(l.v.slice()),
  count: (l, [a]) => int(l.v.filter((item) => same(item, a ?? NIL)).length),
  extend: (l, [a]) => {
    for (const item of asList(a).slice()) l.v.push(item);
    return l;
  },
  index: (l, [a]) => int(l.v.findIndex((item) => same(item, a ?? NIL))),
  insert: (l, [a, b]) => {
    const wanted = asInt(a);
    const at = wanted < 0n ? wanted + BigInt(l.v.length) : wanted;
    if (at < 0n || at > BigInt(l.v.length)) throw failure("index error");
    l.v.splice(Number(at), 0, b ?? NIL);
    return l;
  },
  pop: (l, [a]) => {
    if (l.v.length === 0) throw failure("index error");
    const wanted = a === undefined ? -1n : asInt(a);
    const at = wanted < 0n ? wanted + BigInt(l.v.length) : wanted;
    if (at < 0n || at >= BigInt(l.v.length)) throw failure("index error");
    return l.v.splice(Number(at), 1)[0] ?? NIL;
  },
  remove: (l, [a]) => {
    const at = l.v.findIndex((item) => same(item, a ?? NIL));
    if (at < 0) throw failure("value error");
    l.v.splice(at, 1);
    return l;
  },
  reverse: (l) => {
    const turned = l.v.slice().reverse();
    l.v.splice(0, l.v.length, ...turned);
    return l;
  },
  sort: (l) => {
    const ordered = sortedList(l.v);
    l.v.splice(0, l.v.length, ...ordered);
    return l;
  },
};

const MAP: Record<string, (subject: ModelValue & { t: "map" }, args: ModelValue[]) => ModelValue> =
  {
    copy: (m) => ({ t: "map", v: m.v.map(([k, v]): [string, ModelValue] => [k, v]) }),
    clear: (m) => {
      m.v.splice(0, m.v.length);
      return m;
    },
    keys: (m) => list(keysOf(m.v).map(str)),
    values: (m) => list(keysOf(m.v).map((key) => entryOf(m.v, key) ?? NIL)),
    entries: (m) => list(keysOf(m.v).map((key) => list([str(key), entryOf(m.v, key) ?? NIL]))),
    get: (m, [a, b]) => entryOf(m.v, asString(a)) ?? b ?? NIL,
    pop: (m, [a, b]) => {
      const at = m.v.findIndex(([key]) => key === asString(a));
      if (at >= 0) return m.v.splice(at, 1)[0]?.[1] ?? NIL;
      asString(a);
      if (b === undefined) throw failure("key error");
      return b;
    },
    setdefault: (m, [a, b]) => {
      const known = entryOf(m.v, asString(a));
      if (known !== undefined) return known;
      m.v.push([asString(a), b ?? NIL]);
      return b ?? NIL;
    },
    update: (m, [a]) => {
      if (a?.t !== "map") throw failure("type error");
      for (const [key, value] of a.v.slice()) {
        const at = m.v.findIndex(([known]) => known === key);
        if (at < 0) m.v.push([key, value]);
        else m.v[at] = [key, value];
      }
      return m;
    },
  };

/** Methods that take anything but one argument: fewest and most. */
const COUNTS: Record<string, Record<string, readonly [number, number]>> = {
  string: {
    fields: [0, 0],
    replace_all: [2, 2],
    to_lower: [0, 0],
    to_upper: [0, 0],
    trim: [0, 1],
    trim_space: [0, 0],
  },
  list: {
    append: [1, 9],
    clear: [0, 0],
    copy: [0, 0],
    insert: [2, 2],
    pop: [0, 1],
    reverse: [0, 0],
    sort: [0, 1],
  },
  map: {
    clear: [0, 0],
    copy: [0, 0],
    entries: [0, 0],
    get: [1, 2],
    keys: [0, 0],
    pop: [1, 2],
    setdefault: [2, 2],
    values: [0, 0],
  },
};

/** `subject.name(args)` of the library's methods. @throws ModelError */
export function callMethod(subject: ModelValue, name: string, args: ModelValue[]): ModelValue {
  const known = <M>(methods: Record<string, M>): M => {
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (method === undefined) throw failure("type error");
    const [fewest, most] = COUNTS[subject.t]?.[name] ?? [1, 1];
    if (args.length < fewest || args.length > most) throw failure("args error");
    return method;
  };
  switch (subject.t) {
    case "string":
      return known(TEXT)(subject.v, args);
    case "list":
      return known(LIST)(subject, args);
    case "map": {
      if (Object.hasOwn(MAP, name)) return known(MAP)(subject, args);
      // A value under that key is called, and no value of the model can be.
      throw failure("type error");
    }
    default:
      throw failure("type error");
  }
}

/** `subject.name`: a key before a method; a method alone is nothing the model can show. */
export function member(subject: ModelValue, name: string, optional: boolean): ModelValue {
  if (optional && subject.t === "nil") return NIL;
  const value = subject.t === "map" ? entryOf(subject.v, name) : undefined;
  if (value !== undefined) return value;
  if (optional && subject.t === "map") return NIL;
  throw failure("type error");
}

/** `subject[from:to]`. */
export function sliced(
  subject: ModelValue,
  from: ModelValue | undefined,
  to: ModelValue | undefined,
): ModelValue {
  if (subject.t !== "string" && subject.t !== "list") throw failure("type error");
  const size = subject.t === "string" ? chars(subject.v).length : subject.v.length;
  const bound = (given: ModelValue | undefined, otherwise: number) => {
    // A bound that is nil is a bound that is missing.
    if (given === undefined || given.t === "nil") return otherwise;
    const wanted = asInt(given);
    const at = wanted < 0n ? wanted + BigInt(size) : wanted;
    if (at < 0n || at > BigInt(size)) throw failure("index error");
    return Number(at);
  };
  const start = bound(from, 0);
  const end = bound(to, size);
  if (start > end) throw failure("index error");
  return subject.t === "string"
    ? str(chars(subject.v).slice(start, end).join(""))
    : list(subject.v.slice(start, end));
}
