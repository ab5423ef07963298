/** An operation's contract as a page to read, with an example to paste. */

import { exampleArgs, type OpArgument, operationArguments } from "../lib/catalog/lookup/mod.ts";
import { resourceForm } from "../lib/resource_names/mod.ts";
import type { Op, Variant } from "../lib/catalog/types.ts";
import { visibleText } from "../lib/format/text/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../lib/json/mod.ts";
import { EXAMPLE_ARGUMENTS, EXAMPLE_WORDS } from "./example_arguments.ts";
import { riskStyle, type Styles } from "./terminal_text.ts";
import { wrapText } from "./terminal_wrap.ts";

const INDENT = "    ";
const NARROWEST_HELP = 12;
/** Lines longer than this are hard to read, however wide the terminal is. */
const WIDEST = 100;

/** The page of an operation. */
export function describePage(
  op: Op,
  look: {
    width: number;
    styles: Styles;
    hint?: string;
    /** Flags that write a mail in place of an encoded message. */
    mail?: readonly { name: string; help: string }[];
    /** Schema of the arguments, which knows more body fields than the operation lists. */
    schema?: JsonObject;
  },
): string {
  const { styles } = look;
  const width = Math.min(WIDEST, look.width) - INDENT.length;
  const variant = op.variants.find(({ variant_id }) => variant_id === op.default_variant_id) ??
    op.variants[0];
  const risk = variant?.risk_class ?? "read";
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [
      styles.bold(title),
      ...lines.map((line) => `${INDENT}${line}`.trimEnd()),
      "",
    ];
  return [
    ...section("NAME", wrapText(visibleText(`${op.op_id} - ${op.title}`), width)),
    ...section("WHAT IT DOES", wrapText(visibleText(op.summary), width)),
    ...section("RISK AND ACCESS", [
      `risk     ${riskStyle(styles, risk)(risk)}${
        variant?.confirmation_policy === "high_stakes_write" || risk === "destructive"
          ? " (asks for confirmation)"
          : ""
      }`,
      ...accessLines(op, variant),
    ]),
    ...section("PLUGIN", look.hint === undefined ? [] : wrapText(look.hint, width)),
    ...section("ARGUMENTS", argumentLines(op, { width, styles })),
    ...section("FURTHER BODY FIELDS", furtherLines(op, { schema: look.schema, width })),
    ...section("MESSAGE, INSTEAD OF RAW", messageLines(look.mail ?? [], width)),
    ...section("EXAMPLE", [
      exampleCommand(op, risk),
      // The emulator stands in for Google, not for a plugin.
      ...(variant?.auth_strategy === "none" || variant?.backend_kind === "mcp-plugin" ? [] : [
        styles.dim(`without an account: gum --emulator ${exampleCommand(op, risk).slice(4)}`),
      ]),
    ]),
    ...section(
      "VARIANTS",
      op.variants.length < 2
        ? []
        : op.variants.map((one) =>
          `${one.variant_id}  ${one.risk_class}${one.quarantined ? "  quarantined" : ""}${
            one.variant_id === op.default_variant_id ? "  (default)" : ""
          }`
        ),
    ),
    ...section(
      "SEE ALSO",
      pairs([
        [`gum call ${op.op_id} --skeleton`, "a form of the arguments"],
        [`gum auth setup ${op.op_id}`, "what this account still needs"],
        [`gum describe ${op.op_id} --format json`, "the whole record"],
      ], width),
    ),
  ].join("\n");
}

/** Commands and what they give, side by side where both fit. */
function pairs(rows: readonly (readonly [string, string])[], width: number): string[] {
  const left = Math.max(...rows.map(([command]) => command.length));
  const right = Math.max(...rows.map(([, text]) => text.length));
  return rows.flatMap(([command, text]) =>
    left + 2 + right <= width ? [`${command.padEnd(left)}  ${text}`] : [command, `    ${text}`]
  );
}

function accessLines(op: Op, variant: Variant | undefined): string[] {
  if (variant === undefined) return [];
  return [
    `service  ${op.service}`,
    `auth     ${variant.auth_strategy}`,
    ...(variant.scopes ?? []).map((scope) => `scope    ${scope}`),
  ];
}

