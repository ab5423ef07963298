/** Expressions as calls of primitives that carry their position (spec 09 §13). */

import type { Argument, Block, Expression, IfExpression, MapItem } from "./ast.ts";
import { emitFunction } from "./emit_functions.ts";
import { deeper, type Emitter, place, withJumps } from "./emitter.ts";
import { declare, fresh, inScope, readName } from "./scope.ts";

/** JavaScript that evaluates an expression. */
export function emitExpression(emitter: Emitter, expression: Expression): string {
  return deeper(emitter, expression, () => emitValue(emitter, expression));
}

function emitValue(emitter: Emitter, expression: Expression): string {
  const value = (inner: Expression) => emitExpression(emitter, inner);
  const at = place(expression);
  switch (expression.kind) {
    case "int":
      return `${expression.value}n`;
    case "float":
      return Number.isFinite(expression.value) ? String(expression.value) : "(1/0)";
    case "string":
      return JSON.stringify(expression.value);
    case "bool":
      return String(expression.value);
    case "nil":
      return "null";
    case "template":
      return emitTemplate(emitter, expression.parts);
    case "name":
      return readName(emitter.naming, expression);
    case "list":
      return `[${emitItems(emitter, expression.items)}]`;
    case "map":
      return emitMap(emitter, expression.items, at);
    case "unary":
      return expression.operator === "!"
        ? `!$t(${value(expression.operand)})`
        : `$neg(${value(expression.operand)},${at})`;
    case "binary":
      return emitBinary(emitter, expression);
    case "logical":
      return emitLogical(emitter, expression);
    case "pipe":
      return emitPipe(emitter, expression);
    case "call":
      return `$call(${value(expression.callee)},[${emitItems(emitter, expression.args)}],${at})`;
    case "method": {
      const args = `[${emitItems(emitter, expression.args)}]`;
      const subject = value(expression.subject);
      const name = JSON.stringify(expression.name);
      return expression.optional
        ? `$omcall(${subject},${name},()=>${args},${at})`
        : `$mcall(${subject},${name},${args},${at})`;
    }
    case "member":
      return `$attr(${value(expression.subject)},${JSON.stringify(expression.name)},` +
        `${expression.optional},${at})`;
    case "index":
      return `$idx(${value(expression.subject)},${value(expression.index)},${at})`;
    case "slice": {
      const bound = (inner: Expression | undefined) => inner === undefined ? "null" : value(inner);
      return `$slice(${value(expression.subject)},${bound(expression.from)},` +
        `${bound(expression.to)},${at})`;
    }
    case "match":
      return emitMatch(emitter, expression);
    case "function":
      return emitFunctionExpression(emitter, expression);
    case "if": {
      const chosen = emitChoice(emitter, expression);
      if (chosen !== undefined) return chosen;
    }
    // falls through
    case "try":
    case "switch":
      return withJumps(
        emitter,
        { insideValue: true },
        () => `(()=>{${emitter.emit.branching(emitter, expression, { kind: "return" })}})()`,
      );
  }
}

/** Deepest place of an operator form. */
const MAX_SHALLOW = 60;

/**
 * Whether a choice becomes an operator, which costs less stack when it runs, and not a function,
 * which costs less when the engine reads it: recursion is common, such nesting is not.
 */
function isShallow(emitter: Emitter): boolean {
  return emitter.depth <= MAX_SHALLOW;
}

/** An `if` with nothing but one expression in each branch, without a function around it. */
function emitChoice(emitter: Emitter, choice: IfExpression): string | undefined {
  const { then, otherwise } = choice;
  const first = onlyExpression(then);
  if (first === undefined || !isShallow(emitter)) return undefined;
  const second = otherwise === undefined
    ? undefined
    : "kind" in otherwise
    ? otherwise
    : onlyExpression(otherwise);
  if (otherwise !== undefined && second === undefined) return undefined;
  return withJumps(emitter, { insideValue: true }, () => {
    const branch = (value: Expression) =>
      inScope(emitter.naming, () => `($s(),${emitExpression(emitter, value)})`);
    const condition = emitExpression(emitter, choice.condition);
    const yes = branch(first);
    return `($t(${condition})?${yes}:${second === undefined ? "null" : branch(second)})`;
  });
}

function onlyExpression(block: Block): Expression | undefined {
  const [statement] = block.statements;
  const only = block.statements.length === 1 && statement?.kind === "expression";
  // A named function declares its name.
  return only && statement.value.kind !== "function" ? statement.value : undefined;
}

function emitTemplate(emitter: Emitter, parts: (string | Expression)[]): string {
  const pieces = parts.flatMap((part) =>
    typeof part !== "string"
      ? [emitExpression(emitter, part)]
      : part === ""
      ? []
      : [JSON.stringify(part)]
  );
  return flatCall(pieces, (group) => `$str(${group.join(",")})`, (inner) => [inner]);
}

