/** Generated programs of the script language. */

import fc from "fast-check";
import {
  assignmentOf,
  expression,
  flat,
  mutation,
  scalar,
  VARS,
  words,
} from "./expression_arbitrary.ts";
import type { Expr, Program, Stmt } from "./model_program.ts";

const jump = fc.constantFrom<Stmt>({ s: "break" }, { s: "continue" });
const assignment = assignmentOf(expression);
const simple: fc.Arbitrary<Stmt> = fc.oneof(
  { weight: 8, arbitrary: assignment },
  {
    weight: 2,
    arbitrary: fc.record({
      s: fc.constant("index" as const),
      name: fc.constantFrom(...VARS),
      key: scalar,
      op: fc.constantFrom("=" as const, "+=" as const),
      x: fc.oneof(
        scalar,
        expression.map((inner): Expr => ({
          e: "builtin",
          name: "string",
          args: [inner],
        })),
      ),
    }),
  },
  { weight: 1, arbitrary: expression.map((x): Stmt => ({ s: "return", x })) },
  { weight: 1, arbitrary: expression.map((x): Stmt => ({ s: "throw", x })) },
);

function statement(depth: number, inLoop: boolean): fc.Arbitrary<Stmt> {
  const own = inLoop ? fc.oneof({ weight: 4, arbitrary: simple }, jump) : simple;
  if (depth === 0) return own;
  const block = (loop: boolean) => fc.array(statement(depth - 1, loop), { maxLength: 3 });
  return fc.oneof(
    { weight: 3, arbitrary: own },
    fc.record({
      s: fc.constant("for" as const),
      name: fc.constantFrom("i", "a"),
      x: expression,
      body: block(true),
    }),
    fc.record({
      s: fc.constant("if" as const),
      c: expression,
      a: block(inLoop),
      b: block(inLoop),
    }),
    fc.record({
      s: fc.constant("switch" as const),
      x: expression,
      cases: fc.array(
        fc.tuple(fc.array(expression, { minLength: 1, maxLength: 2 }), block(inLoop)),
        { maxLength: 3 },
      ),
      otherwise: block(inLoop),
    }),
  );
}

/** Only outside of loops and callbacks: a list that grows while it is walked has no end. */
const change: fc.Arbitrary<Stmt> = fc.tuple(fc.constantFrom(...VARS), mutation).map(
  ([name, called]): Stmt => ({ s: "do", x: { e: "method", x: { e: "var", name }, ...called } }),
);
const start: fc.Arbitrary<Expr> = fc.oneof(
  scalar,
  flat,
  words,
  fc.array(words, { maxLength: 4 }).map((items): Expr => ({ e: "list", items })),
);

/** Programs that use most of the language; some of their expressions fit, some do not. */
export const program: fc.Arbitrary<Program> = fc.record({
  starts: fc.tuple(start, start, start),
  body: fc.array(
    fc.tuple(fc.oneof({ weight: 4, arbitrary: statement(2, false) }, change), fc.boolean())
      .map(([stmt, guarded]): Stmt => guarded ? { s: "guard", body: [stmt] } : stmt),
    { maxLength: 5 },
  ),
  result: expression,
}).map(({ starts, body, result }) => ({
  body: [
    ...VARS.map((name, index): Stmt => ({
      s: "let",
      name,
      x: starts[index] ?? { e: "lit", value: { t: "nil" } },
    })),
    ...body,
  ],
  result,
}));
