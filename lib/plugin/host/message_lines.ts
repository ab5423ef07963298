/** Lines of a plugin's output as messages, within limits (spec 06 §3.16). */

import { isJsonObject, type JsonObject } from "../../json/mod.ts";

const NEWLINE = 10;

/** What becomes of the lines. */
export interface MessageLineOptions {
  frameBytes: number;
  junkLines: number;
  onMessage: (message: JsonObject) => void;
  /** A line that is no message; the first bytes of it are not repeated anywhere. */
  onJunk: (bytes: number) => void;
  /** A limit was passed. Nothing is delivered after this. */
  onOverflow: (reason: string) => void;
}

/** Takes pieces of output as they come. */
export function createMessageLines(options: MessageLineOptions): (piece: Uint8Array) => void {
  const decoder = new TextDecoder();
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  let junk = 0;
  let overflown = false;

  const overflow = (reason: string) => {
    overflown = true;
    pending = [];
    options.onOverflow(reason);
  };
  const line = (bytes: Uint8Array) => {
    const message = messageOf(decoder.decode(bytes));
    if (message === "blank") return;
    if (message !== undefined) return options.onMessage(message);
    junk++;
    options.onJunk(bytes.length);
    if (junk > options.junkLines) overflow(`more than ${options.junkLines} lines of no message`);
  };
  return (piece) => {
    let rest = piece;
    while (!overflown && rest.length > 0) {
      const end = rest.indexOf(NEWLINE);
      const part = end < 0 ? rest : rest.subarray(0, end);
      pendingBytes += part.length;
      if (pendingBytes > options.frameBytes) {
        return overflow(`a line of more than ${options.frameBytes} bytes`);
      }
      if (end < 0) {
        pending.push(part);
        return;
      }
      const whole = pending.length === 0 ? part : joined([...pending, part], pendingBytes);
      pending = [];
      pendingBytes = 0;
      line(whole);
      rest = rest.subarray(end + 1);
    }
  };
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function messageOf(text: string): JsonObject | "blank" | undefined {
  if (text.trim() === "") return "blank";
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && value.jsonrpc === "2.0" ? value : undefined;
  } catch {
    return undefined; // counted by the caller
  }
}
