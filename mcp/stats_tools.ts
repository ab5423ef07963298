/** `gum.cache_stats` and `gum.gain` (spec 01 §3.8.6). */

import { GumError } from "../lib/errors/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../lib/json/mod.ts";
import { objectResult } from "./render.ts";
import type { ConnectedSurface } from "./surface.ts";
import type { ToolCall, ToolResult } from "./types.ts";

/** Cache counters and audit health. Never an error: what is not counted is zero. */
export function cacheStats(surface: ConnectedSurface, call: ToolCall): ToolResult {
  const counters = surface.session.kernel.cacheStats();
  return objectResult({
    semantic: counts(counters.semantic, ["hits", "misses", "evictions", "entries", "bytes"]),
    http: counts(counters.http, ["hits", "misses", "entries", "bytes"]),
    prompt: {
      supported: call.clientName.toLowerCase().includes("claude"),
      hits_estimate: null,
    },
    audit_broken: surface.session.auditBroken?.() ?? false,
  });
}

function counts(source: JsonValue | undefined, keys: string[]): JsonObject {
  const known = isJsonObject(source) ? source : {};
  return Object.fromEntries(keys.map((key) => {
    const value = known[key];
    return [key, typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : 0];
  }));
}

/** Token savings of the profile's ledger. */
export async function gain(surface: ConnectedSurface): Promise<ToolResult> {
  const { gain: summarize } = surface.session;
  if (summarize === undefined) {
    throw new GumError("GAIN_LEDGER_UNAVAILABLE", {
      message: "this build keeps no token ledger",
      userMessage: "Token savings are not recorded in this build.",
      suggestion: "Use a build with the gain ledger.",
      details: { hint: "No ledger is wired; nothing was counted." },
    });
  }
  return objectResult(await summarize());
}
