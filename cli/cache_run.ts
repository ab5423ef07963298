/** What the `gum cache` commands do. Each answers with one JSON object. */

import { isAuditBroken } from "../lib/audit/broken/mod.ts";
import {
  clearCache,
  clearExpired,
  migrateCache,
  readCacheStats,
  unusedLeftovers,
} from "../lib/cache/mod.ts";
import { baseDirectories, profileDirectories } from "../lib/config/directories.ts";
import { isJsonObject, type JsonObject } from "../lib/json/mod.ts";
import { choiceOf } from "./choices.ts";
import { FailedReport } from "./errors.ts";
import { say } from "./say.ts";
import type { CommandContext } from "./types.ts";

/** Runs `gum cache stats`. */
export async function runStats(context: CommandContext): Promise<void> {
  const { host, flags } = context;
  const format = choiceOf(flags, { flag: "format", choices: ["json", "text"] });
  const { cache, data } = folders(context);
  const statistics: JsonObject = {
    ...await readCacheStats(cache, { now: host.factories.clock.now() }),
    prompt: { supported: false, hits_estimate: null },
    audit_broken: isAuditBroken(data),
  };
  host.stdout.write(format === "json" ? json(statistics) : statisticsText(statistics));
}

/** Runs `gum cache clear`. */
export async function runClear(context: CommandContext): Promise<void> {
  const { host, flags } = context;
  const { cache } = folders(context);
  if (flags.on("expired")) {
    const removed = await clearExpired(cache, { now: host.factories.clock.now() });
    return host.stdout.write(json({ expired_removed: removed }));
  }
  const { removed, bytesFreed } = await clearCache(cache);
  host.stdout.write(json({ cleared: true, removed, bytes_freed: bytesFreed }));
}

/** Runs `gum cache migrate`. */
export async function runMigrate(context: CommandContext): Promise<void> {
  const { host, flags } = context;
  const { cache } = folders(context);
  for (const name of await unusedLeftovers(cache)) {
    say(context, `${cache}/${name} is not used and may be deleted`);
  }
  const report = await migrateCache(cache, { force: flags.on("force") });
  host.stdout.write(json(report));
  if (!report.ok) throw new FailedReport("the cache file was not changed");
}

function folders(context: CommandContext): { cache: string; data: string } {
  return profileDirectories(baseDirectories(context.host.environment), context.profile);
}

function json(value: JsonObject): string {
  return JSON.stringify(value, null, 2) + "\n";
}

function statisticsText(statistics: JsonObject): string {
  const lines: string[] = [];
  for (const [section, values] of Object.entries(statistics)) {
    if (!isJsonObject(values)) lines.push(`${section}  ${values}`);
    else {
      const pairs = Object.entries(values).map(([name, value]) => `${name} ${value ?? "n/a"}`);
      lines.push(`${section}  ${pairs.join(", ")}`);
    }
  }
  return lines.join("\n") + "\n";
}
