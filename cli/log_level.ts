/** How much is logged, by flag, variable and configuration, in this order (spec 05 §8, 08 §3.1). */

import { baseDirectories, profileDirectories } from "../lib/config/directories.ts";
import { LOG_LEVELS, type LogLevel } from "../lib/log/mod.ts";
import type { CommandHost } from "./types.ts";

/** The level that a word names; undefined when it names none. */
export function logLevel(text: string | undefined): LogLevel | undefined {
  const lower = text?.toLowerCase();
  const name = lower === "warning" ? "warn" : lower;
  return LOG_LEVELS.find((level) => level === name);
}

/**
 * `log.level` of the profile. The file is parsed only when it speaks of a level; one that cannot be
 * read is reported by whoever needs it.
 */
export async function configuredLogLevel(
  { environment }: Pick<CommandHost, "environment">,
  profileName: string,
): Promise<LogLevel | undefined> {
  let file: string;
  try {
    const { config } = profileDirectories(baseDirectories(environment), profileName);
    file = `${config}/config.toml`;
    if (!/\blevel\b/.test(Deno.readTextFileSync(file))) return undefined;
  } catch {
    // No file, or one that cannot be read: the command that needs its settings says what is wrong.
    return undefined;
  }
  const { glanceAtSetting } = await import("../lib/config/glance.ts");
  const found = await glanceAtSetting<LogLevel | "">(file, {
    key: "log.level",
    unset: "",
    unreadable: "",
  });
  return found === "" ? undefined : found;
}
