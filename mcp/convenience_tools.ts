/** The 18 convenience tools: one handler over the table (spec 01 §3.9). */

import { type ConvenienceRow, convenienceRow } from "../lib/catalog/mod.ts";
import { rfc3339 } from "../lib/clock/mod.ts";
import type { Invocation, OutputFormat } from "../lib/dispatch/types.ts";
import { findGumError, GumError } from "../lib/errors/mod.ts";
import { jcs } from "../lib/format/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue, setOwn } from "../lib/json/mod.ts";
import { withReadAdvice } from "./convenience_advice.ts";
import { hasFormatControl } from "./convenience_schemas.ts";
import { dispatchCall } from "./dispatch_call.ts";
import { renderResponse } from "./render.ts";
import type { ConnectedSurface } from "./surface.ts";
import type { ToolCall, ToolOutcome } from "./types.ts";

/** Runs the operation behind a convenience tool. */
export async function runConvenienceTool(
  surface: ConnectedSurface,
  call: ToolCall,
): Promise<ToolOutcome> {
  const row = convenienceRow(call.tool);
  if (row === undefined) {
    throw new GumError("SERVICE_DOWN", {
      message: `${call.tool} is not wired to an operation`,
      userMessage: "This tool is not available in this build.",
      suggestion: "Use gum.search_apis to find the operation itself.",
      details: { tool: call.tool, source_error_code: "CONVENIENCE_NOT_WIRED" },
      retryable: false,
    });
  }
  try {
    return await dispatchCall(surface, call, {
      invocation: convenienceInvocation(row, call.args, surface.session.clock.now()),
      render: (shaped) =>
        renderResponse(withReadAdvice(shaped, row), surface.form(call.clientName)),
    });
  } catch (error) {
    throw inToolWords(error, row);
  }
}

/** A refusal names the argument the caller gave, not where the row put it in the operation. */
function inToolWords(error: unknown, { bodyArg, bodyFields }: ConvenienceRow): unknown {
  const refusal = findGumError(error, "INVALID_ARGS");
  if (refusal === undefined || (bodyArg === undefined && bodyFields === undefined)) return error;
  const given = bodyArg === undefined ? "" : `${bodyArg}.`;
  const named = (text: string) => {
    const inner = text.replace(/(?<![\w.])body\.(?=\w)/g, given);
    return bodyArg === undefined ? inner : inner.replaceAll('"body"', `"${bodyArg}"`);
  };
  const { message, userMessage, suggestion, details, retryable } = refusal;
  const spoken: JsonObject = { ...details };
  if (typeof details.field === "string") {
    spoken.field = details.field === "body" ? bodyArg ?? "body" : named(details.field);
  }
  for (const key of ["missing", "unknown", "type_errors"]) {
    const list = details[key];
    if (!Array.isArray(list)) continue;
    spoken[key] = list.map((entry) => typeof entry === "string" ? named(entry) : entry);
  }
  return new GumError("INVALID_ARGS", {
    message: named(message),
    userMessage: named(userMessage),
    suggestion,
    details: spoken,
    retryable,
    cause: refusal,
  });
}

/** The kernel's view of a convenience call; `now` in clock milliseconds. */
export function convenienceInvocation(
  row: ConvenienceRow,
  args: JsonObject,
  now: number,
): Invocation {
  const control = hasFormatControl(row);
  const { confirmed, confirmation_token: token, ...rest } = args;
  const format = control && typeof rest.format === "string" ? rest.format : undefined;
  if (control) delete rest.format;
  return {
    opId: row.opId,
    args: operationArgs(row, withDefaults(row, rest, now)),
    format: format as OutputFormat | undefined,
    allowedFormats: [...row.formats],
    requestedVariantId: row.variantRule === "default" ? undefined : row.variantRule.fixed,
    allowWrite: row.confirmationPassthrough,
    allowDestructive: false,
    requireWriteConfirmation: row.confirmationPassthrough,
    confirmed: confirmed === true,
    confirmationToken: typeof token === "string" ? token : undefined,
    diffOnlyAllowed: false,
  };
}

/** The row's defaults under the caller's own values (spec 11 §4). */
function withDefaults(row: ConvenienceRow, args: JsonObject, now: number): JsonObject {
  const filled: JsonObject = {};
  for (const [name, value] of Object.entries(row.defaults ?? {})) {
    filled[name] = typeof value === "object" ? rfc3339(now) : value;
  }
  const merged = { ...filled, ...args };
  // The service refuses to order events by start time unless they are expanded.
  if (merged.singleEvents === false && args.orderBy === undefined) delete merged.orderBy;
  return merged;
}

/** Moves the body-mapped names under `body`; every other name stays at the top. */
function operationArgs(row: ConvenienceRow, args: JsonObject): JsonObject {
  const mapped: JsonObject = {};
  const bodyFields = new Set(row.bodyFields ?? []);
  let body: JsonObject | undefined;
  if (row.bodyArg !== undefined && isJsonObject(args[row.bodyArg])) {
    body = { ...args[row.bodyArg] as JsonObject };
  }
  for (const [name, value] of Object.entries(args)) {
    if (name === row.bodyArg) continue;
    if (bodyFields.has(name)) body = withBodyField(body ?? {}, { row, name, value });
    else setOwn(mapped, name, value);
  }
  if (body !== undefined) mapped.body = body;
  return mapped;
}

function withBodyField(
  body: JsonObject,
  field: { row: ConvenienceRow; name: string; value: JsonValue },
): JsonObject {
  const { row, name, value } = field;
  const present = body[name];
  if (present !== undefined && jcs(present) !== jcs(value)) {
    const path = `${row.bodyArg ?? "body"}.${name}`;
    throw new GumError("INVALID_ARGS", {
      message: `${row.tool}: ${name} and ${path} differ`,
      userMessage: `The arguments of ${row.tool} are not valid.`,
      suggestion: `Give ${name} once.`,
      details: {
        tool: row.tool,
        missing: [],
        unknown: [],
        type_errors: [],
        invalid: [{ path: `/${path.replace(".", "/")}`, rule: "conflict" }],
      },
      retryable: false,
    });
  }
  return { ...body, [name]: value };
}
