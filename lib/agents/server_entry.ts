/** GUM's server in the text of a client's file: set, removed, compared. Pure. */

import { parse } from "smol-toml";
import { jcs } from "../format/jcs.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  readJson,
  repeatedMembers,
} from "../json/mod.ts";
import {
  type AgentTarget,
  serverArgs,
  serverEntry,
  type ServerForm,
  serverForm,
} from "./clients.ts";
import {
  hasComments,
  JsoncError,
  jsoncValue,
  memberAt,
  memberText,
  removeMember,
  replaceMemberText,
  setMember,
  sortedJson,
} from "./jsonc.ts";
import { BlockError, findBlock, removeBlock, setBlock } from "./managed_block.ts";

/** Lines around GUM's part of a TOML file. */
export const TOML_MARKS = {
  begin: "# BEGIN gum managed mcp server",
  end: "# END gum managed mcp server",
};

/** The text of a client's file with GUM's server in it; `text` undefined when there is no file. */
export function withServer(
  text: string | undefined,
  server: { target: AgentTarget; extra?: readonly string[] },
): string {
  const form = serverForm(server.target);
  if (form.kind === "toml") {
    return withTomlServer(text ?? "", serverArgs(server.target, server.extra));
  }
  const entry = serverEntry(server.target, server.extra);
  if (text === undefined) return setMember("{}\n", form.path, entry);
  return isSame(text, { form, entry }) ? text : setMember(text, form.path, entry);
}

/**
 * The same for `gum init`, which writes plain JSON with sorted keys (spec 08 §4.8). A file with
 * comments or with a key given twice would lose them that way and is edited in place instead.
 */
export function withSortedServer(text: string | undefined, target: AgentTarget): string {
  const { command, args } = serverEntry(target);
  const entry: JsonObject = { command: command ?? null, args: args ?? null };
  if (text !== undefined) {
    const form = serverForm(target);
    if (isSame(text, { form, entry })) return text;
    if (hasComments(text)) return withServer(text, { target });
  }
  const plain = text?.replace(/^\ufeff/, "");
  const { value } = plain === undefined ? { value: {} } : readJson(plain);
  if (text !== undefined && plain !== undefined && repeatedMembers(plain, value) > 0) {
    return withServer(text, { target });
  }
  // hasComments would have thrown at anything but an object.
  const root: JsonObject = isJsonObject(value) ? { ...value } : {};
  const servers = root.mcpServers;
  if (servers !== undefined && !isJsonObject(servers)) {
    throw new BlockError("mcpServers is not an object");
  }
  root.mcpServers = { ...servers, gum: entry };
  return sortedJson(root);
}

function isSame(text: string, wanted: { form: ServerForm; entry: JsonObject }): boolean {
  if (wanted.form.kind !== "json") return false;
  const found = memberAt(text, wanted.form.path);
  return isJsonObject(found) && jcs(found) === jcs(wanted.entry);
}

/** The text of a client's file without GUM's server, and without the object it leaves empty. */
export function withoutServer(
  text: string,
  target: AgentTarget,
  options: { keepParent?: boolean } = {},
): string {
  const form = serverForm(target);
  if (form.kind === "toml") return removeBlock(text, TOML_MARKS);
  // A file that nobody can read is left alone, unless it may well start GUM.
  if (!/\bgum\b/.test(text)) return text;
  // An unrelated program of the same name is somebody else's server.
  if (!startsGum(memberAt(text, form.path))) return text;
  const removed = removeMember(text, form.path);
  if (options.keepParent === true) return removed;
  const parent = form.path.slice(0, -1);
  const left = memberAt(removed, parent);
  return removed !== text && isJsonObject(left) && Object.keys(left).length === 0
    ? removeMember(removed, parent)
    : removed;
}

/** The entry that GUM's own would replace, as it is written; undefined when there is none. */
export function entryText(text: string, target: AgentTarget): string | undefined {
  const form = serverForm(target);
  return form.kind === "json" ? memberText(text, form.path) : undefined;
}

/** The text with an earlier entry in the place of GUM's; unchanged when GUM's is not there. */
export function withEarlierEntry(
  text: string,
  earlier: { target: AgentTarget; entry: string },
): string {
  const form = serverForm(earlier.target);
  return form.kind === "json" && startsGum(memberAt(text, form.path))
    ? replaceMemberText(text, form.path, earlier.entry)
    : text;
}

/** Whether two texts of a client's file say the same; what nobody can read says nothing. */
export function saysTheSame(texts: readonly [string, string], target: AgentTarget): boolean {
  const [left, right] = texts;
  try {
    return serverForm(target).kind === "toml"
      ? isDeepEqual(parse(left), parse(right))
      : jcs(jsoncValue(left)) === jcs(jsoncValue(right));
  } catch {
    return false;
  }
}

/** Whether nothing is left in a client's file, not even a remark. */
export function isBare(text: string, target: AgentTarget): boolean {
  if (text.trim() === "") return true;
  return serverForm(target).kind === "json" && !hasComments(text) && jcs(jsoncValue(text)) === "{}";
}

/** Whether a client's file starts GUM; a file that nobody can read does not. */
export function hasServer(text: string, target: AgentTarget): boolean {
  const form = serverForm(target);
  if (form.kind === "toml") return declaresServer(text);
  try {
    return startsGum(memberAt(text, form.path));
  } catch (error) {
    if (error instanceof JsoncError || error instanceof SyntaxError) return false;
    throw error;
  }
}

function startsGum(entry: JsonValue | undefined): boolean {
  if (!isJsonObject(entry) || typeof entry.command !== "string") return false;
  return /(^|[/\\])gum(\.exe)?$/i.test(entry.command) && Array.isArray(entry.args) &&
    entry.args.includes("mcp");
}

function withTomlServer(text: string, args: readonly string[]): string {
  const rest = removeBlock(text, TOML_MARKS);
  if (declaresServer(rest)) {
    throw new BlockError(
      "[mcp_servers.gum] stands outside the block that gum manages; remove it first",
    );
  }
  const span = findBlock(text, TOML_MARKS);
  const after = setBlock(text, TOML_MARKS, [
    "[mcp_servers.gum]",
    `command = ${JSON.stringify("gum")}`,
    `args = [${args.map((arg) => JSON.stringify(arg)).join(", ")}]`,
  ]);
  return span !== undefined && after === text ? text : after;
}

function declaresServer(text: string): boolean {
  if (/^[ \t]*\[[ \t]*mcp_servers[ \t]*\.[ \t]*["']?gum["']?[ \t]*[.\]]/m.test(text)) return true;
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    // Not ours to judge: a file its own client reads may use a newer TOML. The header was checked.
    return false;
  }
  const servers = (value as Record<string, unknown>).mcp_servers;
  return typeof servers === "object" && servers !== null && Object.hasOwn(servers, "gum");
}

function isDeepEqual(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) {
    return false;
  }
  if (left instanceof Date || right instanceof Date) return String(left) === String(right);
  const [names, others] = [Object.keys(left), Object.keys(right)];
  return names.length === others.length && names.every((name) =>
    Object.hasOwn(right, name) &&
    isDeepEqual((left as Record<string, unknown>)[name], (right as Record<string, unknown>)[name])
  );
}
