/** The worker's end of the mailbox: waiting for answers while the thread stands still. */

import {
  CONTROL_WORDS,
  WORD_FULL,
  WORD_ID,
  WORD_LENGTH,
  WORD_MORE,
  WORD_SIGNAL,
  WORD_STOP,
} from "./protocol.ts";

/** Thrown out of a wait when the host ended the script. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}

/** Answers as they arrive. */
export interface Mailbox {
  /** Whether the host wants the script to end. */
  stopped(): boolean;
  /** The answer to one request; others that come first are kept. @throws Stopped */
  answerTo(id: number): string;
  /** The next answer to any request. @throws Stopped */
  next(): { id: number; text: string };
}

/** Reads a shared buffer; `taken` tells the host that there is room again. */
export function openMailbox(shared: SharedArrayBuffer, taken: () => void): Mailbox {
  const control = new Int32Array(shared, 0, CONTROL_WORDS);
  const bytes = new Uint8Array(shared, CONTROL_WORDS * 4);
  const kept: { id: number; text: string }[] = [];
  const stopped = () => Atomics.load(control, WORD_STOP) === 1;

  function piece(): { id: number; bytes: Uint8Array; more: boolean } {
    for (;;) {
      const signal = Atomics.load(control, WORD_SIGNAL);
      if (stopped()) throw new Stopped();
      if (Atomics.load(control, WORD_FULL) === 1) break;
      Atomics.wait(control, WORD_SIGNAL, signal);
    }
    const id = Atomics.load(control, WORD_ID);
    const copy = bytes.slice(0, Atomics.load(control, WORD_LENGTH));
    const more = Atomics.load(control, WORD_MORE) === 1;
    Atomics.store(control, WORD_FULL, 0);
    taken();
    return { id, bytes: copy, more };
  }

  function receive(): { id: number; text: string } {
    const decoder = new TextDecoder();
    let text = "";
    for (;;) {
      const { id, bytes, more } = piece();
      text += decoder.decode(bytes, { stream: more });
      if (!more) return { id, text };
    }
  }

  return {
    stopped,
    answerTo(id) {
      for (;;) {
        const index = kept.findIndex((answer) => answer.id === id);
        if (index >= 0) return kept.splice(index, 1)[0]?.text ?? "";
        kept.push(receive());
      }
    },
    next: () => kept.shift() ?? receive(),
  };
}
