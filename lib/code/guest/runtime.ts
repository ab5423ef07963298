/** Steps, call depth and calls: what every other part of the library counts with. */

import { type Callable, ErrorValue, Halt, typeError, typeName, type Value } from "./values.ts";

/** Deepest chain of calls. */
const MAX_DEPTH = 200;
/** Most arguments of a call; a spread can bring in any number. */
const MAX_ARGUMENTS = 256;

/** Counters of the one script this sandbox runs. */
export const counters = {
  steps: 0,
  maxSteps: 10_000_000,
  depth: 0,
  halted: false,
  /** Tells the host why the script ends. */
  halt: (_limit: string): void => {},
};

/** Counts one step. */
export function step(): void {
  if (++counters.steps > counters.maxSteps) stop("steps");
}

/** Counts many steps at once, for library work that grows with its input. */
export function stepBy(count: number): void {
  counters.steps += count;
  if (counters.steps > counters.maxSteps) stop("steps");
}

function stop(limit: string): never {
  counters.halted = true;
  counters.halt(limit);
  throw new Halt();
}

/** What a function is called in messages. */
function shownName(callee: Callable): string {
  return callee.label === "" ? "function" : `function "${callee.label}"`;
}

function checkCount(callee: Callable, given: number): void {
  const { fewest, most } = callee;
  if (given > MAX_ARGUMENTS) {
    throw new ErrorValue(
      "args error",
      `a call takes at most ${MAX_ARGUMENTS} arguments (${given} given)`,
    );
  }
  if (given >= fewest && (most < 0 || given <= most)) return;
  const plural = (count: number) => `${count} argument${count === 1 ? "" : "s"}`;
  const wanted = fewest === most
    ? plural(fewest)
    : most < 0
    ? `at least ${plural(fewest)}`
    : `${fewest} to ${plural(most)}`;
  throw new ErrorValue("args error", `${shownName(callee)} takes ${wanted} (${given} given)`);
}

/** Calls a value. */
export function invoke(callee: Value, args: Value[]): Value {
  if (typeof callee !== "function") {
    throw typeError(`object is not callable (got ${typeName(callee)})`);
  }
  checkCount(callee, args.length);
  if (counters.depth >= MAX_DEPTH) throw new ErrorValue("runtime error", "stack overflow");
  step();
  counters.depth++;
  const result = callee(...args);
  counters.depth--;
  return result;
}

/** What an error is to a script; undefined for what no script may catch. */
export function scriptError(error: unknown): ErrorValue | undefined {
  if (error instanceof ErrorValue) return error;
  // The engine's own complaint: a hoisted function was called before a name it uses was declared.
  return error instanceof ReferenceError
    ? new ErrorValue("runtime error", "variable used before its declaration")
    : undefined;
}

/** Runs `body`; an error of the script that leaves it without a place gets this one. */
export function placed<T>(line: number, column: number, body: () => T): T {
  try {
    return body();
  } catch (error) {
    throw scriptError(error)?.at(line, column) ?? error;
  }
}
