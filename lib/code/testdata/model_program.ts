/** Programs of the model as data, and their source text. */

import { builtinText } from "./model_builtins.ts";

/** A value of the model. Maps are arrays of entries so that nothing of the real one is reused. */
export type ModelValue =
  | { t: "nil" }
  | { t: "bool"; v: boolean }
  | { t: "int"; v: bigint }
  | { t: "float"; v: number }
  | { t: "string"; v: string }
  | { t: "list"; v: ModelValue[] }
  | { t: "map"; v: [string, ModelValue][] };

/** An expression. */
export type Expr =
  | { e: "lit"; value: ModelValue }
  | { e: "var"; name: string }
  | { e: "bin"; op: string; l: Expr; r: Expr }
  | { e: "not" | "neg"; x: Expr }
  | { e: "and" | "or" | "coalesce"; l: Expr; r: Expr }
  | { e: "if"; c: Expr; a: Expr; b: Expr }
  | { e: "list"; items: Expr[] }
  | { e: "map"; items: [string, Expr][] }
  | { e: "index"; x: Expr; i: Expr }
  | { e: "in"; l: Expr; r: Expr }
  | { e: "template"; parts: (string | Expr)[] }
  | { e: "apply"; parameter: string; body: Expr; arg: Expr }
  | { e: "match"; x: Expr; arms: [Expr, Expr][]; otherwise: Expr }
  | { e: "try"; body: Expr; caught: Expr }
  | { e: "kind"; body: Expr }
  | { e: "slice"; x: Expr; from?: Expr; to?: Expr }
  | { e: "member"; x: Expr; name: string; optional: boolean }
  | { e: "method"; x: Expr; name: string; args: Expr[]; piped?: boolean }
  | { e: "builtin"; name: string; args: Expr[]; piped?: boolean }
  | { e: "callback"; x: Expr; name: "map" | "filter" | "pairs" | "reduce" | "sort"; body: Expr }
  | { e: "block"; body: Stmt[]; result: Expr }
  | { e: "finally"; body: Expr; last: Stmt };

/** A statement. */
export type Stmt =
  | { s: "let"; name: string; x: Expr }
  | { s: "set"; name: string; op: "=" | "+=" | "-=" | "*="; x: Expr }
  | { s: "for"; name: string; x: Expr; body: Stmt[] }
  | { s: "if"; c: Expr; a: Stmt[]; b: Stmt[] }
  | { s: "throw"; x: Expr }
  | { s: "switch"; x: Expr; cases: [Expr[], Stmt[]][]; otherwise: Stmt[] }
  | { s: "index"; name: string; key: Expr; op: "=" | "+="; x: Expr }
  | { s: "do"; x: Expr }
  | { s: "guard"; body: Stmt[] }
  | { s: "return"; x: Expr }
  | { s: "break" | "continue" };

/** A program: statements, then the value it gives. */
export interface Program {
  body: Stmt[];
  result: Expr;
}

/** The source of a program, as the body of a function. */
export function programText(program: Program): string {
  return [...program.body.map(stmtText), exprText(program.result)].join("\n");
}

function blockText(body: Stmt[]): string {
  return `{ ${body.map(stmtText).join("; ")} }`;
}

function stmtText(stmt: Stmt): string {
  switch (stmt.s) {
    case "let":
      return `let ${stmt.name} = ${exprText(stmt.x)}`;
    case "set":
      return `${stmt.name} ${stmt.op} ${exprText(stmt.x)}`;
    case "for":
      return `for (${stmt.name} in ${exprText(stmt.x)}) ${blockText(stmt.body)}`;
    case "if":
      return `if (${exprText(stmt.c)}) ${blockText(stmt.a)} else ${blockText(stmt.b)}`;
    case "throw":
      return `throw ${exprText(stmt.x)}`;
    case "switch":
      return `switch (${exprText(stmt.x)}) { ${
        stmt.cases.map(([values, body]) =>
          `case ${values.map(exprText).join(", ")}: ${body.map(stmtText).join("; ")};`
        ).join(" ")
      } default: ${stmt.otherwise.map(stmtText).join("; ")} }`;
    case "index":
      return `${stmt.name}[${exprText(stmt.key)}] ${stmt.op} ${exprText(stmt.x)}`;
    case "do":
      return exprText(stmt.x);
    case "guard":
      return `try ${blockText(stmt.body)} catch {}`;
    case "return":
      return `return ${exprText(stmt.x)}`;
    default:
      return stmt.s;
  }
}

