/** The responder behind every completion script (spec 08 §7). */

import type { CatalogSnapshot } from "../lib/catalog/types.ts";
import { GLOBAL_FLAGS, takesNextWord } from "./parse.ts";
import type {
  Candidate,
  CommandContext,
  CommandHost,
  CommandSpec,
  Completer,
  Completion,
  CompletionRequest,
  FlagSpec,
} from "./types.ts";

const NO_SPACE = 2;
const NO_FILES = 4;

/** Answers one request: candidates, then the directive line. Never fails. */
export async function runComplete(
  context: CommandContext,
  options: { descriptions: boolean },
): Promise<void> {
  const { host, words } = context;
  const answer = await respond(words, host);
  for (const { value, description } of answer.candidates) {
    const text = options.descriptions && description ? `\t${description.split("\n")[0]}` : "";
    host.stdout.write(`${value}${text}\n`);
  }
  host.stdout.write(`:${answer.directive}\n`);
  host.stderr.write(`directive ${answer.directive}: ${directiveText(answer.directive)}\n`);
}

function directiveText(directive: number): string {
  const parts = [];
  if (directive & NO_SPACE) parts.push("no space after a candidate");
  if (directive & NO_FILES) parts.push("no file names");
  return parts.join(", ") || "file names when there is no candidate";
}

interface Answer {
  candidates: Candidate[];
  directive: number;
}

/** What to offer for the last of `words`. */
export async function respond(words: readonly string[], host: CommandHost): Promise<Answer> {
  try {
    return await answerFor(words, host);
  } catch {
    // A shell must never show an error on TAB.
    return { candidates: [], directive: NO_FILES };
  }
}

async function answerFor(words: readonly string[], host: CommandHost): Promise<Answer> {
  let snapshot: Promise<CatalogSnapshot> | undefined;
  const catalog = () => snapshot ??= host.factories.catalog(words.slice(0, -1));
  const last = words.at(-1) ?? "";
  const roots = await rootCommands(words.slice(0, -1), host);
  const place = await follow(words.slice(0, -1), { roots, catalog });
  const request = {
    prefix: last,
    words: place.words,
    typed: words.slice(0, -1),
    catalog,
    host,
  };
  if (place.openFlag !== undefined) return await fromFlag(place.openFlag, request);
  if (!place.flagsEnded && last.startsWith("-")) {
    const equals = last.indexOf("=");
    if (equals < 0) return flagNames(place.flags, last);
    const flag = flagOf(last.slice(0, equals), place.flags);
    if (flag === undefined) return { candidates: [], directive: NO_FILES };
    const head = last.slice(0, equals + 1);
    const inner = await fromFlag(flag, { ...request, prefix: last.slice(equals + 1) });
    return {
      ...inner,
      candidates: inner.candidates.map((one) => ({ ...one, value: head + one.value })),
    };
  }
  if (place.children.length > 0) {
    return matching({
      candidates: place.children.filter((command) => !command.hidden)
        .map((command) => ({ value: command.name, description: command.summary })),
    }, last);
  }
  return await fromArgument(place.command, request);
}

/** A command that was typed out needs no other; every one of them is a module to load. */
async function rootCommands(
  typed: readonly string[],
  host: CommandHost,
): Promise<readonly CommandSpec[]> {
  const [first] = typed;
  const group = first === undefined || first.startsWith("-")
    ? undefined
    : await host.factories.commandGroup?.(first);
  return group ?? (await import("./tree.ts")).COMMANDS;
}

interface Place {
  command: CommandSpec | undefined;
  children: readonly CommandSpec[];
  flags: readonly FlagSpec[];
  /** Positional words after the command names. */
  words: string[];
  /** A flag that waits for its value. */
  openFlag?: FlagSpec;
  flagsEnded: boolean;
}

async function follow(
  words: readonly string[],
  { roots, catalog }: {
    roots: readonly CommandSpec[];
    catalog: () => Promise<CatalogSnapshot>;
  },
): Promise<Place> {
  const place: Place = {
    command: undefined,
    children: roots,
    flags: GLOBAL_FLAGS,
    words: [],
    flagsEnded: false,
  };
  for (const [index, word] of words.entries()) {
    if (place.openFlag !== undefined) {
      place.openFlag = undefined;
    } else if (place.flagsEnded) place.words.push(word);
    else if (word === "--") place.flagsEnded = true;
    else if (word.startsWith("-") && word !== "-") {
      if (takesNextWord(word, place.flags)) place.openFlag = flagOf(word, place.flags);
    } else if (place.children.length > 0) {
      const child = place.children.find((command) => command.name === word);
      if (child === undefined) {
        place.children = [];
        continue;
      }
      place.command = child;
      place.children = child.children;
      const dynamic = await child.dynamicFlags?.(words.slice(index + 1), catalog) ?? [];
      place.flags = [...child.flags, ...dynamic, ...GLOBAL_FLAGS];
    } else place.words.push(word);
  }
  return place;
}

function flagOf(word: string, flags: readonly FlagSpec[]): FlagSpec | undefined {
  return word.startsWith("--")
    ? flags.find((flag) => flag.name === word.slice(2))
    : flags.find((flag) => flag.short === word.slice(1));
}

function flagNames(flags: readonly FlagSpec[], prefix: string): Answer {
  return matching({
    candidates: flags.filter((flag) => !flag.hidden)
      .map((flag) => ({ value: `--${flag.name}`, description: flag.help })),
  }, prefix);
}

async function fromFlag(flag: FlagSpec, request: CompletionRequest): Promise<Answer> {
  const { complete } = flag;
  if (complete === undefined) return { candidates: [], directive: 0 };
  if (flag.type !== "stringList") return await offered(complete, request);
  return await offered(
    async () => listGoingOn(request.prefix, (await complete(request)).candidates),
    request,
  );
}

async function fromArgument(
  command: CommandSpec | undefined,
  request: CompletionRequest,
): Promise<Answer> {
  const args = command?.args ?? [];
  const position = Math.min(request.words.length, args.length - 1);
  const arg = args[position];
  if (arg === undefined || (request.words.length >= args.length && !arg.variadic)) {
    return { candidates: [], directive: NO_FILES };
  }
  if (arg.complete === undefined) return { candidates: [], directive: 0 };
  return await offered(arg.complete, request);
}

async function offered(completer: Completer, request: CompletionRequest): Promise<Answer> {
  let completion: Completion;
  try {
    completion = await completer(request);
  } catch {
    // A key press has nowhere to show an error: what fails offers nothing.
    completion = { candidates: [] };
  }
  return matching(completion, request.prefix);
}

function matching(completion: Completion, prefix: string): Answer {
  const candidates = completion.candidates.filter(({ value }) => value.startsWith(prefix));
  // A word that ends with an opening bracket is not finished: `value(`.
  const unfinished = candidates.length > 0 && candidates.every(({ value }) => value.endsWith("("));
  return {
    candidates,
    directive: NO_FILES | (completion.noSpace || unfinished ? NO_SPACE : 0),
  };
}

/** Candidates for the next item of a list with commas; what it has already is not offered again. */
export function listGoingOn(prefix: string, candidates: readonly Candidate[]): Completion {
  const head = prefix.slice(0, prefix.lastIndexOf(",") + 1);
  const had = new Set(head.split(","));
  return {
    candidates: candidates.filter(({ value }) => !had.has(value))
      .map((one) => ({ ...one, value: head + one.value })),
  };
}
