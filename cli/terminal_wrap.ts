/** Text broken into lines that fit a terminal. */

import { characterWidth, textWidth } from "../lib/format/text/mod.ts";

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
