/** Where the engine's parser stopped, for the errors it reports without a place. */

import type { QuickJSContext } from "quickjs-emscripten-core";

/** Reads the text and makes a program of it, but does not run it. */
const COMPILE_ONLY = 1 << 5;

/** A syntax error as the engine reports it. */
export interface SyntaxReport {
  message: string;
  line: number | undefined;
  column: number | undefined;
}

/** Takes a report apart; `line` and `column` are missing when the engine has not noted them. */
export function syntaxReport(report: { message: string; stack: string }): SyntaxReport {
  const [, line, column] = /script:([0-9]+):([0-9]+)/.exec(report.stack) ?? [];
  return {
    message: report.message,
    line: line === undefined ? undefined : Number(line),
    column: column === undefined ? undefined : Number(column),
  };
}

/**
 * The place of an error that has none. The parser reads from left to right, so the shortest
 * beginning of the source with the same error ends where it stopped.
 */
export function findPlace(
  reportOf: (source: string) => SyntaxReport | undefined,
  failed: { source: string; message: string },
): { line: number; column: number } {
  const { source, message } = failed;
  const fails = (length: number) => {
    const report = reportOf(source.slice(0, length));
    return report?.line === undefined && report?.message === message;
  };
  let [low, high] = [0, source.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (fails(middle)) high = middle;
    else low = middle;
  }
  const lines = source.slice(0, high).split(/\r\n|[\r\n\u2028\u2029]/);
  return { line: lines.length, column: Math.max(1, Array.from(lines.at(-1) ?? "").length) };
}

/** Reads a source with the flags of its run; undefined when it can be read. */
export function readOnly(
  context: QuickJSContext,
  flags: number,
): (source: string) => SyntaxReport | undefined {
  return (source) => {
    const read = context.evalCode(source, "script", flags | COMPILE_ONLY);
    if (read.error === undefined) {
      read.value.dispose();
      return undefined;
    }
    using error = read.error;
    const text = (key: string) => {
      using member = context.getProp(error, key);
      return context.typeof(member) === "string" ? context.getString(member) : "";
    };
    return syntaxReport({ message: text("message"), stack: text("stack") });
  };
}
