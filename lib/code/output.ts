/** The one output budget of an execution: prints and the final value share it (spec 09 §8.1). */

import { byteLength, cutToBytes } from "./request/mod.ts";

/** Collected output. */
export interface ScriptOutput {
  /** Adds text, cut at the last character that fits; after a cut nothing is added any more. */
  write(text: string): void;
  /** UTF-8 bytes that still fit; 0 once something was cut. */
  remaining(): number;
  text(): string;
  readonly truncated: boolean;
}

/** An empty output of at most `limitBytes` bytes. */
export function openOutput(limitBytes: number): ScriptOutput {
  const pieces: string[] = [];
  let used = 0;
  let truncated = false;
  return {
    write(text) {
      if (truncated || text === "") return;
      const bytes = byteLength(text);
      if (used + bytes <= limitBytes) {
        pieces.push(text);
        used += bytes;
        return;
      }
      const kept = cutToBytes(text, limitBytes - used);
      pieces.push(kept);
      used += byteLength(kept);
      truncated = true;
    },
    remaining: () => truncated ? 0 : limitBytes - used,
    text: () => pieces.join(""),
    get truncated() {
      return truncated;
    },
  };
}
