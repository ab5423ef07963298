/** Noticing that an unchanged program describes its tools differently (spec 06 §8.3). */

import { type Clock, rfc3339 } from "../../clock/mod.ts";
import { sha256Hex } from "../../digest/mod.ts";
import { jcs } from "../../format/jcs.ts";
import type { JsonObject } from "../../json/mod.ts";
import type { Logger } from "../../log/mod.ts";
import type { PluginRegistry, ToolsRecord } from "../types.ts";
import type { RunningPlugin } from "./types.ts";

/** How long remembering may wait for the registry; a start is not held up for it. */
const LOCK_MS = 2_000;

/** SHA-256 of a `tools/list` in canonical JSON; undefined when it has none. */
export async function toolsDigest(tools: readonly JsonObject[]): Promise<string | undefined> {
  let canonical: string;
  try {
    canonical = jcs([...tools]);
  } catch {
    // A lone surrogate or a number beyond the format: nothing two readers would agree on.
    return undefined;
  }
  return await sha256Hex(new TextEncoder().encode(canonical));
}

/** What the memory works with. */
export interface ToolMemoryParts {
  registry: Pick<PluginRegistry, "loadSnapshot" | "writeTransaction">;
  clock: Clock;
  log: Logger;
}

/**
 * Remembers the first `tools/list` of every installed version, and says so when a later one
 * differs. Never fails a start.
 */
export function createToolMemory(
  parts: ToolMemoryParts,
): (plugin: RunningPlugin, signal: AbortSignal) => Promise<void> {
  const { registry, clock, log } = parts;
  return async ({ pluginId, toolsSha256: digest }, signal) => {
    if (digest === undefined) return;
    try {
      const { lock } = await registry.loadSnapshot();
      const known = lock.plugins.find(({ name }) => name === pluginId);
      if (known === undefined || !isNews(known.tools, digest)) return;
      if (known.tools !== undefined) {
        log.log("warn", "a plugin describes its tools differently than at its first start", {
          event: "plugin_tools_drifted",
          plugin: pluginId,
          recorded_sha256: known.tools.sha256,
          found_sha256: digest,
        });
      }
      await registry.writeTransaction((draft) => {
        const row = draft.lock.plugins.find(({ name }) => name === pluginId);
        if (row === undefined || !isNews(row.tools, digest)) return false;
        row.tools = row.tools === undefined ? { sha256: digest } : {
          ...row.tools,
          drifted_sha256: digest,
          drifted_at: rfc3339(clock.now()),
        };
      }, { signal, lockTimeoutMs: LOCK_MS });
    } catch (error) {
      // The next start tries again.
      log.log("debug", "the tools of a plugin could not be remembered", {
        plugin: pluginId,
        error: error instanceof Error ? error.message : String(error),
      });
    }
  };
}

function isNews(known: ToolsRecord | undefined, digest: string): boolean {
  return known?.sha256 !== digest && known?.drifted_sha256 !== digest;
}
