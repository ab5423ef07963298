/** The limits of code mode in one place (spec 09 §15). */

import type { CodeLimits } from "../types.ts";

/** Longest source, in UTF-8 bytes. */
export const MAX_SOURCE_BYTES = 256 * 1024;
/** Stack of the engine; from 384 KiB on the host's own stack would give way first. */
export const STACK_BYTES = 256 * 1024;
/** Most elements of a batch. */
export const MAX_BATCH_ELEMENTS = 256;
/** Most entries of a destructive scope, and the highest budget. */
export const MAX_DESTRUCTIVE = 20;
/** Longest answer that a script may be given, and longest request it may make. */
export const MAX_REPLY_BYTES = 16 * 1024 * 1024;
/** How long a worker may take to end by itself before it is terminated. */
export const GRACE_MS = 150;
/** A pause after a 429: what is assumed without a hint, and the longest that is believed. */
export const PAUSE = { fallbackMs: 60_000, longestMs: 300_000, staggerMs: 50 } as const;

const DEFAULTS: CodeLimits = {
  timeoutMs: 60_000,
  maxSteps: 10_000_000,
  memoryBytes: 64 * 1024 * 1024,
  outputBytes: 65_536,
  concurrency: 8,
};

/** The defaults with what the configuration changes. */
export function codeLimits(given: Partial<CodeLimits> = {}): CodeLimits {
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...DEFAULTS, ...Object.fromEntries(set) };
}
