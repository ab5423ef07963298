/**
 * The command tree as data and what a running command receives (spec 08 §2).
 *
 * Help, `gum schema`, completion and the generated command reference read the same
 * {@link CommandSpec} values that the runner executes.
 *
 * @module
 */

import type { BrowserOpener } from "../lib/auth/mod.ts";
import type { CatalogSnapshot, OperationSearch } from "../lib/catalog/types.ts";
import type { Clock } from "../lib/clock/mod.ts";
import type { Environment } from "../lib/config/environment.ts";
import type { GainResult } from "../lib/gain/mod.ts";
import type { Logger } from "../lib/log/mod.ts";
import type { OwnReleases } from "../lib/notifier/mod.ts";
import type { Session, SessionOptions } from "../lib/session/types.ts";
import type { FlagValues } from "./parse.ts";

/** Section of the root help a command is listed in. */
export type CommandGroup =
  | "discover"
  | "read"
  | "write"
  | "auth"
  | "plugin"
  | "profile"
  | "admin";

/** Permission kinds a command may keep; everything it does not name is given up before it runs. */
export type PermissionKind = "read" | "write" | "net" | "run" | "env" | "sys";

/**
 * Whole kinds only: Deno cannot narrow a granted entry (spec 12 §3.2). Every command keeps `read`,
 * because its modules are loaded from disk when they are needed.
 */
export type PermissionNeeds = readonly PermissionKind[];

/** One positional argument. */
export interface ArgSpec {
  name: string;
  help?: string;
  required: boolean;
  variadic: boolean;
  complete?: Completer;
}

/** Value type of a flag. */
export type FlagType = "bool" | "string" | "int" | "stringArray" | "stringList";

/** One flag, without its leading hyphens. */
export interface FlagSpec {
  name: string;
  short?: string;
  type: FlagType;
  default?: string;
  help: string;
  complete?: Completer;
  hidden?: boolean;
  required?: boolean;
  /** A bool flag whose `=value` may also be text of this form. */
  orText?: RegExp;
  /** A bool flag that also takes a following word `true` or `false`. */
  takesWord?: boolean;
}

/** One candidate of shell completion. */
export interface Candidate {
  value: string;
  description?: string;
}

/** What a completer may look at: never the network, never the keychain, never a plugin. */
export interface CompletionRequest {
  /** The word being completed, maybe empty. */
  prefix: string;
  /** Positional words typed before it, command words excluded. */
  words: readonly string[];
  /** Every word typed before it, flags included. */
  typed?: readonly string[];
  catalog(): Promise<CatalogSnapshot>;
  host: CommandHost;
}

/** Candidates and whether the shell should leave out the space after one. */
export interface Completion {
  candidates: Candidate[];
  noSpace?: boolean;
}

/** Yields candidates; the responder filters by prefix. */
export type Completer = (request: CompletionRequest) => Promise<Completion> | Completion;

/** One node of the command tree. */
export interface CommandSpec {
  name: string;
  /** Root children only. */
  group?: CommandGroup;
  summary: string;
  description?: string;
  examples?: readonly string[];
  args: readonly ArgSpec[];
  flags: readonly FlagSpec[];
  children: readonly CommandSpec[];
  hidden?: boolean;
  permissions: PermissionNeeds;
  /** Flags that depend on the typed words, such as those of `gum call <op_id>`. */
  dynamicFlags?: (
    words: readonly string[],
    catalog: () => Promise<CatalogSnapshot>,
  ) => Promise<FlagSpec[]>;
  /** Asks a person for the first argument when none was typed; undefined where nobody can be. */
  ask?: (host: CommandHost) => Promise<string | undefined>;
  /** A secret may be typed here by mistake, so a word too many is refused without repeating it. */
  secretInput?: boolean;
  /** Words after the command name are passed on unparsed (`__complete`). */
  passThrough?: boolean;
  /** Absent on a parent, which prints its help. */
  run?: (context: CommandContext) => Promise<void>;
}

