/** Functions as tagged arrows (spec 09 §13). */

import type { FunctionExpression, Parameter, Pattern } from "./ast.ts";
import { type Emitter, withJumps } from "./emitter.ts";
import { declare, fresh, inScope } from "./scope.ts";

/** A function value; its own name, if it has one, is visible to it through the scope around. */
export function emitFunction(emitter: Emitter, definition: FunctionExpression): string {
  const { naming } = emitter;
  const { parameters } = definition;
  const rest = parameters.at(-1)?.kind === "rest";
  const most = rest ? parameters.length - 1 : parameters.length;
  const optional = parameters.filter((each) => each.kind === "name" && each.fallback).length;
  const name = JSON.stringify(definition.name?.text ?? "");
  const slots = parameters.map(() => fresh(naming, "a"));
  return inScope(naming, () => {
    const bound = parameters.map((parameter, index) =>
      bindParameter(emitter, { parameter, slot: slots[index] ?? "" })
    );
    const body = withJumps(
      emitter,
      { canReturn: true, canLoop: false, insideValue: false },
      () => emitter.emit.statements(emitter, definition.body.statements, { kind: "return" }),
    );
    const list = slots.map((slot, index) => index === most ? `...${slot}` : slot).join(",");
    const limits = `${most - optional},${rest ? -1 : most}`;
    return `$fn(${name},${limits},(${list})=>{$s();${bound.join("")}${body}\nreturn null;})`;
  });
}

function bindParameter(
  emitter: Emitter,
  bound: { parameter: Parameter; slot: string },
): string {
  const { parameter, slot } = bound;
  if (parameter.kind === "pattern") return bindPattern(emitter, parameter.pattern, slot);
  const fallback = parameter.kind === "name" && parameter.fallback !== undefined
    ? emitter.emit.expression(emitter, parameter.fallback)
    : undefined;
  const variable = declare(emitter.naming, parameter.name);
  if (variable === undefined) return "";
  return fallback === undefined
    ? `let ${variable}=${slot};`
    : `let ${variable}=${slot}===undefined?${fallback}:${slot};`;
}

function bindPattern(emitter: Emitter, pattern: Pattern, slot: string): string {
  return emitter.emit.pattern(emitter, { pattern, value: slot });
}
