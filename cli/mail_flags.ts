/** A mail from flags, on the operations that take one (spec 11 §3). */

import type { CatalogSnapshot } from "../lib/catalog/types.ts";
import { type JsonObject, setOwn } from "../lib/json/mod.ts";
import { isMailOperation, type MailField } from "../lib/mail/field_names/mod.ts";
import { SOURCE_LIMIT_BYTES } from "./arg_grammar.ts";
import { namedOperation } from "./call_fields.ts";
import { invalidArg } from "./errors.ts";
import type { CommandContext, FlagSpec } from "./types.ts";
import { unreadableReason } from "./unreadable_file.ts";

/** A flag and the field it fills. */
interface MailFlag extends FlagSpec {
  field: MailField;
  /** `@file` and `@-` stand for the text in them. */
  fromFile?: boolean;
}

const MAIL_FLAGS: readonly MailFlag[] = [
  { name: "to", field: "to", type: "stringArray", help: "recipient; may be repeated" },
  { name: "cc", field: "cc", type: "stringArray", help: "recipient of a copy" },
  { name: "bcc", field: "bcc", type: "stringArray", help: "hidden recipient" },
  { name: "reply-to", field: "reply_to", type: "stringArray", help: "where answers should go" },
  { name: "from", field: "from", type: "string", help: "an address that the account may send as" },
  { name: "subject", field: "subject", type: "string", help: "subject line" },
  {
    name: "text",
    field: "text",
    type: "string",
    help: "plain text; @file, or @- for standard input",
    fromFile: true,
  },
  {
    name: "html",
    field: "html",
    type: "string",
    help: "HTML body; @file, or @- for standard input",
    fromFile: true,
  },
  {
    name: "attach",
    field: "attachments",
    type: "stringArray",
    help: "file to attach; may be repeated",
  },
  {
    name: "in-reply-to",
    field: "in_reply_to_message_id",
    type: "string",
    help: "id of the message that this one answers",
  },
  {
    name: "forward",
    field: "forward_message_id",
    type: "string",
    help: "id of the message to forward",
  },
];

/** The mail flags when the words name an operation that takes a mail; none otherwise. */
export async function mailFlags(
  words: readonly string[],
  options: { catalog: () => Promise<CatalogSnapshot>; existing: readonly FlagSpec[] },
): Promise<FlagSpec[]> {
  if (!words.some((word) => word.includes("."))) return [];
  const catalog = await options.catalog();
  const existing = [...options.existing, ...MAIL_FLAGS];
  const op = namedOperation(words, { catalog, existing });
  if (op === undefined || !isMailOperation(op.op_id)) return [];
  return MAIL_FLAGS.map(({ field: _field, fromFile: _fromFile, ...flag }) => flag);
}

/** The flags that write the mail of an operation, each with what it takes; none for any other. */
export function mailFlagHelp(opId: string): { name: string; help: string }[] {
  if (!isMailOperation(opId)) return [];
  return MAIL_FLAGS.map(({ name, help }) => ({ name, help }));
}

/** Adds the fields that mail flags give; a flag wins over an argument of the same name. */
export async function mergeMailFlags(args: JsonObject, context: CommandContext): Promise<void> {
  const { flags } = context;
  const sources = new Set<string>();
  // Read by now for the other arguments: a second reader would find an empty text, and send it.
  if (flags.text("args") === "@-" || context.words.includes("@-")) sources.add("@-");
  for (const flag of MAIL_FLAGS) {
    if (!flags.changed(flag.name)) continue;
    if (flag.type === "stringArray") {
      setOwn(args, flag.field, flags.list(flag.name));
      continue;
    }
    const text = flags.text(flag.name) ?? "";
    if (flag.fromFile === true && text === "-") throw loneDash(flag, context);
    const named = flag.fromFile === true && text.startsWith("@");
    if (named && text === "@-" && sources.has(text)) {
      throw invalidArg(`--${flag.name}`, "standard input can be read once");
    }
    if (named) sources.add(text);
    setOwn(args, flag.field, named ? await textOf(text, flag, context) : text);
  }
}

/** Sent as it stands it would be a mail that says "-", and nobody can call it back. */
function loneDash({ name, field }: MailFlag, context: CommandContext): Error {
  return invalidArg(
    `--${name}`,
    `standard input is @-; a mail that says no more than "-" is ${literal(field, "-", context)}`,
  );
}

/** How a text is given that the flag would not take for one. */
function literal(field: MailField, text: string, { path }: CommandContext): string {
  return path.at(-1) === "call" ? `${field}=${text}` : `--args '{"${field}":"${text}"}'`;
}

async function textOf(word: string, flag: MailFlag, context: CommandContext): Promise<string> {
  const source = word.slice(1);
  const refuse = (reason: string) => invalidArg(`--${flag.name}`, `${word}: ${reason}`);
  if (source === "") throw refuse("a file name, or - for standard input, must follow @");
  let bytes: Uint8Array;
  try {
    // Flags are also asked for by --help, which calls nothing.
    const { sourceReader } = await import("./invoke_run.ts");
    bytes = await sourceReader(context)(source);
  } catch (error) {
    const reason = unreadableReason(error, SOURCE_LIMIT_BYTES);
    if (!(error instanceof Deno.errors.NotFound)) throw refuse(reason);
    throw refuse(`${reason}; text that begins with @ is ${literal(flag.field, "@…", context)}`);
  }
  if (bytes.length > SOURCE_LIMIT_BYTES) throw refuse("larger than 64 MiB");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw refuse("not UTF-8 text");
  }
}
