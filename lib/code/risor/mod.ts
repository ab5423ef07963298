/**
 * The script language's front end: from source text to one JavaScript program for the sandbox
 * (spec 09 §11, §13). Nothing of the source reaches the program unescaped.
 *
 * ```ts
 * import { compileRisor } from "./mod.ts";
 *
 * compileRisor("gum_print(1 + 2)"); // text of a function the sandbox calls
 * ```
 *
 * @module
 */

import { emitExpression } from "./emit_expressions.ts";
import { emitBlock, emitBranching, emitPattern, emitStatements } from "./emit_statements.ts";
import { type Emitter, place } from "./emitter.ts";
import { parseScript } from "./parser.ts";
import { newNaming } from "./scope.ts";
import { ScriptSyntaxError, syntaxError } from "./syntax_error.ts";

export { type Position, ScriptSyntaxError, type SyntaxProblem } from "./syntax_error.ts";

/** Names of the primitives that the library hands to a program. */
const PRIMITIVES = [
  "alive",
  "attr",
  "b",
  "bin",
  "call",
  "caught",
  "depth",
  "end",
  "eq",
  "field",
  "fn",
  "idx",
  "in",
  "items",
  "map",
  "mcall",
  "neg",
  "omcall",
  "pairs",
  "s",
  "setattr",
  "setidx",
  "slice",
  "spread",
  "str",
  "t",
  "throw",
  "unlist",
  "unmap",
] as const;

/**
 * Compiles a script into the text of a function over the primitives.
 *
 * @throws ScriptSyntaxError with up to ten problems; nothing else.
 */
export function compileRisor(source: string): string {
  const emitter: Emitter = {
    naming: newNaming(),
    jumps: { canReturn: false, canLoop: false, insideValue: false },
    depth: 0,
    emit: {
      expression: emitExpression,
      block: emitBlock,
      statements: emitStatements,
      branching: emitBranching,
      pattern: emitPattern,
    },
  };
  let body: string;
  try {
    const statements = parseScript(source);
    const last = statements.at(-1);
    // Where the final value comes from: it may turn out to be none that can be put out.
    const end = last === undefined ? "" : `$end(${place(last)});`;
    body = end + emitStatements(emitter, statements, { kind: "return" });
  } catch (error) {
    // The host's own stack is smaller on some machines than the nesting limit assumes.
    if (!(error instanceof RangeError)) throw error;
    throw syntaxError("the script is nested too deeply", { line: 1, column: 1 });
  }
  if (emitter.naming.problems.length > 0) throw new ScriptSyntaxError(emitter.naming.problems);
  const primitives = PRIMITIVES.map((name) => `${name}:$${name}`).join(",");
  return `(function($h){"use strict";const {${primitives}}=$h;let $k;${body}\nreturn null;})`;
}
