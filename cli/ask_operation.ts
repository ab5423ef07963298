/** Finding the operation together with a person who did not name one. */

import type { RiskClass, SearchHit } from "../lib/catalog/types.ts";
import { visibleText } from "../lib/format/text/mod.ts";
import { askLine } from "./ask_line.ts";
import { UsageError } from "./errors.ts";
import { isOperationWord } from "./parse.ts";
import { riskStyle, stylesFor, terminalWidth } from "./terminal_text.ts";
import type { CommandHost } from "./types.ts";

const OFFERED = 5;
/** How far down the ranking operations of the right risk class are looked for. */
const LOOKED_AT = 50;

/**
 * Asks for an operation id, or for words to search with and then for a choice. The answer is
 * undefined where nobody can be asked.
 *
 * @throws UsageError when the person gives nothing, or nothing that is there.
 */
export async function askOperation(
  host: CommandHost,
  risk?: RiskClass,
): Promise<string | undefined> {
  if (!host.isTerminal("stdin") || !host.isTerminal("stderr")) return undefined;
  const ask = async (text: string) =>
    (await askLine(host, { text, signal: host.signal }))?.trim() ?? "";
  const wish = await ask("What do you want to do? (words, or an operation id): ");
  if (wish === "") throw new UsageError("missing argument <op_id>");
  if (isOperationWord(wish)) return wish;
  const search = await host.factories.search();
  const hits = search.search(wish, LOOKED_AT)
    .filter((hit) => risk === undefined || hit.risk_class === risk).slice(0, OFFERED);
  if (hits.length === 0) {
    const kind = risk === undefined ? "operation" : `${risk} operation`;
    throw new UsageError(`no ${kind} found for ${JSON.stringify(wish.slice(0, 60))}`);
  }
  host.stderr.write(offer(hits, host));
  const answer = await ask("Which one? [1]: ");
  const chosen = hits[answer === "" ? 0 : Number(answer) - 1];
  if (chosen === undefined) throw new UsageError(`there is no number ${answer.slice(0, 20)}`);
  return chosen.op_id;
}

function offer(hits: readonly SearchHit[], host: CommandHost): string {
  const styles = stylesFor(host, "stderr");
  const longest = Math.max(...hits.map(({ op_id }) => op_id.length));
  const room = Math.max(0, terminalWidth(host) - longest - 7);
  return hits.map(({ op_id, risk_class, summary }, index) => {
    const text = visibleText(summary);
    const shown = text.length > room ? `${text.slice(0, Math.max(0, room - 1))}…` : text;
    const name = riskStyle(styles, risk_class)(op_id.padEnd(longest));
    return `  ${index + 1}  ${name}${room > 16 ? `  ${shown}` : ""}\n`;
  }).join("");
}
