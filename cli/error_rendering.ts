/** Failures as text on stderr (spec 08 §3.4). */

import { GumError } from "../lib/errors/mod.ts";
import type { JsonObject, JsonValue } from "../lib/json/mod.ts";
import { type DispatchExtras, DispatchFailure } from "./errors.ts";
import { howToFix } from "./how_to_fix.ts";
import { systemFailure } from "./unreadable_file.ts";

/** The text of a failure, newline included. Never a stack trace. */
export function renderFailure(error: unknown): string {
  const envelope = envelopeOf(error);
  if (envelope !== undefined) return renderEnvelope(envelope.error, envelope.extras);
  if (error instanceof Deno.errors.NotCapable) return permissionLine(error);
  const text = error instanceof Error ? systemFailure(error) ?? error.message : String(error);
  return `Error: ${oneLine(text)}\n`;
}

/** The kernel error behind a failure, with what the command knows; undefined for local errors. */
export function envelopeOf(
  error: unknown,
): { error: GumError; extras?: DispatchExtras } | undefined {
  if (error instanceof DispatchFailure) return { error: error.error, extras: error.extras };
  return error instanceof GumError ? { error } : undefined;
}

/**
 * The flat union of envelope, command extras, `how_to_fix` and the untouched `machine_envelope`,
 * keys sorted.
 */
export function renderEnvelope(error: GumError, extras?: DispatchExtras): string {
  const envelope = error.toEnvelope();
  const union: JsonObject = { ...envelope };
  if (extras?.requestedRisk !== undefined) union.requested_risk = extras.requestedRisk;
  const required = envelope.variant_risk_class;
  if (
    error.code === "RISK_TOOL_MISMATCH" && typeof required === "string" &&
    extras?.command !== "code"
  ) {
    union.required_risk_flag = `--risk=${required}`;
  }
  const fix = howToFix(envelope, extras);
  if (fix !== "") union.how_to_fix = fix;
  union.machine_envelope = envelope;
  const sorted: Record<string, JsonValue> = {};
  for (const key of Object.keys(union).sort()) sorted[key] = union[key] ?? null;
  return JSON.stringify(sorted, null, 2) + "\n";
}

function permissionLine(error: Error): string {
  const flag = /--allow-[a-z]+/.exec(error.message)?.[0];
  const wanted = /[Rr]equires ([^,]+?) access/.exec(error.message)?.[1];
  const what = wanted === undefined ? "a permission" : `${wanted} permission`;
  const hint = flag === undefined ? "" : `; start it with ${flag} or -P=gum`;
  return `Error: gum needs ${what} that this process does not have${hint}\n`;
}

/** Text without line breaks. */
export function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, " ").trim();
}
