/** Pages of names with their values beside them, as `gum status` prints them. */

import { visibleText } from "../lib/format/text/mod.ts";
import type { Styles } from "./terminal_text.ts";
import { wrapText } from "./terminal_wrap.ts";

const LABEL = 15;
/** A value with less room than this beside its name stands below it. */
const NARROWEST_VALUE = 20;

/** The lines of a name and its value. */
export function labelledLines(
  [label, value]: readonly [label: string, value: string],
  { width, styles }: { width: number; styles: Styles },
): string[] {
  const below = width - LABEL < NARROWEST_VALUE;
  const lines = wrapText(visibleText(value), below ? width - 2 : width - LABEL);
  if (below) return [styles.bold(label), ...lines.map((part) => `  ${part}`)];
  const [first = "", ...more] = lines;
  return [
    `${styles.bold(label.padEnd(LABEL))}${first}`,
    ...more.map((part) => " ".repeat(LABEL) + part),
  ];
}
