/** Styling of text for people at a terminal; on the hot path, so it imports nothing. */

import type { CommandHost, StandardStream } from "./types.ts";

/** Wraps text in a style, or leaves it alone where styling is not wanted. */
export interface Styles {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
  green(text: string): string;
}

/** True for a terminal that takes control sequences, as far as one can tell. */
export function takesSequences(host: CommandHost, stream: StandardStream): boolean {
  return host.isTerminal(stream) && host.environment.text("TERM") !== "dumb";
}

/** Styles for a stream: none unless it is a terminal that has them and `NO_COLOR` is unset. */
export function stylesFor(host: CommandHost, stream: StandardStream): Styles {
  const on = takesSequences(host, stream) && host.environment.text("NO_COLOR") === undefined;
  const style = (code: string) => (text: string) => on ? `\x1b[${code}m${text}\x1b[0m` : text;
  return {
    bold: style("1"),
    dim: style("2"),
    red: style("31"),
    yellow: style("33"),
    green: style("32"),
  };
}

const USUAL_WIDTH = 80;
/** Narrower, hardly a word fits; such a terminal breaks the lines itself. */
const NARROWEST = 20;

/** Columns to fill. A terminal that does not say how wide it is counts as an ordinary one. */
export function terminalWidth(host: CommandHost): number {
  const told = host.columns?.() ?? 0;
  return told > 0 ? Math.max(NARROWEST, told) : USUAL_WIDTH;
}

/** The colour of a risk class. */
export function riskStyle(styles: Styles, risk: string): (text: string) => string {
  if (risk === "destructive") return styles.red;
  return risk === "write" ? styles.yellow : styles.green;
}
