/** The shaping notice: what a result leaves out, in words (spec 03 §3.15). */

import type { ExpressionFacts, TokenSkip } from "../dispatch/types.ts";
import { visibleText } from "../format/mod.ts";

const PATHS_NAMED = 8;
/** A name without anything that could be taken for the notice's own words. */
const PLAIN_NAME = /^[\w$@:/.-]{1,100}$/;
const NAME_LENGTH = 100;

/** One line of sentences; "" when nothing was left out. */
export function noticeOf(facts: ExpressionFacts, surface: "cli" | "mcp"): string {
  const { shape } = facts;
  if (shape.format === "raw") return "";
  const left = [
    ...omittedSentences(facts, surface),
    ...removedRowSentences(facts),
    ...tokenSentences(facts, surface),
    ...droppedSentences(facts),
    ...countedSentences(facts),
  ];
  if (left.length === 0) return "";
  if (shape.droppedPaths.length > 0) left.push(...rawSentences(facts, surface));
  if (facts.artifact !== undefined) left.push(`Full result: ${facts.artifact.path}.`);
  return left.join(" ");
}

function omittedSentences(facts: ExpressionFacts, surface: "cli" | "mcp"): string[] {
  const cuts = Object.entries(facts.shape.omittedByKey);
  const total = cuts.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return [];
  const fields = names(cuts.map(([key]) => key));
  const lift = surface === "cli" ? "--max-items all" : 'max_items: "all"';
  // What dedupe and limit take, they would take of more rows too.
  const { dedupedRows, limitedRows } = facts.shape;
  const gives = dedupedRows + limitedRows > 0 ? "lifts that cap" : "returns every row";
  return [`${plural(total, "row")} omitted (${fields}); ${lift} ${gives}.`];
}

function removedRowSentences(facts: ExpressionFacts): string[] {
  const { dedupedRows, limitedRows } = facts.shape;
  const parts: string[] = [];
  if (dedupedRows > 0) parts.push(`${plural(dedupedRows, "duplicate row")} merged`);
  if (limitedRows > 0) parts.push(`${plural(limitedRows, "row")} removed by the profile's limit`);
  return parts.length === 0 ? [] : [`${parts.join(", ")}.`];
}

/** Whoever goes on with the token would never see the rows that were left out here. */
function tokenSentences({ tokenSkips }: ExpressionFacts, surface: "cli" | "mcp"): string[] {
  return tokenSkips === undefined ? [] : [tokenSkipText(tokenSkips, surface)];
}

/** Where the page token of an answer leads, and how the rows before it are had. */
export function tokenSkipText(skip: TokenSkip, surface: "cli" | "mcp" | "script"): string {
  const { fitting } = skip;
  const ways: string[] = [];
  // A script has no such control: it sees what a profile leaves.
  if (surface === "cli") ways.push(`with ${skip.byCap ? "--max-items all" : "--format raw"}`);
  if (surface === "mcp") ways.push(`with ${skip.byCap ? 'max_items: "all"' : 'format: "raw"'}`);
  if (fitting !== undefined) {
    const size = { cli: "--page-size ", mcp: "page_size: ", script: `${fitting.argument}: ` };
    ways.push(`in pages of ${size[surface]}${fitting.rows}`);
  }
  const rows = skip.rows === 1 ? "the row" : `the ${skip.rows} rows`;
  const again = ways.length === 0 ? "" : `; read this page again ${ways.join(" or ")}`;
  return `The page token leads past ${rows} left out here${again}.`;
}

function droppedSentences(facts: ExpressionFacts): string[] {
  const paths = facts.shape.droppedPaths;
  if (paths.length === 0) return [];
  const more = paths.length - PATHS_NAMED;
  const named = names(paths.slice(0, PATHS_NAMED));
  return [`${plural(paths.length, "field")} dropped: ${named}${more > 0 ? `, ${more} more` : ""}.`];
}

function countedSentences(facts: ExpressionFacts): string[] {
  const counted = facts.shape.countedArrays ?? [];
  if (counted.length === 0) return [];
  const noun = counted.length === 1 ? "array is" : "arrays are";
  return [`${counted.length} secondary ${noun} shown as a count: ${names(counted)}.`];
}

function rawSentences(facts: ExpressionFacts, surface: "cli" | "mcp"): string[] {
  const how = surface === "cli" ? "--format raw" : 'format: "raw"';
  const added = facts.annotationPaths;
  const without = added.length === 0
    ? ""
    : `, without the added ${added.length === 1 ? "field" : "fields"} ${added.join(", ")}`;
  const sentences = [`${how} returns the unshaped body${without}.`];
  if (facts.fieldMask !== undefined) {
    const lift = surface === "cli" ? "--no-field-mask" : 'fields: "*"';
    // The mask itself stands in `_expression`; here only the way around it is worth its tokens.
    sentences.push(`${lift} lifts the field mask.`);
  }
  return sentences;
}

/**
 * Member names in a row. Users choose some of them (labels, custom properties), so one that is no
 * plain word stands in quotes, on one line, with nothing invisible in it.
 */
function names(list: readonly string[]): string {
  return list.map((name) => PLAIN_NAME.test(name) ? name : quotedName(name)).join(", ");
}

function quotedName(name: string): string {
  const points = [...name.slice(0, 2 * (NAME_LENGTH + 1))];
  const cut = points.length > NAME_LENGTH ? `${points.slice(0, NAME_LENGTH - 1).join("")}…` : name;
  return JSON.stringify(visibleText(cut));
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
