/** Standard streams of the real process. */

import type { CommandHost, Input, Output } from "./types.ts";

/** The three streams of this process. */
export function processStreams(): Pick<
  CommandHost,
  "stdin" | "stdout" | "stderr" | "isTerminal" | "columns"
> {
  return {
    stdin: fileInput(Deno.stdin),
    stdout: fileOutput(Deno.stdout),
    stderr: fileOutput(Deno.stderr),
    isTerminal: (stream) => Deno[stream].isTerminal(),
    columns: terminalColumns,
  };
}

function terminalColumns(): number | undefined {
  try {
    return Deno.consoleSize().columns;
  } catch {
    // No terminal behind any of the three streams.
    return undefined;
  }
}

/** The reader went away; there is nobody left to write to. */
export class BrokenOutputError extends Error {
  override readonly name = "BrokenOutputError";
}

/** A sink over a file such as `Deno.stdout`. Writes everything or throws. */
export function fileOutput(file: { writeSync(bytes: Uint8Array): number }): Output {
  const encoder = new TextEncoder();
  return {
    write(chunk) {
      let bytes = typeof chunk === "string" ? encoder.encode(chunk) : chunk;
      while (bytes.length > 0) {
        try {
          bytes = bytes.subarray(file.writeSync(bytes));
        } catch (cause) {
          if (cause instanceof Deno.errors.BrokenPipe) throw new BrokenOutputError("", { cause });
          // A non-blocking pipe whose reader is slow: nothing was written, so ask again.
          if (!(cause instanceof Deno.errors.WouldBlock)) throw cause;
        }
      }
    },
  };
}

/** What an input reads from; a terminal can be told not to show what is typed. */
interface InputFile {
  read(into: Uint8Array): Promise<number | null>;
  setRaw?(on: boolean, options: { cbreak: boolean }): void;
}

/** Reads a stream such as `Deno.stdin`, in one piece or line by line. */
export function fileInput(file: InputFile): Input {
  let pending: Uint8Array<ArrayBufferLike> = new Uint8Array(0);
  let ended = false;
  let pulling: Promise<void> | undefined;
  // A wait that was given up leaves its read behind: the next one waits for the same bytes, or they
  // would answer a question only after the person typed once more.
  const pull = () => pulling ??= pullNow().finally(() => pulling = undefined);
  const pullNow = async () => {
    const buffer = new Uint8Array(65_536);
    const count = await file.read(buffer);
    if (count === null) ended = true;
    else pending = concat([pending, buffer.subarray(0, count)]);
  };
  return {
    async readAll(limit, signal) {
      const pieces = [pending];
      let total = pending.length;
      pending = new Uint8Array(0);
      while (!ended) {
        await orAborted(pull(), signal);
        pieces.push(pending);
        total += pending.length;
        pending = new Uint8Array(0);
        if (total > limit) throw new RangeError(`standard input is larger than ${limit} bytes`);
      }
      return concat(pieces);
    },
    async *pieces(signal) {
      for (;;) {
        const piece = pending;
        pending = new Uint8Array(0);
        if (piece.length > 0) yield piece;
        else if (ended) return;
        else await orAborted(pull(), signal);
      }
    },
    async readLine(signal) {
      while (!pending.includes(10) && !ended) await orAborted(pull(), signal);
      const end = pending.indexOf(10);
      if (end < 0 && pending.length === 0) return undefined;
      const line = pending.subarray(0, end < 0 ? pending.length : end);
      pending = pending.subarray(end < 0 ? pending.length : end + 1);
      return new TextDecoder().decode(line).replace(/\r$/, "");
    },
    ...file.setRaw === undefined ? {} : {
      async readHidden(signal: AbortSignal) {
        // Without `cbreak`, Ctrl-C would be a character and not a signal.
        file.setRaw?.(true, { cbreak: true });
        try {
          const typed: number[] = [];
          for (;;) {
            while (pending.length === 0 && !ended) await orAborted(pull(), signal);
            const byte = pending[0];
            pending = pending.subarray(1);
            if (byte === undefined || (byte === 4 && typed.length === 0)) return undefined;
            if (byte === 10 || byte === 13) return new TextDecoder().decode(Uint8Array.from(typed));
            if (byte === 8 || byte === 127) eraseCharacter(typed);
            else typed.push(byte);
          }
        } finally {
          file.setRaw?.(false, { cbreak: true });
        }
      },
    },
  };
}

// A character is its first byte and the continuation bytes behind it.
function eraseCharacter(typed: number[]): void {
  let byte = typed.pop();
  while (byte !== undefined && (byte & 0xc0) === 0x80) byte = typed.pop();
}

/** What `work` gives, or the signal's reason as soon as it aborts; a read may never end. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function concat(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return whole;
}