function exprText(expr: Expr): string {
  const x = exprText;
  switch (expr.e) {
    case "lit":
      return literalText(expr.value);
    case "var":
      return expr.name;
    case "bin":
      return `(${x(expr.l)} ${expr.op} ${x(expr.r)})`;
    case "not":
      return `(!${x(expr.x)})`;
    case "neg":
      return `(- ${x(expr.x)})`;
    case "and":
      return `(${x(expr.l)} && ${x(expr.r)})`;
    case "or":
      return `(${x(expr.l)} || ${x(expr.r)})`;
    case "coalesce":
      return `(${x(expr.l)} ?? ${x(expr.r)})`;
    case "if":
      return `(if (${x(expr.c)}) { ${x(expr.a)} } else { ${x(expr.b)} })`;
    case "list":
      return `[${expr.items.map(x).join(", ")}]`;
    case "map":
      return `({${expr.items.map(([key, value]) => `${JSON.stringify(key)}: ${x(value)}`)}})`;
    case "index":
      return `${x(expr.x)}[${x(expr.i)}]`;
    case "in":
      return `(${x(expr.l)} in ${x(expr.r)})`;
    case "template":
      return `\`${
        expr.parts.map((part) => typeof part === "string" ? part : `\${${x(part)}}`).join("")
      }\``;
    case "apply":
      return `(${expr.parameter} => ${x(expr.body)})(${x(expr.arg)})`;
    case "match":
      return `(match ${x(expr.x)} { ${
        expr.arms.map(([pattern, value]) => `${x(pattern)} => ${x(value)}, `).join("")
      }_ => ${x(expr.otherwise)} })`;
    case "try":
      return `(try { ${x(expr.body)} } catch { ${x(expr.caught)} })`;
    case "kind":
      return `(try { ${x(expr.body)} } catch (e) { e.kind() })`;
    case "slice":
      return `(${x(expr.x)})[${expr.from ? x(expr.from) : ""}:${expr.to ? x(expr.to) : ""}]`;
    case "member":
      return `(${x(expr.x)})${expr.optional ? "?." : "."}${expr.name}`;
    case "method": {
      const [first, ...rest] = expr.args;
      return expr.piped && first !== undefined
        ? `(${x(first)} |> (${x(expr.x)}).${expr.name}(${rest.map(x).join(", ")}))`
        : `(${x(expr.x)}).${expr.name}(${expr.args.map(x).join(", ")})`;
    }
    case "builtin": {
      const [first, ...rest] = expr.args.map(x);
      return expr.piped && first !== undefined &&
          /^[a-z.]+$/.test(builtinText(expr.name, []).slice(0, -2))
        ? `(${first} |> ${builtinText(expr.name, rest)})`
        : builtinText(expr.name, expr.args.map(x));
    }
    case "callback": {
      const shape = {
        map: ["map(", "(a) => "],
        pairs: ["map(", "(a, b) => "],
        filter: ["filter(", "a => "],
        reduce: ["reduce(0, ", "(a, b) => "],
        sort: ["copy().sort(", "(a, b) => "],
      }[expr.name];
      return `(${x(expr.x)}).${shape.join("")}${x(expr.body)})`;
    }
    case "block":
      return `(() => { ${[...expr.body.map(stmtText), x(expr.result)].join("; ")} })()`;
    case "finally":
      return `(try { ${x(expr.body)} } finally { ${stmtText(expr.last)} })`;
  }
}

function literalText(value: ModelValue): string {
  switch (value.t) {
    case "nil":
      return "nil";
    case "bool":
    case "int":
      return String(value.v);
    case "float":
      return /^[0-9]+$/.test(String(value.v)) ? `${value.v}.0` : String(value.v);
    case "string":
      return JSON.stringify(value.v);
    case "list":
      return `[${value.v.map(literalText).join(", ")}]`;
    case "map":
      return `({${value.v.map(([k, v]) => `${JSON.stringify(k)}: ${literalText(v)}`).join(", ")}})`;
  }
}
