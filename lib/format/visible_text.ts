/** Making invisible characters visible (spec 11 §8). */

// C0 and C1 controls except tab and line feed, bidirectional controls, zero-width characters other
// than the joiners that emoji and scripts need, line and paragraph separators, tag characters. A
// variation selector belongs to the character before it; a second one in a row belongs to none, and
// a row of them is text that only a model reads.
const INVISIBLE =
  // deno-lint-ignore no-control-regex -- controls are what this is about
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]|(?<=[\ufe00-\ufe0f]|\udb40[\udd00-\uddef])(?:[\ufe00-\ufe0f]|\udb40[\udd00-\uddef])/g;

/**
 * Text in which control, bidirectional-override and other invisible characters are spelled out as
 * `<U+202E>`. Tabs, line feeds and CR before LF stay.
 */
export function visibleText(text: string): string {
  return text.replace(INVISIBLE, (match, offset: number) => {
    if (match === "\r" && text[offset + 1] === "\n") return match;
    const code = match.codePointAt(0) ?? 0;
    return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}
