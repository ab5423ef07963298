/** Text of `format=flowed` (RFC 3676): paragraphs that their sender cut into short lines. */

interface Line {
  /** How many times it is quoted. */
  depth: number;
  text: string;
  /** The next line goes on with it. */
  isOpen: boolean;
}

/** The text with its paragraphs on one line each; quotes keep their marks. */
export function unflowed(text: string, options: { dropSpace: boolean }): string {
  const lines: Line[] = [];
  for (const raw of text.split(/\r\n?|\n/)) {
    const depth = /^>*/.exec(raw)?.[0].length ?? 0;
    const stuffed = raw.slice(depth);
    const content = stuffed.startsWith(" ") ? stuffed.slice(1) : stuffed;
    const isSignature = content === "-- ";
    const isOpen = content.endsWith(" ") && !isSignature;
    const words = isOpen && options.dropSpace ? content.slice(0, -1) : content;
    const last = lines.at(-1);
    if (last?.isOpen && last.depth === depth && !isSignature) {
      last.text += words;
      last.isOpen = isOpen;
    } else lines.push({ depth, text: words, isOpen });
  }
  return lines.map(({ depth, text }) => depth === 0 ? text : `${">".repeat(depth)} ${text}`)
    .join("\n");
}
