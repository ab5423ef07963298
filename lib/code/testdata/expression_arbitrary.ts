/** Generated expressions of the script language. */

import fc from "fast-check";
import type { Expr, ModelValue, Stmt } from "./model_program.ts";

/** Names that every program declares. */
export const VARS = ["a", "b", "c"];

const edge = fc.constantFrom(
  0n,
  1n,
  2n,
  63n,
  64n,
  9223372036854775807n,
  4294967296n,
  10n,
);
const literal: fc.Arbitrary<ModelValue> = fc.oneof(
  fc.constant<ModelValue>({ t: "nil" }),
  fc.boolean().map((v): ModelValue => ({ t: "bool", v })),
  edge.map((v): ModelValue => ({ t: "int", v })),
  fc.constantFrom(0.5, 1.5, 2, 0.25, 1024).map((v): ModelValue => ({ t: "float", v })),
  fc.constantFrom("", "a", "b", "aé", "😀", "\uffee", 'q"\\', "12", "-7", " a b ", "a,é,a,😀a")
    .map((v): ModelValue => ({ t: "string", v })),
);
/** A literal. */
export const scalar: fc.Arbitrary<Expr> = literal.map((value): Expr => ({ e: "lit", value }));

const arithmetic = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"];
const comparison = ["==", "!=", "<", "<=", ">", ">="];

/** Methods by how many arguments the program gives them. */
const METHODS: Record<string, readonly number[]> = {
  compare: [1],
  contains: [1],
  count: [1],
  fields: [0],
  has_prefix: [1],
  has_suffix: [1],
  index: [1],
  last_index: [1],
  join: [1],
  repeat: [1],
  replace_all: [2],
  split: [1],
  to_lower: [0],
  to_upper: [0],
  trim: [0, 1],
  trim_space: [0],
  trim_prefix: [1],
  trim_suffix: [1],
  copy: [0],
  keys: [0],
  values: [0],
  entries: [0],
  get: [1, 2],
};
/** Methods that change their subject: their arguments hold no containers, so nothing holds itself. */
const MUTATORS: Record<string, readonly number[]> = {
  append: [1, 2],
  clear: [0],
  extend: [1],
  insert: [2],
  pop: [0, 1, 2],
  remove: [1],
  reverse: [0],
  sort: [0],
  setdefault: [2],
  update: [1],
};
const BUILTINS: Record<string, readonly number[]> = {
  len: [1],
  type: [1],
  string: [1],
  bool: [1],
  int: [1],
  float: [1],
  list: [1],
  keys: [1],
  sorted: [1],
  reversed: [1],
  any: [1],
  all: [1],
  chunk: [2],
  coalesce: [0, 1, 2],
  "math.abs": [1],
  "math.floor": [1],
  "math.sum": [1],
  hex: [1],
  base64: [1],
  unbase64: [1],
  json: [1],
  unjson: [1],
  "%5v|%-4v|": [2],
  "%d": [1],
};

function named(
  names: Record<string, readonly number[]>,
  argument: fc.Arbitrary<Expr>,
): fc.Arbitrary<{ name: string; args: Expr[] }> {
  const shapes = Object.entries(names).flatMap(([name, counts]) =>
    counts.map((count) => ({ name, count }))
  );
  return fc.constantFrom(...shapes).chain(({ name, count }) =>
    fc.array(argument, { minLength: count, maxLength: count }).map((args) => ({ name, args }))
  );
}

/** A literal, or a container of literals. */
export const flat: fc.Arbitrary<Expr> = fc.oneof(
  { weight: 4, arbitrary: scalar },
  fc.array(scalar, { maxLength: 3 }).map((items): Expr => ({ e: "list", items })),
  fc.array(fc.tuple(fc.constantFrom("k", "é", "a", "values"), scalar), { maxLength: 3 })
    .map((items): Expr => ({ e: "map", items })),
);
/** For `append` and its like a container would do, too, if it could not be the subject itself. */
export const mutation = named(MUTATORS, flat);

/** A text of few forms, so that two of them have something in common. */
export const words = fc.constantFrom("", "a", "é,a", " 12 ", "aéa😀").map((v): Expr => ({
  e: "lit",
  value: { t: "string", v },
}));
/** What an expression gives: `expression` may give anything, and often fails. */
type ExprKind = "expression" | "number" | "text" | "list" | "map";
type Tie = (kind: ExprKind) => fc.Arbitrary<Expr>;

const method = (
  [x, name, args]: [Expr, string, Expr[]],
): Expr => ({ e: "method", x, name, args });
const builtin = ([name, ...args]: [string, ...Expr[]]): Expr => ({ e: "builtin", name, args });
const small = fc.constantFrom(0n, 1n, 2n, 3n, -1n, -2n).map((v): Expr =>
  v < 0n
    ? { e: "neg", x: { e: "lit", value: { t: "int", v: -v } } }
    : { e: "lit", value: { t: "int", v } }
);

