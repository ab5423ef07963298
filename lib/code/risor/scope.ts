/** Which name means which variable, and what may be written (spec 09 §11.3). */

import type { Name } from "./ast.ts";
import { PREDECLARED, suggestion } from "./names.ts";
import type { Position, SyntaxProblem } from "./syntax_error.ts";

/** A variable of the emitted program. */
interface Variable {
  /** Its name there; never the script's own spelling. */
  emitted: string;
  constant: boolean;
}

/** The names of one block. */
export interface Scope {
  readonly names: Map<string, Variable>;
  readonly parent: Scope | undefined;
}

/** Names and problems of one compilation. */
export interface Naming {
  scope: Scope;
  /** Numbers emitted variables. */
  counter: number;
  readonly problems: SyntaxProblem[];
}

/** Most problems that one compilation reports. */
const MAX_PROBLEMS = 10;

/** The state a compilation starts with. */
export function newNaming(): Naming {
  return { scope: { names: new Map(), parent: undefined }, counter: 0, problems: [] };
}

/** Runs `emit` in a scope of its own. */
export function inScope<T>(naming: Naming, emit: () => T): T {
  const outer = naming.scope;
  naming.scope = { names: new Map(), parent: outer };
  const result = emit();
  naming.scope = outer;
  return result;
}

/** Keeps a problem; past the tenth nothing new is learned. */
export function report(naming: Naming, message: string, at: Position): void {
  if (naming.problems.length >= MAX_PROBLEMS) return;
  naming.problems.push({ kind: "compile error", message, line: at.line, column: at.column });
}

/** Declares a name in the innermost scope and gives its emitted name; undefined for `_`. */
export function declare(
  naming: Naming,
  name: Name,
  options: { constant?: boolean } = {},
): string | undefined {
  if (name.text === "_") return undefined;
  const { scope } = naming;
  const predeclared = scope.parent === undefined && PREDECLARED.has(name.text);
  if (predeclared || scope.names.has(name.text)) {
    report(naming, `variable "${name.text}" already exists`, name);
  }
  const emitted = fresh(naming, name.text);
  scope.names.set(name.text, { emitted, constant: options.constant ?? false });
  return emitted;
}

/** A variable name no script can spell. */
export function fresh(naming: Naming, text = "t"): string {
  const readable = /^[A-Za-z_][A-Za-z0-9_]*$/.test(text) ? text : "u";
  return `${readable}$${++naming.counter}`;
}

/** Emitted text that reads a name. */
export function readName(naming: Naming, name: Name): string {
  if (name.text === "_") {
    report(naming, "cannot use _ as value", name);
    return "null";
  }
  const variable = find(naming.scope, name.text);
  if (variable !== undefined) return variable.emitted;
  if (PREDECLARED.has(name.text)) return `$b.${name.text}`;
  reportUndefined(naming, name);
  return "null";
}

/** Emitted name of a variable that may be written. */
export function writeName(naming: Naming, name: Name, at: Position): string {
  if (name.text === "_") return readName(naming, name);
  const variable = find(naming.scope, name.text);
  const constant = variable?.constant ?? PREDECLARED.has(name.text);
  if (constant) report(naming, `cannot assign to constant "${name.text}"`, at);
  else if (variable === undefined) reportUndefined(naming, name);
  return variable?.emitted ?? "_";
}

function reportUndefined(naming: Naming, name: Name): void {
  // Every visible name is looked at: not again and again for problems that nobody is told.
  if (naming.problems.length >= MAX_PROBLEMS) return;
  const near = suggestion(name.text, visibleNames(naming.scope));
  const hint = near === undefined ? "" : ` (did you mean "${near}"?)`;
  report(naming, `undefined variable "${name.text}"${hint}`, name);
}

function find(scope: Scope | undefined, name: string): Variable | undefined {
  for (let current = scope; current !== undefined; current = current.parent) {
    const variable = current.names.get(name);
    if (variable !== undefined) return variable;
  }
  return undefined;
}

function* visibleNames(scope: Scope): Iterable<string> {
  for (let current: Scope | undefined = scope; current !== undefined; current = current.parent) {
    yield* current.names.keys();
  }
  yield* PREDECLARED;
}
