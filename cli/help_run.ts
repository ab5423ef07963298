/** `gum help [command or topic]` (spec 08 §7, 11 §9). */

import { UsageError } from "./errors.ts";
import { EXIT_CODES_HELP } from "./exit_codes.ts";
import { renderCommandHelp, renderRootHelp } from "./help_text.ts";
import { didYouMean, nearestWords } from "../lib/spelling/mod.ts";
import { helpFor, helpWidth, topicFor } from "./help_wrap.ts";
import { helpTopics, topicText } from "./help_topics.ts";
import { COMMANDS } from "./tree.ts";
import type { CommandContext, CommandHost, CommandSpec, Completion } from "./types.ts";

const EXIT_CODES_TOPIC = "exit-codes";

/** Runs `gum help`. A command name wins over a topic of the same name. */
export function runHelp({ words, host }: CommandContext): Promise<void> {
  host.stdout.write(helpText(words, host));
  return Promise.resolve();
}

function helpText(words: readonly string[], host: CommandHost): string {
  const [first] = words;
  if (first === undefined) return helpFor(host, renderRootHelp(COMMANDS, helpWidth(host)));
  const path = commandPath(words);
  if (path !== undefined) return helpFor(host, renderCommandHelp(path));
  if (words.length === 1) {
    if (first === EXIT_CODES_TOPIC) return helpFor(host, EXIT_CODES_HELP);
    const topic = topicText(first);
    if (topic !== undefined) return topicFor(host, topic.endsWith("\n") ? topic : topic + "\n");
  }
  const parent = words.length > 1 ? commandPath(words.slice(0, -1)) : undefined;
  if (parent !== undefined) throw unknownChild(parent, words.at(-1) ?? "");
  const known = helpWords().candidates.map((candidate) => candidate.value);
  const close = nearestWords(first, known, { within: 2, most: 1 })[0];
  const topics = helpTopics().map(({ topic }) => topic).join(", ");
  const hint = close === undefined
    ? `; topics are ${topics}, ${EXIT_CODES_TOPIC}`
    : didYouMean(close);
  throw new UsageError(`no help on ${JSON.stringify(words.join(" "))}${hint}`);
}

/** The words lead to a command; only the last one names nothing below it. */
function unknownChild(parent: readonly CommandSpec[], word: string): UsageError {
  const names = (parent.at(-1)?.children ?? []).filter(({ hidden }) => !hidden)
    .map(({ name }) => name);
  const [close] = nearestWords(word, names, { within: 2, most: 1 });
  const path = parent.map(({ name }) => name).join(" ");
  return new UsageError(
    `unknown command ${JSON.stringify(word)} for gum ${path}${didYouMean(close)}`,
  );
}

function commandPath(words: readonly string[]): CommandSpec[] | undefined {
  const path: CommandSpec[] = [];
  let children: readonly CommandSpec[] = COMMANDS;
  for (const word of words) {
    const child = children.find((command) => command.name === word && !command.hidden);
    if (child === undefined) return undefined;
    path.push(child);
    children = child.children;
  }
  return path;
}

/** Words that `gum help` takes: commands, then topics. */
export function helpWords(): Completion {
  return {
    candidates: [
      ...COMMANDS.filter((command) => !command.hidden)
        .map((command) => ({ value: command.name, description: command.summary })),
      ...helpTopics().map((topic) => ({ value: topic.topic, description: topic.summary })),
      { value: EXIT_CODES_TOPIC, description: "what each exit code means" },
    ],
  };
}
