/**
 * Words to a command and its flags (spec 08 §3.1).
 *
 * A parser of its own because the light libraries on offer read `--no-field-mask` as a negation,
 * guess the types of values, let unknown flags pass and do not stop at `--`.
 *
 * @module
 */

import { invalidArg, UsageError } from "./errors.ts";
import { EMULATOR_ORIGIN } from "./emulator_choice.ts";
import { nearestWords } from "../lib/spelling/mod.ts";
import type { CommandSpec, FlagSpec } from "./types.ts";

/** True for a word in the form of an operation id: parts with dots between them. */
export function isOperationWord(word: string): boolean {
  return /^[a-z][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)+$/.test(word);
}

/** Parsed flags. Values are text until a typed getter is asked. */
export class FlagValues {
  readonly #values = new Map<string, string[]>();
  readonly #specs: ReadonlyMap<string, FlagSpec>;

  constructor(specs: Iterable<FlagSpec>) {
    this.#specs = new Map([...specs].map((spec) => [spec.name, spec]));
  }

  /** Records one occurrence. */
  add(name: string, value: string): void {
    const seen = this.#values.get(name);
    if (seen) seen.push(value);
    else this.#values.set(name, [value]);
  }

  /** True when the flag was typed. */
  changed(name: string): boolean {
    return this.#values.has(name);
  }

  /** Last value typed, else the declared default. */
  text(name: string): string | undefined {
    return this.#values.get(name)?.at(-1) ?? this.#specs.get(name)?.default;
  }

  /** True when a bool flag is on. */
  on(name: string): boolean {
    return this.text(name) === "true";
  }

  /** An int flag's value. */
  integer(name: string): number | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : Number(text);
  }

  /** Every value of a repeatable flag; comma lists are split. */
  list(name: string): string[] {
    const values = this.#values.get(name) ?? [];
    if (this.#specs.get(name)?.type !== "stringList") return [...values];
    return values.flatMap((value) => value.split(",")).map((item) => item.trim()).filter(Boolean);
  }

  /** The declaration behind a name. */
  spec(name: string): FlagSpec | undefined {
    return this.#specs.get(name);
  }
}

/** Flags every command has. */
export const GLOBAL_FLAGS: readonly FlagSpec[] = [
  {
    name: "profile",
    type: "string",
    help: "account profile for config, data, cache and credentials",
    complete: async (request) =>
      (await import("./complete_values.ts")).accountProfiles(request.host),
  },
  {
    name: "log-level",
    type: "string",
    default: "warn",
    help: "least severe log record on stderr: debug, info, warn or error",
    complete: () => ({ candidates: words("debug", "info", "warn", "error") }),
  },
  {
    name: "log-format",
    type: "string",
    default: "json",
    help: "form of log records: json or text",
    complete: () => ({ candidates: words("json", "text") }),
  },
  {
    name: "emulator",
    type: "bool",
    orText: EMULATOR_ORIGIN,
    help: "use the built-in Google emulator, no account needed; =<origin>: a running one",
  },
  { name: "version", type: "bool", help: "print the version and exit" },
  { name: "help", short: "h", type: "bool", help: "print help and exit" },
];

function words(...values: string[]): { value: string }[] {
  return values.map((value) => ({ value }));
}

/** Where a command line points. */
export interface Located {
  /** Root first; empty when no command word was typed. */
  path: CommandSpec[];
  /** All words but the command names. */
  rest: string[];
  /** Set when a word stands where a command name was expected and none has it. */
  unknown?: { word: string; among: readonly CommandSpec[] };
}

/**
 * Follows the command names among the words. Global flags may stand anywhere; words after the last
 * command name belong to that command.
 */
export function locate(commands: readonly CommandSpec[], argv: readonly string[]): Located {
  const path: CommandSpec[] = [];
  const rest: string[] = [];
  let children = commands;
  let taken: string | undefined;
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? "";
    if (children.length === 0 || path.at(-1)?.passThrough || word === "--") {
      rest.push(...argv.slice(index));
      break;
    }
    if (word.startsWith("-") && word !== "-") {
      rest.push(word);
      if (takesNextWord(word, GLOBAL_FLAGS) && index + 1 < argv.length) {
        rest.push(argv[++index] ?? "");
      }
      continue;
    }
    const child = children.find((candidate) => candidate.name === word);
    if (child === undefined) {
      // Perhaps the value of a flag that only the command knows; if not, that flag is the fault.
      const before = argv[index - 1] ?? "";
      if (rest.at(-1) === before && isOtherFlag(before)) {
        rest.push(word);
        taken ??= word;
        continue;
      }
      return { path, rest, unknown: { word: taken ?? word, among: children } };
    }
    path.push(child);
    children = child.children;
    taken = undefined;
  }
  return { path, rest };
}

