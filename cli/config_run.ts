/** What the `gum config` commands do (spec 05 §3.19). */

import { baseDirectories, profileDirectories } from "../lib/config/directories.ts";
import {
  coerce,
  CONFIG_KEYS,
  type ConfigTarget,
  type KeySpec,
  loadConfig,
  type ProfileConfig,
  rowOf,
  saveConfig,
  type SettingValue,
  type TomlValue,
} from "../lib/config/mod.ts";
import { nearestWords } from "../lib/spelling/mod.ts";
import { choiceOf, nearHint } from "./choices.ts";
import { invalidArg } from "./errors.ts";
import { say } from "./say.ts";
import type { CommandContext, Completion, CompletionRequest } from "./types.ts";

/** Runs `gum config get`. */
export async function runGet(context: CommandContext): Promise<void> {
  const key = context.words[0] ?? "";
  const value = (await load(context)).values.get(key);
  if (value === undefined) throw notSet(key);
  context.host.stdout.write(shown(value) + "\n");
}

/** Runs `gum config list`. */
export async function runList(context: CommandContext): Promise<void> {
  const { host, flags } = context;
  const format = choiceOf(flags, { flag: "format", choices: ["text", "json"] });
  const { values } = await load(context);
  const keys = [...values.keys()].sort();
  if (format === "json") {
    const object = Object.fromEntries(keys.map((key) => [key, plain(values.get(key) ?? "")]));
    return host.stdout.write(JSON.stringify(object, null, 2) + "\n");
  }
  for (const key of keys) host.stdout.write(`${key}=${oneLine(shown(values.get(key) ?? ""))}\n`);
  if (keys.length === 0 && host.isTerminal("stderr")) {
    say(context, `nothing is set for profile ${context.profile}`);
  }
}

/** Runs `gum config set`. */
export async function runSet(context: CommandContext): Promise<void> {
  const word = context.words[0] ?? "";
  const equals = word.indexOf("=");
  if (equals < 0) throw invalidArg(undefined, "expected key=value");
  const key = word.slice(0, equals).trim();
  const text = word.slice(equals + 1);
  if (key === "" || text.trim() === "") throw invalidArg(undefined, "empty key or value");
  checkKey(key);
  refuseSecret(key, text);
  const row = rowOf(key);
  const value = row === undefined ? text : settingFrom(key, { spec: row.spec, text });
  const saved = await saveConfig(target(context), { [key]: value });
  if (row === undefined) {
    const near = nearKey(key);
    say(
      context,
      `${key} is not a key this version knows; it is stored and has no effect` +
        (near === undefined ? "" : `; did you mean ${near}? (gum config unset ${key})`),
    );
  }
  if (saved.commentsDropped) {
    say(context, "the file had to be written anew; its comments are gone");
  }
}

/** Runs `gum config unset`. */
export async function runUnset(context: CommandContext): Promise<void> {
  const key = context.words[0] ?? "";
  const saved = await saveConfig(target(context), { [key]: undefined });
  if (!saved.changed) throw notSet(key);
  if (saved.commentsDropped) {
    say(context, "the file had to be written anew; its comments are gone");
  }
}

/** Every key without a placeholder, with what a shell should put behind it. */
export function keyNames(behind: "" | "="): Promise<Completion> {
  const names = Object.keys(CONFIG_KEYS).filter((name) => !name.includes("<"));
  return Promise.resolve({
    candidates: names.sort().map((name) => ({ value: `${name}${behind}` })),
    noSpace: behind === "=",
  });
}

/** Candidates of `key=value`: the keys, and behind a key of few values those. */
export function assignments({ prefix }: CompletionRequest): Promise<Completion> {
  const key = prefix.slice(0, prefix.indexOf("="));
  const shape = rowOf(key)?.spec;
  const values = shape?.type === "enum"
    ? shape.values
    : shape?.type === "bool"
    ? ["true", "false"]
    : undefined;
  if (values === undefined) return keyNames("=");
  return Promise.resolve({ candidates: values.map((value) => ({ value: `${key}=${value}` })) });
}

