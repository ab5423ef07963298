/** What shaping left out, in plain words for a person. */

import { visibleText } from "../lib/format/text/mod.ts";
import type { Styles } from "./terminal_text.ts";
import { wrapText } from "./terminal_wrap.ts";

/**
 * The sentences of a notice, one a line. Member names that only a program needs are left out, and
 * a path ends without a full stop, so that it can be copied.
 */
export function noticeLines(
  notice: string,
  { styles, width }: { styles: Styles; width: number },
): string {
  if (notice === "") return "";
  return notice
    .replace(/ \([^()]*_omitted_count[^()]*\)/g, "")
    .replaceAll(" omitted;", " not shown;")
    .replaceAll(/(\d+ fields?) dropped:/g, "$1 not shown:")
    .replace(
      /--no-field-mask lifts the field mask\./,
      "The service was asked for these fields only; --no-field-mask asks for all.",
    )
    .split(/(?<=\.) (?=[A-Z0-9])/)
    .map((sentence) => sentence.replace(/^(Full result: .*)\.$/, "$1"))
    .flatMap((sentence) => {
      const lines = sentence.startsWith("Full result: ")
        ? [visibleText(sentence)]
        : wrapText(visibleText(sentence), width - 2);
      return lines.map((line, index) =>
        `${styles.dim(index === 0 ? "·" : " ")} ${styles.dim(line)}\n`
      );
    })
    .join("");
}
