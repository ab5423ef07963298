/** What the two halves of the emitter share: names, nesting, and where a value goes. */

import type { Block, Expression, Pattern, Statement } from "./ast.ts";
import { type Position, syntaxError } from "./syntax_error.ts";
import type { Naming } from "./scope.ts";

/** What becomes of the value of a statement list. */
export type Sink = { kind: "discard" } | { kind: "return" } | { kind: "assign"; variable: string };

/** Which jumps the place allows; `reason` says why the others are refused. */
export interface Jumps {
  canReturn: boolean;
  canLoop: boolean;
  /** Inside an if, try or switch that is used as a value. */
  insideValue: boolean;
}

/** One compilation in progress. */
export interface Emitter {
  readonly naming: Naming;
  jumps: Jumps;
  depth: number;
  readonly emit: EmitRules;
}

/** The mutually recursive rules, so that the files need not import each other. */
export interface EmitRules {
  expression(emitter: Emitter, expression: Expression): string;
  /** Statements in a scope of their own, without braces. */
  block(emitter: Emitter, block: Block, sink: Sink): string;
  /** Statements in the scope that is already there. */
  statements(emitter: Emitter, statements: readonly Statement[], sink: Sink): string;
  /** An if, try or switch whose branches send their values to the sink. */
  branching(emitter: Emitter, branching: Expression, sink: Sink): string;
  /** Declares the names of a pattern from an emitted value. */
  pattern(emitter: Emitter, destructured: { pattern: Pattern; value: string }): string;
}

/** Deepest syntax tree: the sandbox parses the emitted program on a small stack. */
const MAX_DEPTH = 500;

/** Runs `emit` one level deeper. */
export function deeper<T>(emitter: Emitter, at: Position, emit: () => T): T {
  if (++emitter.depth > MAX_DEPTH) throw syntaxError("the script is nested too deeply", at);
  const result = emit();
  emitter.depth--;
  return result;
}

/** Runs `emit` where other jumps are allowed. */
export function withJumps<T>(emitter: Emitter, jumps: Partial<Jumps>, emit: () => T): T {
  const outer = emitter.jumps;
  emitter.jumps = { ...outer, ...jumps };
  const result = emit();
  emitter.jumps = outer;
  return result;
}

/** The two numbers that every call of a primitive ends with. */
export function place(at: Position): string {
  return `${at.line},${at.column}`;
}

/** A statement that sends `value` where the sink wants it. */
export function store(sink: Sink, value: string): string {
  switch (sink.kind) {
    case "discard":
      return `${value};`;
    case "return":
      return `return ${value};`;
    case "assign":
      return `${sink.variable}=${value};`;
  }
}
