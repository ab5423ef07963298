/** What is wrong with a script before it runs. */

/** A place in a script; both numbers count from 1, columns in characters. */
export interface Position {
  line: number;
  column: number;
}

/** Whether the text could not be read, or names something it may not. */
export type SyntaxErrorKind = "syntax error" | "compile error";

/** One thing that keeps a script from running. */
export interface SyntaxProblem extends Position {
  kind: SyntaxErrorKind;
  message: string;
}

/** Thrown by lexer, parser and compiler; nothing else ever is. */
export class ScriptSyntaxError extends Error {
  override readonly name = "ScriptSyntaxError";
  /** At least one, in order of appearance. */
  readonly problems: readonly SyntaxProblem[];

  constructor(problems: readonly SyntaxProblem[]) {
    super(problems[0]?.message ?? "the script cannot be read");
    this.problems = problems;
  }
}

/** A single syntax error. */
export function syntaxError(message: string, at: Position): ScriptSyntaxError {
  return new ScriptSyntaxError([
    { kind: "syntax error", message, line: at.line, column: at.column },
  ]);
}
