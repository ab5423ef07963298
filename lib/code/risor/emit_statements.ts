/** Statements as native JavaScript statements (spec 09 §13). */

import type {
  Block,
  Expression,
  Pattern,
  Statement,
  SwitchExpression,
  TryExpression,
} from "./ast.ts";
import { deeper, type Emitter, place, type Sink, store, withJumps } from "./emitter.ts";
import { emitFunction } from "./emit_functions.ts";
import { declare, fresh, inScope, report, writeName } from "./scope.ts";

/** Statements in a scope of their own. */
export function emitBlock(emitter: Emitter, block: Block, sink: Sink): string {
  return inScope(emitter.naming, () => emitStatements(emitter, block.statements, sink));
}

/** Statements in the current scope; the last one's value goes to the sink. */
export function emitStatements(
  emitter: Emitter,
  statements: readonly Statement[],
  sink: Sink,
): string {
  const hoisted = new Map<Statement, string>();
  for (const statement of statements) {
    const named = namedFunction(statement);
    if (named?.name === undefined) continue;
    const variable = declare(emitter.naming, named.name, { constant: true });
    if (variable === undefined) report(emitter.naming, "cannot use _ as value", named.name);
    else hoisted.set(statement, variable);
  }
  const functions: string[] = [];
  const emitted: string[] = [];
  statements.forEach((statement, index) => {
    const target: Sink = index === statements.length - 1 ? sink : { kind: "discard" };
    const variable = hoisted.get(statement);
    const named = namedFunction(statement);
    if (variable === undefined || named === undefined) {
      emitted.push(`$s();${emitStatement(emitter, statement, target)}`);
      return;
    }
    functions.push(`const ${variable}=${emitFunction(emitter, named)};`);
    if (target.kind !== "discard") emitted.push(store(target, variable));
  });
  if (statements.length === 0 && sink.kind !== "discard") emitted.push(store(sink, "null"));
  return functions.join("") + emitted.join("\n");
}

function namedFunction(statement: Statement) {
  if (statement.kind !== "expression" || statement.value.kind !== "function") return undefined;
  return statement.value.name === undefined ? undefined : statement.value;
}

function emitStatement(emitter: Emitter, statement: Statement, sink: Sink): string {
  const { naming, emit } = emitter;
  switch (statement.kind) {
    case "expression":
      return emitExpressionStatement(emitter, statement, sink);
    case "let": {
      const { before, value } = emitOwnValue(emitter, statement.value);
      const [name] = statement.names;
      if (name !== undefined && statement.names.length === 1) {
        const variable = declare(naming, name);
        const bind = variable === undefined ? `${value};` : `let ${variable}=${value};`;
        return before + bind + nil(sink);
      }
      const items = statement.names.map((each) => ({ name: each, fallback: undefined }));
      const at = name ?? statement;
      const pattern: Pattern = { kind: "list", items, line: at.line, column: at.column };
      return before + emitPattern(emitter, { pattern, value }) + nil(sink);
    }
    case "let_pattern": {
      const { before, value } = emitOwnValue(emitter, statement.value);
      return before + emitPattern(emitter, { pattern: statement.pattern, value }) + nil(sink);
    }
    case "const": {
      const { before, value } = emitOwnValue(emitter, statement.value);
      const variable = declare(naming, statement.name, { constant: true });
      const bind = variable === undefined ? `${value};` : `const ${variable}=${value};`;
      return before + bind + nil(sink);
    }
    case "assign":
      return emitAssignment(emitter, statement) + nil(sink);
    case "return":
      checkJump(emitter, statement);
      return emitReturn(emitter, statement.value);
    case "throw":
      return `$throw(${emit.expression(emitter, statement.value)},${place(statement)});`;
    case "break":
    case "continue":
      checkJump(emitter, statement);
      return `${statement.kind};`;
    case "for":
      return emitFor(emitter, statement) + nil(sink);
    case "while": {
      const condition = emit.expression(emitter, statement.condition);
      const body = loopBody(emitter, statement.body);
      return `while($t(${condition})){$s();${body}}` + nil(sink);
    }
  }
}

