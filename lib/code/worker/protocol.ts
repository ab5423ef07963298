/** What the two sides of the worker's border say to each other. */

/** Languages the sandbox runs. */
export type SandboxLanguage = "risor" | "javascript";

/** Starts the one script a worker ever runs. */
export interface RunMessage {
  kind: "run";
  language: SandboxLanguage;
  /** The compiled program, or the script itself when the engine speaks its language. */
  program: string;
  memoryBytes: number;
  stackBytes: number;
  maxSteps: number;
  allowWrite: boolean;
  allowDestructive: boolean;
  /** {@link CONTROL_WORDS} ints, then the mailbox. */
  shared: SharedArrayBuffer;
}

/** First message to a worker: the engine's code, once some worker has compiled it. */
export interface EngineMessage {
  kind: "engine";
  compiled: WebAssembly.Module | undefined;
}

/** To the worker. */
export type HostMessage = EngineMessage | RunMessage;

/** From the worker. */
export type WorkerMessage =
  | { kind: "ready"; compiled: WebAssembly.Module | undefined }
  | { kind: "request"; id: number; name: string; args: string }
  /** A request that nobody waits for. */
  | { kind: "told"; name: string; args: string }
  /** The piece in the mailbox was read. */
  | { kind: "taken" }
  | { kind: "ended"; ending: WorkerEnding };

/** How a script ended inside the sandbox. */
export type WorkerEnding =
  /** It ran; `outcome` is the library's own report. */
  | { kind: "outcome"; outcome: string }
  /** The engine refused the text of a script in its own language. */
  | { kind: "syntax"; message: string; line: number; column: number }
  | { kind: "limit"; limit: "steps" | "memory" | "stack" }
  /** The host asked for the end. */
  | { kind: "stopped" }
  /** It waits for something that can never come. */
  | { kind: "stalled" }
  | { kind: "crashed"; message: string };

/** Ints in front of the mailbox. */
export const CONTROL_WORDS = 8;

/** Changed and notified whenever the worker may have something to look at. */
export const WORD_SIGNAL = 0;
/** 1: the script must end. */
export const WORD_STOP = 1;
/** 1: a piece of an answer lies in the mailbox. */
export const WORD_FULL = 2;
/** Which request the piece answers. */
export const WORD_ID = 3;
/** Bytes of the piece. */
export const WORD_LENGTH = 4;
/** 1: another piece follows. */
export const WORD_MORE = 5;

/** Size of the mailbox. */
export const MAILBOX_BYTES = 1 << 20;
/** Bytes of the shared buffer. */
export const SHARED_BYTES = CONTROL_WORDS * 4 + MAILBOX_BYTES;