/** Expressions whose types fit, so that most of them have a value. */
function typed(tie: Tie): Record<Exclude<ExprKind, "expression">, fc.Arbitrary<Expr>> {
  const [any, number, text, list, map] = [
    tie("expression"),
    tie("number"),
    tie("text"),
    tie("list"),
    tie("map"),
  ];
  const branch = { maxDepth: 4, depthIdentifier: "program" };
  const one = (
    subject: fc.Arbitrary<Expr>,
    names: string[],
    ...args: fc.Arbitrary<Expr>[]
  ): fc.Arbitrary<Expr> =>
    fc.tuple(subject, fc.constantFrom(...names), fc.tuple(...args)).map(method);
  const of = (names: string[], ...args: fc.Arbitrary<Expr>[]): fc.Arbitrary<Expr> =>
    fc.tuple(fc.constantFrom(...names), fc.tuple(...args))
      .map(([name, given]) => builtin([name, ...given]));
  const cut = (subject: fc.Arbitrary<Expr>): fc.Arbitrary<Expr> =>
    fc.tuple(subject, small, fc.boolean()).map(([x, at, start]): Expr =>
      start ? { e: "slice", x, from: at } : { e: "slice", x, to: at }
    );
  const over = (names: ("map" | "filter" | "pairs")[], body: fc.Arbitrary<Expr>) =>
    fc.record({
      e: fc.constant("callback" as const),
      x: list,
      name: fc.constantFrom(...names),
      body,
    });
  const changed = (subject: fc.Arbitrary<Expr>, names: string[], ...args: fc.Arbitrary<Expr>[]) =>
    one(subject.map((x) => method([x, "copy", []])), names, ...args);
  return {
    number: fc.oneof(
      branch,
      small,
      edge.map((v): Expr => ({ e: "lit", value: { t: "int", v } })),
      fc.constantFrom(0.5, 1.5, -2.25, 1e21, 3).map((v): Expr => ({
        e: "neg",
        x: { e: "lit", value: { t: "float", v: Math.abs(v) } },
      })),
      fc.tuple(fc.constantFrom(...arithmetic), number, number)
        .map(([op, l, r]): Expr => ({ e: "bin", op, l, r })),
      of(["len"], fc.oneof(text, list, map)),
      of(["math.abs", "math.floor", "int", "float"], number),
      of(["int"], text),
      one(text, ["index", "last_index", "count", "compare"], text),
      one(list, ["count", "index"], any),
      fc.record({
        e: fc.constant("callback" as const),
        x: list,
        name: fc.constant("reduce" as const),
        body: number,
      }),
    ),
    text: fc.oneof(
      branch,
      words,
      fc.array(fc.oneof(fc.constantFrom("", "<", "é"), any), { maxLength: 3 })
        .map((parts): Expr => ({ e: "template", parts })),
      fc.tuple(text, text).map(([l, r]): Expr => ({ e: "bin", op: "+", l, r })),
      of(["string", "type", "json", "%d"], any),
      of(["%5v|%-4v|"], any, any),
      of(["hex", "base64", "unbase64", "reversed"], text),
      one(text, ["to_lower", "to_upper", "trim_space", "trim"]),
      one(text, ["trim", "trim_prefix", "trim_suffix"], text),
      one(text, ["replace_all"], text, text),
      one(text, ["repeat"], small),
      one(text, ["join"], one(text, ["split"], text)),
      cut(text),
      fc.tuple(text, small).map(([x, i]): Expr => ({ e: "index", x, i })),
    ),
    list: fc.oneof(
      branch,
      fc.array(any, { maxLength: 3 }).map((items): Expr => ({ e: "list", items })),
      one(text, ["fields"]),
      one(text, ["split"], text),
      one(map, ["keys", "values", "entries"]),
      one(list, ["copy"]),
      of(["list"], fc.oneof(text, list, map)),
      of(["sorted"], fc.oneof(text, map, one(text, ["split"], text))),
      of(["sorted"], over(["map"], number)),
      of(["keys"], map),
      of(["reversed", "unjson"], list),
      of(["chunk"], list, small),
      over(["map", "filter", "pairs"], any),
      changed(list, ["reverse", "sort", "clear"]),
      changed(list, ["append", "remove"], any),
      changed(list, ["insert"], small, any),
      changed(list, ["extend"], list),
      cut(list),
      fc.tuple(list, list).map(([l, r]): Expr => ({ e: "bin", op: "+", l, r })),
    ),
    map: fc.oneof(
      branch,
      fc.array(fc.tuple(fc.constantFrom("k", "é", "a", "values"), any), { maxLength: 3 })
        .map((items): Expr => ({ e: "map", items })),
      one(map, ["copy"]),
      of(["unjson"], map),
      changed(map, ["update"], map),
      changed(map, ["clear"]),
    ),
  };
}

/** An assignment of what `x` gives to one of the names. */
export function assignmentOf(x: fc.Arbitrary<Expr>): fc.Arbitrary<Stmt> {
  return fc.record({
    s: fc.constant("set" as const),
    name: fc.constantFrom(...VARS),
    op: fc.constantFrom("=", "+=", "-=", "*=") as fc.Arbitrary<"=" | "+=" | "-=" | "*=">,
    x,
  });
}