function target({ host, profile, log, signal }: CommandContext): ConfigTarget {
  const directory = profileDirectories(baseDirectories(host.environment), profile).config;
  return { profileName: profile, directory, log, signal };
}

async function load(context: CommandContext): Promise<ProfileConfig> {
  return (await loadConfig(target(context))).config;
}

function notSet(key: string): Error {
  const spec: KeySpec | undefined = rowOf(key)?.spec;
  const byDefault = spec?.default === undefined ? "" : `; its default is ${shown(spec.default)}`;
  const near = spec === undefined ? nearKey(key) : undefined;
  const hint = near === undefined ? "" : `; did you mean ${near}?`;
  return new Error(`config key ${JSON.stringify(key)} is not set${byDefault}${hint}`);
}

/** A key that is a slip or two away; a mistyped policy must not pass for one that holds. */
function nearKey(key: string): string | undefined {
  const names = Object.keys(CONFIG_KEYS).filter((name) => !name.includes("<"));
  return nearestWords(key, names, { within: 3, most: 1 })[0];
}

function checkKey(key: string): void {
  const sound = key.split(".").every((part) => part !== "") && !/[\p{Cc}\s"'#]/u.test(key);
  if (!sound) throw invalidArg(key, "is not a possible key");
}

/** The TOML value for a typed text. @throws CliArgError */
function settingFrom(key: string, given: { spec: KeySpec; text: string }): TomlValue {
  const { spec, text } = given;
  const typed = spec.type === "strings" ? listFrom(key, text) : text.trim();
  const coerced = coerce(spec, typed);
  if (coerced.kind === "fits") return tomlOf(spec, coerced.value);
  if (coerced.kind === "clamped" && "min" in spec) {
    throw invalidArg(key, `must be from ${spec.min} to ${spec.max}`);
  }
  const near = spec.type === "enum" ? nearHint(text.trim(), spec.values) : "";
  const wanted = coerced.kind === "misfit" ? coerced.wanted : "in range";
  throw invalidArg(key, `must be ${wanted}${near}`);
}

function tomlOf(spec: KeySpec, value: SettingValue): TomlValue {
  if (typeof value === "number") {
    return spec.type === "int" || Number.isInteger(value) ? BigInt(value) : value;
  }
  return typeof value === "object" ? [...value] : value;
}

function listFrom(key: string, text: string): string[] {
  if (!text.trim().startsWith("[")) {
    return text.split(",").map((item) => item.trim()).filter((item) => item !== "");
  }
  try {
    const parsed: unknown = JSON.parse(text);
    if (Array.isArray(parsed) && parsed.every((item) => typeof item === "string")) return parsed;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw invalidArg(key, 'must be a list: a,b or ["a","b"]');
}

const SECRET_SHAPES = [
  /AIza[0-9A-Za-z_-]{30}/,
  /ya29\.[0-9A-Za-z_-]/,
  /^\s*1\/\/[0-9A-Za-z_-]{20}/,
  /GOCSPX-[0-9A-Za-z_-]/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
];

function refuseSecret(key: string, text: string): void {
  if (!SECRET_SHAPES.some((shape) => shape.test(text))) return;
  throw invalidArg(
    key,
    "looks like a credential, and the configuration holds none; use gum auth use-api-key, " +
      "gum auth use-oauth-client or gum auth use-service-account",
  );
}

function shown(value: TomlValue | SettingValue): string {
  if (typeof value === "string") return value;
  return JSON.stringify(plain(value));
}

function plain(value: unknown): unknown {
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === "object" && value !== null && !(value instanceof Date)) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]));
  }
  return value;
}

function oneLine(text: string): string {
  return /[\p{Cc}]/u.test(text) ? JSON.stringify(text) : text;
}
