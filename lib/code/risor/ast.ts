/** The syntax tree of a script (spec 09 §11.2). */

import type { Position } from "./syntax_error.ts";

/** Anything with a place in the source. */
type Node<Shape> = Position & Shape;

/** A statement. */
export type Statement = Node<
  | { kind: "let"; names: Name[]; value: Expression }
  | { kind: "let_pattern"; pattern: Pattern; value: Expression }
  | { kind: "const"; name: Name; value: Expression }
  | { kind: "assign"; target: Target; operator: AssignOperator; value: Expression }
  | { kind: "return"; value: Expression | undefined }
  | { kind: "throw"; value: Expression }
  | { kind: "for"; names: Name[]; subject: Expression; body: Block }
  | { kind: "while"; condition: Expression; body: Block }
  | { kind: "break" }
  | { kind: "continue" }
  | { kind: "expression"; value: Expression }
>;

/** `=`, a compound assignment, or an increment, which is one by `1`. */
export type AssignOperator = "=" | "+" | "-" | "*" | "/";

/** A name as written. */
export type Name = Node<{ text: string }>;

/** Statements between braces. */
export type Block = Node<{ statements: Statement[] }>;

/** What an assignment writes to. */
export type Target = Extract<Expression, { kind: "name" | "member" | "index" }>;

/** The left side of a destructuring. */
export type Pattern = Node<
  | { kind: "map"; items: { key: string; name: Name; fallback: Expression | undefined }[] }
  | { kind: "list"; items: { name: Name; fallback: Expression | undefined }[] }
>;

/** An argument or list item; `spread` inserts the items of a list. */
export interface Argument {
  value: Expression;
  spread: boolean;
}

/** One parameter of a function. */
export type Parameter =
  | { kind: "name"; name: Name; fallback: Expression | undefined }
  | { kind: "pattern"; pattern: Pattern }
  | { kind: "rest"; name: Name };

/** One entry of a map literal. */
export type MapItem =
  | { kind: "entry"; key: Expression; value: Expression }
  | { kind: "spread"; value: Expression };

/** A function in any of its spellings. */
export type FunctionExpression = Node<{
  kind: "function";
  name: Name | undefined;
  parameters: Parameter[];
  body: Block;
}>;

/** A conditional. */
export type IfExpression = Node<{
  kind: "if";
  condition: Expression;
  then: Block;
  otherwise: Block | IfExpression | undefined;
}>;

/** A try with at least one of catch and finally. */
export type TryExpression = Node<{
  kind: "try";
  body: Block;
  caught: { name: Name | undefined; body: Block } | undefined;
  last: Block | undefined;
}>;

/** A switch; the default may stand anywhere and is used last. */
export type SwitchExpression = Node<{
  kind: "switch";
  subject: Expression;
  cases: { values: Expression[]; body: Block }[];
  fallback: Block | undefined;
}>;

/** An expression. */
export type Expression =
  | Node<
    | { kind: "int"; value: bigint }
    | { kind: "float"; value: number }
    | { kind: "string"; value: string }
    | { kind: "bool"; value: boolean }
    | { kind: "nil" }
    | { kind: "template"; parts: (string | Expression)[] }
    | { kind: "name"; text: string }
    | { kind: "list"; items: Argument[] }
    | { kind: "map"; items: MapItem[] }
    | { kind: "unary"; operator: "-" | "!"; operand: Expression }
    | { kind: "binary"; operator: string; left: Expression; right: Expression }
    | { kind: "logical"; operator: "&&" | "||" | "??"; left: Expression; right: Expression }
    | { kind: "pipe"; left: Expression; right: Expression }
    | { kind: "call"; callee: Expression; args: Argument[] }
    | { kind: "method"; subject: Expression; name: string; args: Argument[]; optional: boolean }
    | { kind: "member"; subject: Expression; name: string; optional: boolean }
    | { kind: "index"; subject: Expression; index: Expression }
    | {
      kind: "slice";
      subject: Expression;
      from: Expression | undefined;
      to: Expression | undefined;
    }
    | {
      kind: "match";
      subject: Expression;
      arms: { pattern: Expression; guard: Expression | undefined; value: Expression }[];
      fallback: Expression;
    }
  >
  | FunctionExpression
  | IfExpression
  | TryExpression
  | SwitchExpression;
