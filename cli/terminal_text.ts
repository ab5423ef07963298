/** Styling and layout of text for people at a terminal. */

import { characterWidth, textWidth } from "../lib/format/mod.ts";
import type { CommandHost, StandardStream } from "./types.ts";

/** Wraps text in a style, or leaves it alone where styling is not wanted. */
export interface Styles {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
  green(text: string): string;
}

/** Styles for a stream: none unless it is a terminal and `NO_COLOR` is unset. */
export function stylesFor(host: CommandHost, stream: StandardStream): Styles {
  const on = host.isTerminal(stream) && host.environment.text("NO_COLOR") === undefined;
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
const NARROWEST = 40;

/** Columns to fill. A terminal that does not say how wide it is counts as an ordinary one. */
export function terminalWidth(host: CommandHost): number {
  return Math.max(NARROWEST, host.columns?.() ?? USUAL_WIDTH);
}

/** The colour of a risk class. */
export function riskStyle(styles: Styles, risk: string): (text: string) => string {
  if (risk === "destructive") return styles.red;
  return risk === "write" ? styles.yellow : styles.green;
}

/** Text as lines of at most `width` columns, broken at blanks where there are any. */
export function wrapText(text: string, width: number): string[] {
  return text.split("\n").flatMap((paragraph) => wrapLine(paragraph, width));
}

function wrapLine(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/ +/)) {
    const joined = line === "" ? word : `${line} ${word}`;
    if (textWidth(joined) <= width) line = joined;
    else {
      if (line !== "") lines.push(line);
      const pieces = slices(word, width);
      lines.push(...pieces.slice(0, -1));
      line = pieces.at(-1) ?? "";
    }
  }
  return [...lines, line];
}

/** A word too long for a line, cut where it has to be; never half a character. */
function slices(word: string, width: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  let used = 0;
  for (const character of word) {
    const columns = characterWidth(character);
    if (used + columns > width && piece !== "") {
      pieces.push(piece);
      [piece, used] = ["", 0];
    }
    piece += character;
    used += columns;
  }
  return [...pieces, piece];
}
