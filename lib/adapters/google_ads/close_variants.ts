/**
 * Google folds close variants of a keyword into one row of historical metrics. This says which
 * inputs a row answers, and which inputs no row answers (spec 02 §3.11.4). Pure.
 */

import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";

/** The annotated body and the paths that were added to it. */
export interface AnnotatedBody {
  body: JsonValue;
  addedPaths: string[];
}

/** Annotates an answer with the caller's `keywords`; the given body is not changed. */
export function annotateCloseVariants(
  body: JsonValue,
  keywords: readonly string[],
): AnnotatedBody {
  const unchanged: AnnotatedBody = { body, addedPaths: [] };
  if (!isJsonObject(body) || keywords.length === 0) return unchanged;
  const inputs = [...new Set(keywords)].map((keyword) => ({ keyword, form: comparable(keyword) }));
  const answered = new Set<string>();
  let matchedSomewhere = false;
  const rows = Array.isArray(body.results) ? body.results : [];
  const results = rows.map((row) => {
    if (!isJsonObject(row)) return row;
    const forms = formsOf(row);
    const matched = inputs.filter(({ form }) => forms.has(form));
    for (const { form } of matched) answered.add(form);
    // A field the service sent itself is never overwritten.
    if (matched.length === 0 || Object.hasOwn(row, "matchedInputs")) return row;
    matchedSomewhere = true;
    return { ...row, matchedInputs: matched.map(({ keyword }) => keyword) };
  });
  const unmatched = inputs.filter(({ form }) => !answered.has(form)).map(({ keyword }) => keyword);
  const reportUnmatched = unmatched.length > 0 && !Object.hasOwn(body, "unmatchedInputs");
  if (!matchedSomewhere && !reportUnmatched) return unchanged;
  return {
    body: {
      ...body,
      ...(matchedSomewhere ? { results } : {}),
      ...(reportUnmatched ? { unmatchedInputs: unmatched } : {}),
    },
    addedPaths: [
      ...(matchedSomewhere ? ["results.matchedInputs"] : []),
      ...(reportUnmatched ? ["unmatchedInputs"] : []),
    ],
  };
}

function formsOf(row: JsonObject): ReadonlySet<string> {
  const variants = Array.isArray(row.closeVariants) ? row.closeVariants : [];
  const texts = [row.text, ...variants].filter((text) => typeof text === "string");
  return new Set(texts.map(comparable));
}

function comparable(text: string): string {
  return text.trim().toLowerCase().replace(/\s+/g, " ");
}