/** Synchronous byte sink for stdout and stderr. */
export interface Output {
  write(chunk: string | Uint8Array): void;
}

/** Standard input. */
export interface Input {
  /** Everything up to end of input; throws RangeError past `limit` bytes, rejects on abort. */
  readAll(limit: number, signal: AbortSignal): Promise<Uint8Array>;
  /** One line without its end; undefined at end of input. Rejects when the signal aborts. */
  readLine(signal: AbortSignal): Promise<string | undefined>;
  /** Everything up to end of input, as it comes; ends when the signal aborts. */
  pieces(signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** One typed line without showing it; absent where the input is no terminal that can hide it. */
  readHidden?(signal: AbortSignal): Promise<string | undefined>;
}

/** One of the three standard streams. */
export type StandardStream = "stdin" | "stdout" | "stderr";

/** How `gum mcp --stdio` was asked to serve. */
export interface McpServeOptions {
  toolNames: "auto" | "dotted" | "underscore";
  readOnly: boolean;
  /** Put text from strangers between marks. */
  markUntrusted: boolean;
  signal: AbortSignal;
}

/** Everything with a lifetime or an effect, by construction, so that tests can replace it. */
export interface Factories {
  /**
   * The operations a command can see, without opening a session.
   *
   * @param words What will be looked up may be among them. The long tail is opened when one looks
   * like an operation that the shipped catalog lacks, and always without words.
   */
  catalog(words?: readonly string[]): Promise<CatalogSnapshot>;
  /** The ranked search alone; loads nothing else. */
  search(): Promise<OperationSearch & { readonly size: number }>;
  openSession(options: SessionOptions): Promise<Session>;
  /** Serves MCP until the client leaves or the signal aborts; absent where MCP is not built in. */
  serveMcp?(session: Session, options: McpServeOptions): Promise<void>;
  /** The commands that start with a word; undefined for a word that starts none. */
  commandGroup?(word: string): Promise<readonly CommandSpec[] | undefined>;
  /** Bytes of a file the user named. @throws RangeError when they are more than `limit`. */
  readFile(path: string, limit: number): Promise<Uint8Array>;
  /** Measures the recorded calls (spec 07 §3.16); absent in a build without them. */
  replayFixtures?(request: {
    /** Absent: the profile's default format, else toon. */
    format: "toon" | "json" | undefined;
    /** Absent: the calls recorded for this build. */
    directory: string | undefined;
  }): Promise<GainResult>;
  /** Releases of this build; undefined where there are none to look for. */
  releases?(): Promise<OwnReleases | undefined>;
  clock: Clock;
  /** A test's stand-in for Google; no variable and no flag leads here. */
  googlePeer?: SessionOptions["googlePeer"];
  /** A test's stand-in for the browser. */
  openBrowser?: BrowserOpener;
}

/** The world around one run of the program. */
export interface CommandHost {
  /** Words after the program name. */
  argv: readonly string[];
  stdin: Input;
  stdout: Output;
  stderr: Output;
  environment: Environment;
  /** True only for a terminal; a pipe, a file or a test buffer is none. */
  isTerminal(stream: StandardStream): boolean;
  factories: Factories;
  /** Aborted by SIGINT and SIGTERM. */
  signal: AbortSignal;
  /** Gives up every permission kind that is not kept. */
  revoke(kept: PermissionNeeds): void;
  /** The folder the program was started in; absent: that of this process. */
  workingDirectory?(): string;
  /** Columns of the terminal; undefined where that cannot be told. */
  columns?(): number | undefined;
}

/** What a command receives. */
export interface CommandContext {
  /** Positional words, command names excluded. */
  words: readonly string[];
  flags: FlagValues;
  host: CommandHost;
  /** The resolved and validated account profile. */
  profile: string;
  emulator: boolean;
  /** The running emulator to use, instead of one of this process. */
  emulatorOrigin?: string;
  log: Logger;
  signal: AbortSignal;
  /** The command that runs and its path, e.g. `["plugin", "list"]`. */
  command: CommandSpec;
  path: readonly string[];
}
