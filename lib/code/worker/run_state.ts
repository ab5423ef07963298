/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
/// <reference lib="esnext" />
/** The one run of a worker, as its parts see it. */

import type { Mailbox } from "./mailbox.ts";
import type { RunMessage } from "./protocol.ts";

/** What the bridge functions need of the run that is going on. */
export interface RunState {
  message: RunMessage | undefined;
  mailbox: Mailbox | undefined;
  lastId: number;
  /** How often the engine has asked since the script began. */
  ticks: number;
  /** Reactions of promises that were run; an endless chain of them may branch nowhere. */
  jobs: number;
  /** Requests whose answers the script has not been given. */
  outstanding: number;
  /** Once set it stays: whatever the script catches, it does nothing any more that can be seen. */
  limit: "steps" | "memory" | undefined;
  /** The engine's memory, once it exists. */
  memory: WebAssembly.Memory | undefined;
}

/** A run that has not begun. */
export function newRun(): RunState {
  return {
    message: undefined,
    mailbox: undefined,
    lastId: 0,
    ticks: 0,
    jobs: 0,
    outstanding: 0,
    limit: undefined,
    memory: undefined,
  };
}
