/** Titles, summaries and field descriptions from Discovery text (spec 04 §3.6). */
import { singular } from "../../resource_names/mod.ts";
import { isVerb, splitWords } from "./words.ts";

/** Longest derived summary, in code points. */
const SUMMARY_LIMIT = 160;
/** Longest field description, in code points. */
const DESCRIPTION_LIMIT = 120;

/**
 * Title of an operation: what it does and to what, then the API in brackets.
 *
 * @example `gmail.users.messages.batchDelete`, `Gmail API` → `Batch delete message (Gmail)`
 */
export function deriveTitle(opId: string, apiTitle: string): string {
  const segments = opId.split(".");
  const words = splitWords(segments.at(-1) ?? opId);
  const first = words[0] ?? "";
  if (words.length === 1 || isVerb(words.at(-1) ?? "")) {
    const plural = first === "list" || first === "search";
    const before = segments.length > 2 ? splitWords(segments.at(-2) ?? "") : [];
    const last = before.at(-1);
    if (last !== undefined && !plural) before[before.length - 1] = singular(last);
    words.push(...before);
  }
  const text = words.join(" ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)} (${shortApiTitle(apiTitle)})`;
}

/** `Google Chat API` → `Google Chat`. */
export function shortApiTitle(apiTitle: string): string {
  return apiTitle.replace(/\bAPI\b/g, " ").replace(/\s+/g, " ").trim();
}

/** First sentence of a description, as plain one-line text; the fallback when there is none. */
export function deriveSummary(description: string | undefined, fallback: string): string {
  const sentence = firstSentence(plainText(description ?? ""));
  return sentence === "" ? fallback : clip(sentence, SUMMARY_LIMIT);
}

/** Markdown links become their text, backticks go, white space collapses. */
export function plainText(text: string): string {
  return text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", "").replace(/\s+/g, " ")
    .trim();
}

function firstSentence(text: string): string {
  // "i.e." and "e.g." do not end a sentence.
  for (const match of text.matchAll(/\. /g)) {
    if (/\b(?:i\.e|e\.g|etc|vs)$/.test(text.slice(0, match.index))) continue;
    return text.slice(0, match.index + 1);
  }
  return text;
}

/** One-line description of a field; undefined when there is nothing to say. */
export function deriveDescription(description: string | undefined): string | undefined {
  const text = plainText(description ?? "");
  return text === "" ? undefined : clip(text, DESCRIPTION_LIMIT);
}

/** Cuts at a number of code points, the last one being an ellipsis. */
export function clip(text: string, limit: number): string {
  const points = [...text];
  if (points.length <= limit) return text;
  return `${points.slice(0, limit - 1).join("").trimEnd()}…`;
}
