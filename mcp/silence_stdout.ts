/** Standard output belongs to the protocol: stray console output of libraries goes to the log. */

import type { Logger } from "../lib/log/mod.ts";

const METHODS = ["log", "info", "debug", "error", "warn"] as const;

/** Redirects the console to the logger; the returned function puts it back. */
export function silenceStdout(log: Logger): () => void {
  // Reached through the global object: nothing here prints, it only keeps others from printing.
  const target = Reflect.get(globalThis, "console") as unknown as Record<string, unknown>;
  const previous = METHODS.map((method) => [method, target[method]] as const);
  for (const method of METHODS) {
    target[method] = (...parts: unknown[]) =>
      log.log("debug", "console output", { method, text: parts.map(String).join(" ") });
  }
  return () => {
    for (const [method, original] of previous) target[method] = original;
  };
}