/** Expressions that choose, which are native statements wherever a statement may stand. */
function branches(expression: Expression): boolean {
  return ["if", "try", "switch"].includes(expression.kind);
}

/** The value of a declaration; branches need no function of their own in front of it. */
function emitOwnValue(
  emitter: Emitter,
  expression: Expression,
): { before: string; value: string } {
  if (!branches(expression)) {
    return { before: "", value: emitter.emit.expression(emitter, expression) };
  }
  const value = fresh(emitter.naming, "v");
  const sink: Sink = { kind: "assign", variable: value };
  return { before: `let ${value};${emitAsValue(emitter, expression, sink)}`, value };
}

function emitReturn(emitter: Emitter, value: Expression | undefined): string {
  if (value === undefined) return "return null;";
  return branches(value)
    ? emitAsValue(emitter, value, { kind: "return" })
    : `return ${emitter.emit.expression(emitter, value)};`;
}

function emitAsValue(emitter: Emitter, expression: Expression, sink: Sink): string {
  return withJumps(emitter, { insideValue: true }, () => emitBranching(emitter, expression, sink));
}

function nil(sink: Sink): string {
  return sink.kind === "discard" ? "" : store(sink, "null");
}

function emitExpressionStatement(
  emitter: Emitter,
  statement: Statement & { kind: "expression" },
  sink: Sink,
): string {
  const { value } = statement;
  switch (value.kind) {
    case "if":
    case "try":
    case "switch":
      return emitBranching(emitter, value, sink);
    default:
      return store(sink, emitter.emit.expression(emitter, value));
  }
}

/** An if, try or switch whose branches send their values to the sink. */
export function emitBranching(
  emitter: Emitter,
  branching: Extract<Statement, { kind: "expression" }>["value"],
  sink: Sink,
): string {
  return deeper(emitter, branching, () => {
    switch (branching.kind) {
      case "if": {
        const condition = emitter.emit.expression(emitter, branching.condition);
        const then = emitBlock(emitter, branching.then, sink);
        const { otherwise } = branching;
        const rest = otherwise === undefined
          ? nil(sink)
          : "kind" in otherwise
          ? emitBranching(emitter, otherwise, sink)
          : emitBlock(emitter, otherwise, sink);
        return `if($t(${condition})){${then}}else{${rest}}`;
      }
      case "try":
        return emitTry(emitter, branching, sink);
      case "switch":
        return emitSwitch(emitter, branching, sink);
      default:
        throw new TypeError(`${branching.kind} does not branch`);
    }
  });
}

function emitTry(emitter: Emitter, branching: TryExpression, sink: Sink): string {
  const { naming } = emitter;
  const depth = fresh(naming, "d");
  let emitted = `const ${depth}=$depth();try{${emitBlock(emitter, branching.body, sink)}}`;
  const { caught, last } = branching;
  if (caught !== undefined) {
    const error = fresh(naming, "x");
    emitted += inScope(naming, () => {
      const name = caught.name === undefined ? undefined : declare(naming, caught.name);
      const value = `$caught(${error},${depth})`;
      const bind = name === undefined ? `${value};` : `let ${name}=${value};`;
      return `catch(${error}){${bind}${emitStatements(emitter, caught.body.statements, sink)}}`;
    });
  }
  if (last !== undefined) {
    // After a limit nothing of the script runs any more, not even this.
    emitted += `finally{$alive(${depth});${emitBlock(emitter, last, { kind: "discard" })}}`;
  }
  return `{${emitted}}`;
}