function argumentLines(op: Op, look: { width: number; styles: Styles }): string[] {
  const known = operationArguments(op);
  const order = (argument: OpArgument) => argument.required === true ? 0 : 1;
  return known.toSorted((left, right) => order(left) - order(right)).flatMap((argument) => {
    const facts = [
      typeText(argument),
      ...(argument.required === true && argument.host_default === undefined ? ["required"] : []),
      ...(defaultOf(argument) === undefined ? [] : [`default ${defaultOf(argument)}`]),
    ].join(", ");
    const form = resourceForm(argument);
    const description = [
      argument.description ?? "",
      form === undefined || argument.description?.includes(form) ? "" : `Form: ${form}.`,
      argument.enum === undefined ? "" : `Choices: ${argument.enum.join(", ")}.`,
    ].filter((text) => text !== "").join(" ");
    return [
      `${look.styles.bold(visibleText(argument.name))}  ${look.styles.dim(facts)}`,
      ...(description === ""
        ? []
        : wrapText(visibleText(description), look.width - 4).map((line) => `    ${line}`)),
    ];
  });
}

/** Body fields that no argument stands for; a call names them below `body`. */
function furtherLines(op: Op, look: { schema: JsonObject | undefined; width: number }): string[] {
  const body = memberOf(memberOf(look.schema, "properties"), "body");
  const listed = new Set(operationArguments(op).map(({ name }) => name));
  const names = Object.keys(memberOf(body, "properties") ?? {}).filter((name) => !listed.has(name));
  const [first] = names;
  if (first === undefined) return [];
  return [
    ...wrapText(visibleText(names.join(", ")), look.width),
    ...wrapText(visibleText(`Give one as body.${first}=… or body.${first}:=<json>.`), look.width),
  ];
}

function memberOf(schema: JsonObject | undefined, name: string): JsonObject | undefined {
  const member = schema?.[name];
  return isJsonObject(member) ? member : undefined;
}

/** Whoever reads the arguments alone would encode the message by hand. */
function messageLines(
  mail: readonly { name: string; help: string }[],
  width: number,
): string[] {
  const label = Math.max(0, ...mail.map(({ name }) => name.length)) + 4;
  return mail.flatMap(({ name, help }) => {
    const [first = "", ...more] = wrapText(help, Math.max(NARROWEST_HELP, width - label));
    return [
      `--${name}`.padEnd(label) + first,
      ...more.map((line) => " ".repeat(label) + line),
    ];
  });
}

function typeText({ type, item_type, location }: OpArgument): string {
  const name = type === "array" ? `list of ${item_type ?? "values"}` : type;
  return location === "body" ? `${name} in the body` : name;
}

function defaultOf(argument: OpArgument): string | undefined {
  return argument.host_default ?? argument.default;
}

/** A command line that runs the operation once its placeholders are filled in. */
export function exampleCommand(op: Op, risk: string): string {
  const start = ["gum", "call", op.op_id, `--risk=${risk}`];
  const given = EXAMPLE_WORDS[op.op_id];
  if (given !== undefined) return [...start, ...given].join(" ");
  const known = operationArguments(op);
  const inBody = new Set(
    known.filter((argument) => argument.location === "body").map(({ name }) => name),
  );
  const { body, ...others } = exampleArgs(op);
  const args: JsonObject = { ...others, ...(isJsonObject(body) ? body : {}) };
  for (const argument of known) if (argument.host_default !== undefined) delete args[argument.name];
  const telling = EXAMPLE_ARGUMENTS[op.op_id] ?? {};
  for (const [name, value] of Object.entries(telling)) {
    if (inBody.has(name) || known.some((argument) => argument.name === name)) args[name] = value;
  }
  const words = Object.entries(args).flatMap(([key, value]) => assignments(escaped(key), value));
  return [...start, ...words.map(shellWord)].join(" ");
}

/** `key=text`, `key:=json`; members of an object have a path of their own. */
function assignments(path: string, value: JsonValue): string[] {
  if (isJsonObject(value) && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([key, member]) =>
      assignments(`${path}.${escaped(key)}`, member)
    );
  }
  return [typeof value === "string" ? `${path}=${value}` : `${path}:=${JSON.stringify(value)}`];
}

function escaped(key: string): string {
  return key.replaceAll("\\", "\\\\").replaceAll(".", "\\.");
}

/** A word as POSIX shells read it. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_.,:=@%+/-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
