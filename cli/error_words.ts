/** Failures in words, for a person at a terminal. Pipes get the object of spec 08 §3.4 instead. */

import { visibleText } from "../lib/format/text/mod.ts";
import { envelopeOf, oneLine, renderFailure } from "./error_rendering.ts";
import { CliArgError, UsageError } from "./errors.ts";
import { howToFix } from "./how_to_fix.ts";
import { nextCommand } from "./next_command.ts";
import { isOperationWord, locate } from "./parse.ts";
import { stylesFor, terminalWidth } from "./terminal_text.ts";
import { wrapText } from "./terminal_wrap.ts";
import { COMMANDS } from "./tree.ts";
import type { CommandHost } from "./types.ts";

/** The text of a failure: what happened, why, what to type next, and the code to look up. */
export function renderFailureInWords(error: unknown, host: CommandHost): string {
  const styles = stylesFor(host, "stderr");
  const envelope = envelopeOf(error);
  if (envelope === undefined) {
    const line = wrapText(visibleText(renderFailure(error).trimEnd()), terminalWidth(host))
      .join("\n");
    const next = error instanceof UsageError || error instanceof CliArgError
      ? [`  ${styles.bold("Next:")} ${helpCommand(error, host)}`]
      : [];
    return [line.replace(/^Error:/, styles.red("Error:")), ...next, ""].join("\n");
  }
  const { error: known, extras } = envelope;
  const details = known.toEnvelope();
  const width = terminalWidth(host);
  const shown = (text: string) => visibleText(oneLine(text));
  const block = (label: string, text: string) => {
    const [first = "", ...rest] = wrapText(asTyped(shown(text)), width - label.length - 3);
    return [
      `  ${styles.bold(label)} ${first}`,
      ...rest.map((line) => `  ${" ".repeat(label.length)} ${line}`),
    ];
  };
  const place = [known.code, details.op_id, details.variant_id]
    .filter((part) => typeof part === "string").join("  ");
  const fix = howToFix(details, extras);
  const next = nextCommand(details, extras) ?? onlyCommand(fix);
  const happened = lacksGrant(envelope)
    ? "gum write changes something only with --allow-write; nothing was sent."
    : asTyped(shown(known.userMessage));
  const [what = "", ...more] = wrapText(happened, width - "Error: ".length);
  return [
    `${styles.red("Error:")} ${what}`,
    ...more.map((line) => `${" ".repeat("Error: ".length)}${line}`),
    ...(saysTheSame(known.message, known.userMessage) ? [] : block("Why:", known.message)),
    ...(fix === "" ? [] : block("Fix:", fix)),
    // Never wrapped: it is there to be copied.
    ...(next === undefined ? [] : [`  ${styles.bold("Next:")} ${shown(next)}`]),
    `  ${styles.dim(shown(place))}`,
    "",
  ].join("\n");
}

/** The right command, without the flag that it asks for: the kernel only sees that it was not let. */
function lacksGrant({ error, extras }: NonNullable<ReturnType<typeof envelopeOf>>): boolean {
  return error.code === "RISK_TOOL_MISMATCH" && extras?.command === "write" &&
    error.details.variant_risk_class === "write";
}

/** The kernel calls the ways to it by the names of tools; here they are commands. */
function asTyped(text: string): string {
  return text.replaceAll(/\bgum\.(read|write|destructive|search|code)\b/g, "gum $1");
}

/** A reason that repeats the sentence above it helps nobody. */
function saysTheSame(one: string, other: string): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/[.!\s]+$/, "").trim();
  return plain(one) === plain(other);
}

/** The command that advice names, when it is the only one and nothing in it is left to fill in. */
function onlyCommand(advice: string): string | undefined {
  const quoted = [...advice.matchAll(/`(gum [^`]+)`/g)].map(([, command = ""]) => command);
  const listing = /^(gum [a-z]+ list) shows /.exec(advice)?.[1];
  const named = [...new Set(listing === undefined ? quoted : [...quoted, listing])];
  return named.length === 1 && !/[<…]/.test(named[0] ?? "") ? named[0] : undefined;
}

function helpCommand(error: Error, host: CommandHost): string {
  const parent = /^unknown command "[^"]*" for (gum[a-z -]*)/.exec(error.message)?.[1];
  const near = /did you mean ([a-z][\w-]*(?:\.[\w-]+)+)\?$/i.exec(error.message)?.[1];
  if (near !== undefined) return `gum describe ${near}`;
  const bare = / (gum describe \S+) shows how it is called$/.exec(error.message)?.[1];
  if (bare !== undefined) return bare;
  const nearest = error instanceof UsageError
    ? /; did you mean "([^"]+)"\?$/.exec(error.message)?.[1]
    : undefined;
  if (nearest !== undefined && !nearest.startsWith("-")) {
    return `${parent ?? "gum"} ${nearest} --help`;
  }
  if (parent !== undefined) return `${parent} --help`;
  // The arguments of an operation are explained by its own page.
  const operation = host.argv.find(isOperationWord);
  if (error instanceof CliArgError && operation !== undefined) return `gum describe ${operation}`;
  const path = locate(COMMANDS, host.argv).path.map(({ name }) => name);
  return path.length === 0 || path[0] === "help" ? "gum --help" : `gum help ${path.join(" ")}`;
}