/** A flag without its value that is none of the global ones. */
function isOtherFlag(word: string): boolean {
  return word.startsWith("-") && !["-", "--"].includes(word) && !word.includes("=") &&
    !GLOBAL_FLAGS.some(({ name, short }) => word === `--${name}` || word === `-${short}`);
}

/** True when a flag word consumes the word after it. */
export function takesNextWord(word: string, flags: readonly FlagSpec[]): boolean {
  if (word.includes("=")) return false;
  const spec = word.startsWith("--")
    ? flags.find((flag) => flag.name === word.slice(2))
    : flags.find((flag) => flag.short === word.slice(1));
  return spec !== undefined && spec.type !== "bool";
}

/** Flags and positional words of one command. */
export interface ParsedWords {
  words: string[];
  flags: FlagValues;
}

/**
 * Parses the words of one command against its flags and the global ones.
 *
 * @throws UsageError for an unknown flag or a missing value; CliArgError for a value of wrong type.
 */
export function parseWords(argv: readonly string[], own: readonly FlagSpec[]): ParsedWords {
  const specs = [...own, ...GLOBAL_FLAGS.filter((flag) => !own.some((o) => o.name === flag.name))];
  const flags = new FlagValues(specs);
  const words: string[] = [];
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? "";
    if (word === "--") {
      words.push(...argv.slice(index + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      words.push(word);
      continue;
    }
    const { spec, inline } = matchFlag(word, specs);
    if (spec.type === "bool") {
      const next = argv[index + 1];
      const follows = spec.takesWord && inline === undefined && /^(true|false)$/.test(next ?? "");
      if (follows) index++;
      flags.add(spec.name, boolText(spec, follows ? next : inline));
      continue;
    }
    const value = inline ?? argv[++index];
    if (value === undefined) throw new UsageError(`flag needs a value: --${spec.name}`);
    checkValue(spec, value);
    flags.add(spec.name, value);
  }
  return { words, flags };
}

/** Names that other programs have for our flags. */
const SYNONYMS: Readonly<Record<string, string | undefined>> = {
  format: "output",
  limit: "max-items",
  force: "yes",
};

function matchFlag(
  word: string,
  specs: readonly FlagSpec[],
): { spec: FlagSpec; inline: string | undefined } {
  if (!word.startsWith("--")) {
    const spec = specs.find((flag) => flag.short === word[1]);
    if (spec === undefined) throw new UsageError(`unknown flag: ${flagOnly(word)}`);
    const glued = word.slice(2);
    const inline = glued === "" ? undefined : glued.startsWith("=") ? glued.slice(1) : glued;
    if (spec.type === "bool" && inline !== undefined && !glued.startsWith("=")) {
      throw new UsageError(`unknown flag: ${flagOnly(word)}`);
    }
    return { spec, inline };
  }
  const equals = word.indexOf("=");
  const name = equals < 0 ? word.slice(2) : word.slice(2, equals);
  const spec = specs.find((flag) => flag.name === name);
  if (spec === undefined) {
    const visible = specs.filter((flag) => !flag.hidden).map((flag) => flag.name);
    const close = nearestWords(name, visible, { within: 2, most: 1 })[0] ??
      visible.find((flag) => flag === SYNONYMS[name]) ??
      // Abbreviations are not accepted, but it is clear what was meant.
      (name.length > 2 ? visible.find((flag) => flag.startsWith(name)) : undefined);
    const hint = close === undefined ? "" : ` (did you mean --${close}?)`;
    throw new UsageError(`unknown flag: --${name}${hint}`);
  }
  return { spec, inline: equals < 0 ? undefined : word.slice(equals + 1) };
}

// The value of an unknown flag is not repeated: it may be a secret.
function flagOnly(word: string): string {
  return word.slice(0, 2);
}

function boolText(spec: FlagSpec, inline: string | undefined): string {
  if (inline !== undefined && spec.orText?.test(inline)) return inline;
  const value = inline?.toLowerCase() ?? "true";
  if (value === "true" || value === "1") return "true";
  if (value === "false" || value === "0") return "false";
  const other = spec.orText === undefined
    ? ""
    : ", or what gum emulator serve printed as its origin";
  throw invalidArg(`--${spec.name}`, `takes no value, or one of true, false${other}`);
}

function checkValue(spec: FlagSpec, value: string): void {
  if (spec.type !== "int") return;
  if (!/^-?[0-9]+$/.test(value) || !Number.isSafeInteger(Number(value))) {
    throw invalidArg(`--${spec.name}`, `expected an integer, got ${JSON.stringify(value)}`);
  }
}