/** Any expression; some fit together, some do not. */
export const { expression } = fc.letrec<Record<ExprKind, Expr>>((tie) => {
  const x = tie("expression");
  const set = assignmentOf(x);
  const branch = { maxDepth: 4, depthIdentifier: "program" };
  return {
    ...typed(tie),
    expression: fc.oneof(
      branch,
      { weight: 4, arbitrary: tie("number") },
      { weight: 8, arbitrary: tie("text") },
      { weight: 8, arbitrary: tie("list") },
      { weight: 4, arbitrary: tie("map") },
      literal.map((value): Expr => ({ e: "lit", value })),
      fc.constantFrom(...VARS).map((name): Expr => ({ e: "var", name })),
      fc.tuple(fc.constantFrom(...arithmetic), x, x).map(([op, l, r]): Expr => ({
        e: "bin",
        op,
        l,
        r,
      })),
      fc.tuple(fc.constantFrom(...comparison), x, x).map(([op, l, r]): Expr => ({
        e: "bin",
        op,
        l,
        r,
      })),
      fc.tuple(fc.constantFrom<"not" | "neg">("not", "neg"), x).map(([e, inner]): Expr => ({
        e,
        x: inner,
      })),
      fc.tuple(fc.constantFrom<"and" | "or" | "coalesce">("and", "or", "coalesce"), x, x)
        .map(([e, l, r]): Expr => ({ e, l, r })),
      fc.tuple(x, x, x).map(([c, a, b]): Expr => ({ e: "if", c, a, b })),
      fc.array(x, { maxLength: 3 }).map((items): Expr => ({ e: "list", items })),
      fc.array(fc.tuple(fc.constantFrom("k", "é", "a"), x), { maxLength: 3 })
        .map((items): Expr => ({ e: "map", items })),
      fc.tuple(x, x).map(([inner, i]): Expr => ({ e: "index", x: inner, i })),
      fc.tuple(x, x).map(([l, r]): Expr => ({ e: "in", l, r })),
      fc.array(fc.oneof(fc.constantFrom("", "<", "é"), x), { maxLength: 3 })
        .map((parts): Expr => ({ e: "template", parts })),
      fc.tuple(fc.constantFrom(...VARS), x, x).map(([parameter, body, arg]): Expr => ({
        e: "apply",
        parameter,
        body,
        arg,
      })),
      fc.tuple(x, fc.array(fc.tuple(x, x), { maxLength: 2 }), x)
        .map(([subject, arms, otherwise]): Expr => ({ e: "match", x: subject, arms, otherwise })),
      fc.tuple(x, x).map(([body, caught]): Expr => ({ e: "try", body, caught })),
      x.map((body): Expr => ({ e: "kind", body })),
      fc.record({ e: fc.constant("slice" as const), x, from: fc.option(x), to: fc.option(x) })
        .map(({ from, to, ...rest }): Expr => ({
          ...rest,
          ...(from === null ? {} : { from }),
          ...(to === null ? {} : { to }),
        })),
      fc.record({
        e: fc.constant("member" as const),
        x,
        name: fc.constantFrom("k", "é", "a"),
        optional: fc.boolean(),
      }),
      {
        weight: 3,
        arbitrary: fc.tuple(x, named(METHODS, x), fc.boolean()).map(
          ([subject, called, piped]): Expr => ({ e: "method", x: subject, ...called, piped }),
        ),
      },
      fc.tuple(x, mutation).map(([subject, called]): Expr => ({
        e: "method",
        x: { e: "method", x: subject, name: "copy", args: [] },
        ...called,
      })),
      {
        weight: 3,
        arbitrary: fc.tuple(named(BUILTINS, x), fc.boolean()).map(
          ([called, piped]): Expr => ({ e: "builtin", ...called, piped }),
        ),
      },
      fc.record({
        e: fc.constant("callback" as const),
        x,
        name: fc.constantFrom("map" as const, "filter" as const, "pairs" as const),
        body: x,
      }),
      fc.record({
        e: fc.constant("callback" as const),
        x,
        name: fc.constant("reduce" as const),
        body: x,
      }),
      fc.tuple(x, fc.constantFrom("len", "type", "string")).map(([subject, by]): Expr => ({
        e: "callback",
        x: subject,
        name: "sort",
        body: {
          e: "bin",
          op: "<",
          l: { e: "builtin", name: by, args: [{ e: "var", name: "a" }] },
          r: { e: "builtin", name: by, args: [{ e: "var", name: "b" }] },
        },
      })),
      fc.tuple(fc.array(set, { maxLength: 2 }), x).map(([body, result]): Expr => ({
        e: "block",
        body,
        result,
      })),
      fc.tuple(x, set).map(([body, last]): Expr => ({ e: "finally", body, last })),
    ),
  };
});
