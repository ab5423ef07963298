/** Words of a plugin's author at a terminal. */

import { visibleText } from "../lib/format/text/mod.ts";

/** On one line, with nothing in them that could steer a terminal or pass for a line of ours. */
export function oneLine(text: string): string {
  return visibleText(text.replace(/[\r\n\t]+/g, " "));
}