function emitItems(emitter: Emitter, items: readonly Argument[]): string {
  return items.map(({ value, spread }) => {
    const emitted = emitExpression(emitter, value);
    return spread ? `...$spread(${emitted},${place(value)})` : emitted;
  }).join(",");
}

function emitMap(emitter: Emitter, items: readonly MapItem[], at: string): string {
  const entries = items.map((item) =>
    item.kind === "spread"
      ? spreadEntry(emitExpression(emitter, item.value))
      : `${emitExpression(emitter, item.key)},${emitExpression(emitter, item.value)}`
  );
  return flatCall(
    entries,
    (group) => `$map(${[at, ...group].join(",")})`,
    (inner) => [spreadEntry(inner)],
  );
}

/** An entry without a key: all entries of another map. */
function spreadEntry(value: string): string {
  return `void 0,${value}`;
}

/** Most items of one call; the engine takes no more than 65,535 arguments. */
const MAX_FLAT = 250;

/**
 * A call that takes its items one by one, not as an array: every bracket around a nested value
 * costs stack when the engine reads the program. Longer ones are made from calls of their parts.
 */
function flatCall(
  items: readonly string[],
  call: (group: readonly string[]) => string,
  asItems: (inner: string) => string[],
): string {
  if (items.length <= MAX_FLAT) return call(items);
  const groups: string[] = [];
  for (let start = 0; start < items.length; start += MAX_FLAT) {
    groups.push(...asItems(call(items.slice(start, start + MAX_FLAT))));
  }
  return flatCall(groups, call, asItems);
}

function emitBinary(emitter: Emitter, expression: Expression & { kind: "binary" }): string {
  const left = emitExpression(emitter, expression.left);
  const right = emitExpression(emitter, expression.right);
  switch (expression.operator) {
    case "==":
      return `$eq(${left},${right})`;
    case "!=":
      return `!$eq(${left},${right})`;
    case "in":
      return `$in(${left},${right},${place(expression)})`;
    case "not in":
      return `!$in(${left},${right},${place(expression)})`;
    default:
      return `$bin("${expression.operator}",${left},${right},${place(expression)})`;
  }
}

function emitLogical(emitter: Emitter, expression: Expression & { kind: "logical" }): string {
  const left = emitExpression(emitter, expression.left);
  const right = emitExpression(emitter, expression.right);
  if (expression.operator === "??") return `(${left}??${right})`;
  if (!isShallow(emitter)) {
    const kept = fresh(emitter.naming, "k");
    const [yes, no] = expression.operator === "&&" ? [right, kept] : [kept, right];
    return `((${kept})=>$t(${kept})?${yes}:${no})(${left})`;
  }
  // Nothing of the script runs between the two uses, so one variable serves them all.
  return expression.operator === "&&"
    ? `($t($k=${left})?${right}:$k)`
    : `($t($k=${left})?$k:${right})`;
}

function emitPipe(emitter: Emitter, expression: Expression & { kind: "pipe" }): string {
  const { right } = expression;
  const left: Argument = { value: expression.left, spread: false };
  switch (right.kind) {
    case "call":
      return emitExpression(emitter, { ...right, args: [left, ...right.args] });
    case "method":
      return emitExpression(emitter, { ...right, args: [left, ...right.args] });
    default: {
      const { line, column } = expression;
      return emitExpression(emitter, { kind: "call", callee: right, args: [left], line, column });
    }
  }
}

function emitMatch(emitter: Emitter, expression: Expression & { kind: "match" }): string {
  return withJumps(emitter, { insideValue: true }, () => {
    const subject = fresh(emitter.naming, "m");
    const arms = expression.arms.map(({ pattern, guard, value }) => {
      const test = `$eq(${subject},${emitExpression(emitter, pattern)})`;
      const full = guard === undefined ? test : `${test}&&$t(${emitExpression(emitter, guard)})`;
      return `if(${full})return ${emitExpression(emitter, value)};`;
    });
    const fallback = emitExpression(emitter, expression.fallback);
    const value = emitExpression(emitter, expression.subject);
    return `((${subject})=>{${arms.join("")}return ${fallback};})(${value})`;
  });
}

function emitFunctionExpression(
  emitter: Emitter,
  expression: Expression & { kind: "function" },
): string {
  const { name } = expression;
  if (name === undefined) return emitFunction(emitter, expression);
  return inScope(emitter.naming, () => {
    const variable = declare(emitter.naming, name, { constant: true });
    const emitted = emitFunction(emitter, expression);
    return variable === undefined
      ? emitted
      : `(()=>{const ${variable}=${emitted};return ${variable};})()`;
  });
}
