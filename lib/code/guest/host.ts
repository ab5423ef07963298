/** The bridge to the world outside the sandbox, as the worker hands it over. */

/** What the worker gives the library. Everything is text, so that nothing else can cross. */
export interface HostBridge {
  /** Sends a request and waits for its answer. */
  call(name: string, args: string): string;
  /** Sends a request; the answer comes through {@link LibraryApi.deliver}. */
  start(id: number, name: string, args: string): void;
  /** Sends a request whose answer says nothing; the script does not wait for it. */
  tell(name: string, args: string): void;
  /** Says which limit ends the script. */
  halt(limit: string): void;
}

/** What this run may do, as the script is told. */
export interface RunSettings {
  maxSteps: number;
  allowWrite: boolean;
  allowDestructive: boolean;
}

/** An answer: the JSON of a value, or the envelope of a failure. */
export type Reply = { ok: true; json: string } | { ok: false; envelope: string };

const OK = '{"ok":';
const FAILED = '{"err":';

/** Takes an answer apart without reading what is inside. */
export function replyOf(text: string): Reply {
  return text.startsWith(OK)
    ? { ok: true, json: text.slice(OK.length, -1) }
    : { ok: false, envelope: text.slice(FAILED.length, -1) };
}

/** What the library tells the worker at the end. */
export type Outcome =
  | { kind: "value"; text: string | null }
  | { kind: "pending" }
  | {
    kind: "error";
    errorKind: string;
    message: string;
    line: number;
    column: number;
    envelope?: string;
  };

/** What the worker calls. Arguments and results that are not functions are JSON text. */
export interface LibraryApi {
  configure(settings: string): void;
  /** Runs a compiled script to its end. */
  runProgram(program: (primitives: unknown) => unknown): string;
  /** Prepares the globals of a JavaScript run. */
  openGlobals(): void;
  /** Follows the promise of a JavaScript run. */
  follow(completion: unknown): void;
  /** Hands over the answer of a started request. */
  deliver(id: number, reply: string): void;
  /** Where a JavaScript run stands. */
  outcome(): string;
}
