/** Failures in words, for a person at a terminal. Pipes get the object of spec 08 §3.4 instead. */

import { visibleText } from "../lib/format/mod.ts";
import { envelopeOf, oneLine, renderFailure } from "./error_rendering.ts";
import { howToFix } from "./how_to_fix.ts";
import { stylesFor } from "./terminal_text.ts";
import type { CommandHost } from "./types.ts";

/** The text of a failure: what happened, what to do, and the code to look up. */
export function renderFailureInWords(error: unknown, host: CommandHost): string {
  const envelope = envelopeOf(error);
  if (envelope === undefined) return `${visibleText(renderFailure(error).trimEnd())}\n`;
  const { error: known, extras } = envelope;
  const details = known.toEnvelope();
  const styles = stylesFor(host, "stderr");
  const shown = (text: string) => visibleText(oneLine(text));
  const place = [known.code, details.op_id, details.variant_id]
    .filter((part) => typeof part === "string").join("  ");
  const fix = howToFix(details, extras);
  return [
    `${styles.red("Error:")} ${shown(known.userMessage)}`,
    ...(known.message === known.userMessage ? [] : [`  ${shown(known.message)}`]),
    ...(fix === "" ? [] : [`  ${styles.bold("Fix:")} ${shown(fix)}`]),
    `  ${styles.dim(shown(place))}`,
    "",
  ].join("\n");
}
