/** A kernel answer on stdout, and what shaping left out on stderr (spec 08 §4.4, 11 §13). */

import type { ShapedResponse } from "../lib/dispatch/types.ts";
import { renderTable, renderValuePath, visibleText } from "../lib/format/mod.ts";
import { answerPayload } from "../lib/format/records/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../lib/json/mod.ts";
import type { OutputChoice } from "./output_choice.ts";
import { noticeLines } from "./terminal_notice.ts";
import { renderForTerminal } from "./terminal_table.ts";
import { stylesFor, terminalWidth } from "./terminal_text.ts";
import type { CommandHost } from "./types.ts";

/** How to show one answer. */
export interface Presentation {
  choice: OutputChoice;
  /** `--envelope`: the MCP-shaped object instead of the body. */
  envelope: boolean;
  /** `--no-envelope`: no `_expression` anywhere. */
  bare: boolean;
  /** `call` spells the way to the unshaped body differently. */
  command: string;
}

/** Writes an answer. Throws when a table or value cannot be made from it. */
export function presentResponse(
  response: ShapedResponse,
  presentation: Presentation,
  host: CommandHost,
): void {
  if (presentation.choice.kind === "table" && !presentation.envelope && host.isTerminal("stdout")) {
    // Made visible cell by cell; the styles around the cells must stay what they are.
    const text = terminalText(response, host);
    if (text.trim() === "") sayDone(response, host);
    else host.stdout.write(text);
  } else writeResult(bodyText(response, presentation), host);
  writeNotices(response, presentation, host);
}

function bodyText(
  response: ShapedResponse,
  presentation: Presentation,
): string | Uint8Array {
  if (presentation.envelope) return JSON.stringify(resultEnvelope(response), null, 2);
  const { choice } = presentation;
  if (choice.kind === "table") {
    const value = shapedValue(response);
    // A table of almost nothing but gaps says less than the JSON.
    return renderTable(value) ?? JSON.stringify(value, null, 2);
  }
  if (choice.kind === "value") return renderValuePath(shapedValue(response), choice.path) ?? "";
  if (response.format === "json" && !presentation.bare) return withExpression(response);
  return response.body;
}

/** A success without an answer looks like nothing happened; people are told. */
function sayDone({ opId }: ShapedResponse, host: CommandHost): void {
  if (!host.isTerminal("stderr")) return;
  host.stderr.write(`${stylesFor(host, "stderr").green("done")} ${visibleText(opId)}\n`);
}

function terminalText(response: ShapedResponse, host: CommandHost): string {
  const styles = stylesFor(host, "stdout");
  const empty = response.expression?.on_empty_message;
  const table = renderForTerminal(shapedValue(response), {
    width: terminalWidth(host),
    styles,
    now: host.factories.clock.now(),
  });
  return typeof empty === "string" ? `${table}${styles.dim(visibleText(oneLine(empty)))}\n` : table;
}

function shapedValue(response: ShapedResponse): JsonValue {
  if (response.structuredContent !== undefined) return response.structuredContent;
  try {
    return parseJson(new TextDecoder("utf-8", { fatal: true }).decode(response.body));
  } catch (cause) {
    throw new Error("this result has no fields to lay out; use --output json or --output raw", {
      cause,
    });
  }
}

/** JSON body with `_expression` as one more key; the body's own bytes stay as they are. */
function withExpression(response: ShapedResponse): string | Uint8Array {
  if (response.expression === undefined) return response.body;
  const text = new TextDecoder().decode(response.body).trimEnd();
  const pages = response.pagination === undefined
    ? ""
    : `,"_pagination":${JSON.stringify(response.pagination)}`;
  const expression = `${JSON.stringify(response.expression)}${pages}`;
  if (!text.startsWith("{") || !text.endsWith("}")) {
    return `{"data":${text},"_expression":${expression}}`;
  }
  const value = response.structuredContent;
  if (isJsonObject(value) && Object.hasOwn(value, "_expression")) return response.body;
  const head = text.slice(0, -1).trimEnd();
  return `${head}${head === "{" ? "" : ","}"_expression":${expression}}`;
}

/** Whether stdout says how far the pages came, so that stderr need not. */
export function paginationOnStdout(
  response: ShapedResponse,
  presentation: Presentation,
): boolean {
  return presentation.envelope ||
    (presentation.choice.kind === "kernel" && response.format === "json" && !presentation.bare);
}

/** The object MCP clients get as `structuredContent`, without the MCP-only resource link. */
function resultEnvelope(response: ShapedResponse): JsonObject {
  const envelope = plainEnvelope(response);
  return response.pagination === undefined
    ? envelope
    : { ...envelope, _pagination: response.pagination };
}

function plainEnvelope(response: ShapedResponse): JsonObject {
  if (response.unchanged !== undefined) {
    return { unchanged: true, etag: response.unchanged.etag };
  }
  const expression: JsonObject = { ...response.expression };
  delete expression.full_result_resource;
  return { ...answerPayload(response, jsonOrText), _expression: expression };
}

function jsonOrText(response: ShapedResponse): JsonValue {
  if (response.structuredContent !== undefined) return response.structuredContent;
  const text = new TextDecoder().decode(response.body);
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return text;
  }
}

function writeResult(body: string | Uint8Array, host: CommandHost): void {
  const shown = host.isTerminal("stdout")
    ? visibleText(typeof body === "string" ? body : new TextDecoder().decode(body))
    : body;
  if (shown.length === 0) return;
  host.stdout.write(shown);
  const last = typeof shown === "string" ? shown.at(-1) : String.fromCharCode(shown.at(-1) ?? 0);
  if (last !== "\n") host.stdout.write("\n");
}

function writeNotices(
  response: ShapedResponse,
  presentation: Presentation,
  host: CommandHost,
): void {
  const terminal = host.isTerminal("stderr");
  const notice = noticeLine(response, presentation);
  if (notice !== "" && !terminal) host.stderr.write(notice + "\n");
  if (terminal) {
    const look = { styles: stylesFor(host, "stderr"), width: terminalWidth(host) };
    host.stderr.write(noticeLines(notice, look));
    for (const warning of response.validationWarnings) {
      host.stderr.write(`warning: ${visibleText(oneLine(warning))}\n`);
    }
    return;
  }
  const onStdout = presentation.envelope || response.format === "json" ||
    presentation.choice.kind !== "kernel";
  if (onStdout || presentation.bare || response.expression === undefined) return;
  host.stderr.write(JSON.stringify({ _expression: response.expression }) + "\n");
}

function noticeLine(response: ShapedResponse, presentation: Presentation): string {
  if (response.format === "raw") return "";
  const line = oneLine(response.notice.cli);
  if (presentation.command === "call") return line.replaceAll("--format raw", "--output raw");
  return line.replaceAll(/ in pages of (--page-size \d+)/g, " with gum call in pages of $1");
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, " ").trim();
}