/** A chain of comparisons, so that `break` and `continue` still mean the loop around. */
function emitSwitch(emitter: Emitter, branching: SwitchExpression, sink: Sink): string {
  const subject = fresh(emitter.naming, "s");
  const arms = branching.cases.map(({ values, body }) => {
    const tests = values.map((value) =>
      `$eq(${subject},${emitter.emit.expression(emitter, value)})`
    );
    return { test: tests.join("||"), body: emitBlock(emitter, body, sink) };
  });
  const fallback = branching.fallback === undefined
    ? nil(sink)
    : emitBlock(emitter, branching.fallback, sink);
  const label = fresh(emitter.naming, "l");
  // Labelled, not chained by else: a thousand cases must not nest a thousand deep.
  const tests = arms.map(({ test, body }) => `if(${test}){${body}break ${label};}`).join("");
  const value = emitter.emit.expression(emitter, branching.subject);
  return `${label}:{const ${subject}=${value};${tests}${fallback}}`;
}

function emitFor(emitter: Emitter, statement: Statement & { kind: "for" }): string {
  const { naming, emit } = emitter;
  const subject = emit.expression(emitter, statement.subject);
  return inScope(naming, () => {
    const [first, second] = statement.names;
    const firstName = first && (declare(naming, first) ?? fresh(naming));
    const secondName = second && (declare(naming, second) ?? fresh(naming));
    const body = loopBody(emitter, statement.body);
    const at = place(statement.subject);
    return secondName === undefined
      ? `for(let ${firstName} of $items(${subject},${at})){$s();${body}}`
      : `for(let [${firstName},${secondName}] of $pairs(${subject},${at})){$s();${body}}`;
  });
}

function loopBody(emitter: Emitter, body: Block): string {
  return withJumps(
    emitter,
    { canLoop: true },
    () => deeper(emitter, body, () => emitBlock(emitter, body, { kind: "discard" })),
  );
}

function emitAssignment(emitter: Emitter, statement: Statement & { kind: "assign" }): string {
  const { naming, emit } = emitter;
  const { target, operator } = statement;
  const at = place(statement);
  if (target.kind === "name") {
    const value = emit.expression(emitter, statement.value);
    if (target.text === "_" && operator === "=") return `${value};`;
    const variable = writeName(naming, target, statement);
    return operator === "="
      ? `${variable}=${value};`
      : `${variable}=$bin("${operator}",${variable},${value},${at});`;
  }
  const subject = emit.expression(emitter, target.subject);
  const key = target.kind === "member"
    ? JSON.stringify(target.name)
    : emit.expression(emitter, target.index);
  const primitive = target.kind === "member" ? "$setattr" : "$setidx";
  const right = emit.expression(emitter, statement.value);
  // What is there is read before the right side runs, which may change it.
  const value = operator === "=" ? right : `()=>${right}`;
  return `${primitive}(${subject},${key},"${operator}",${value},${at});`;
}

/** Declares the names of a pattern from an emitted value. */
export function emitPattern(
  emitter: Emitter,
  destructured: { pattern: Pattern; value: string },
): string {
  const { naming, emit } = emitter;
  const { pattern, value } = destructured;
  const at = place(pattern);
  const source = fresh(naming);
  const opened = pattern.kind === "map"
    ? `$unmap(${value},${at})`
    : `$unlist(${value},${pattern.items.length},${at})`;
  const isMap = pattern.kind === "map";
  const declarations = pattern.items.map((item, index) => {
    const read = isMap && "key" in item
      ? `$field(${source},${JSON.stringify(item.key)},${item.fallback !== undefined},${at})`
      : `${source}[${index}]`;
    const fallback = item.fallback && emit.expression(emitter, item.fallback);
    const variable = declare(naming, item.name);
    const full = fallback === undefined ? read : `${read}??${fallback}`;
    return variable === undefined ? `${full};` : `let ${variable}=${full};`;
  });
  return `const ${source}=${opened};${declarations.join("")}`;
}

function checkJump(emitter: Emitter, statement: Statement): void {
  const { jumps, naming } = emitter;
  if (jumps.insideValue) {
    report(naming, `"${statement.kind}" inside an expression used as a value`, statement);
  } else if (statement.kind === "return" ? !jumps.canReturn : !jumps.canLoop) {
    const where = statement.kind === "return" ? "a function" : "a loop";
    report(naming, `"${statement.kind}" outside of ${where}`, statement);
  }
}
