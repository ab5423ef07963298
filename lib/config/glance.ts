/** One enum setting of a `config.toml`, for commands that need nothing else of it. */

import { CONFIG_KEYS } from "./keys.ts";

/**
 * The value of an enum key as the file has it. A file that never names the key is not parsed.
 *
 * @returns `unset` where the key is absent, `unreadable` where the file or the value is no good:
 * whoever reads the whole configuration will say what is wrong.
 */
export async function glanceAtSetting<V extends string>(
  file: string,
  given: { key: "catalog.long_tail" | "log.level"; unset: V; unreadable: V },
): Promise<V> {
  const path = given.key.split(".");
  const text = Deno.readTextFileSync(file);
  if (!text.includes(path[path.length - 1] ?? given.key)) return given.unset;
  const { parse, TomlError } = await import("smol-toml");
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return given.unreadable;
  }
  for (const segment of path) {
    value = typeof value === "object" && value !== null && Object.hasOwn(value, segment)
      ? (value as Record<string, unknown>)[segment]
      : undefined;
  }
  if (value === undefined) return given.unset;
  const values: readonly string[] = CONFIG_KEYS[given.key].values;
  return values.find((allowed): allowed is V => allowed === value) ?? given.unreadable;
}
