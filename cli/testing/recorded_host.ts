/** A host over buffers: runs commands in this process, with streams a test can feed and read. */

import { buildIndex, createSearch, createSnapshot, EMPTY_TABLES } from "../../lib/catalog/mod.ts";
import type { Op } from "../../lib/catalog/types.ts";
import { systemClock } from "../../lib/clock/mod.ts";
import { environmentOf, type VariableName } from "../../lib/config/environment.ts";
import type { Invocation, Kernel, ShapedResponse } from "../../lib/dispatch/types.ts";
import type { Session } from "../../lib/session/types.ts";
import { runCommandLine } from "../run.ts";
import { fileInput } from "../streams.ts";
import { COMMANDS } from "../tree.ts";
import type { CommandHost, Factories, PermissionNeeds, StandardStream } from "../types.ts";
import { FIXTURE_OPS } from "./fixture_ops.ts";

/** What a test may set; everything else is inert. */
export interface RecordedOptions {
  stdin?: string;
  /** Lines typed where nothing is shown, in the order in which they are asked for. */
  hidden?: readonly string[];
  terminals?: readonly StandardStream[];
  /** How wide they are; an ordinary terminal otherwise. */
  columns?: number;
  environment?: Partial<Record<VariableName, string>>;
  factories?: Partial<Factories>;
  ops?: readonly Op[];
  signal?: AbortSignal;
  files?: Record<string, string>;
  /** Answers dispatches; without it a session cannot be opened. */
  dispatch?: (invocation: Invocation, signal?: AbortSignal) => Promise<ShapedResponse>;
}

/** What a run left behind. */
export interface Recorded {
  code: number;
  stdout: string;
  stderr: string;
  /** Permission kinds the command kept; undefined when no command was reached. */
  kept: PermissionNeeds | undefined;
  /** Invocations that reached the kernel. */
  invocations: Invocation[];
}

/** Runs one command line in this process. */
export async function runRecorded(
  argv: readonly string[],
  options: RecordedOptions = {},
): Promise<Recorded> {
  const { host, recorded } = recordedHost(argv, options);
  const code = await runCommandLine(COMMANDS, host);
  return { ...recorded(), code };
}

/** A host and a look at what was written to it. */
export function recordedHost(
  argv: readonly string[],
  options: RecordedOptions = {},
): { host: CommandHost; recorded: () => Omit<Recorded, "code"> } {
  const out: Uint8Array[] = [];
  const err: Uint8Array[] = [];
  const encoder = new TextEncoder();
  const sink = (into: Uint8Array[]) => ({
    write(chunk: string | Uint8Array) {
      into.push(typeof chunk === "string" ? encoder.encode(chunk) : chunk.slice());
    },
  });
  let kept: PermissionNeeds | undefined;
  const invocations: Invocation[] = [];
  const stdin = fileInput(textReader(options.stdin ?? ""));
  const unseen = [...options.hidden ?? []];
  const host: CommandHost = {
    argv,
    stdin: options.hidden === undefined
      ? stdin
      : { ...stdin, readHidden: () => Promise.resolve(unseen.shift()) },
    stdout: sink(out),
    stderr: sink(err),
    environment: environmentOf({ HOME: "/nonexistent", ...options.environment }),
    columns: () => options.columns,
    isTerminal: (stream) => options.terminals?.includes(stream) ?? false,
    factories: { ...fixtureFactories(options, invocations), ...options.factories },
    signal: options.signal ?? new AbortController().signal,
    revoke: (needs) => kept = needs,
  };
  const text = (pieces: Uint8Array[]) =>
    new TextDecoder().decode(new Uint8Array(pieces.flatMap((piece) => [...piece])));
  return {
    host,
    recorded: () => ({ stdout: text(out), stderr: text(err), kept, invocations }),
  };
}

function textReader(text: string): { read(into: Uint8Array): Promise<number | null> } {
  let rest = new TextEncoder().encode(text);
  return {
    read(into) {
      if (rest.length === 0) return Promise.resolve(null);
      const count = Math.min(into.length, rest.length);
      into.set(rest.subarray(0, count));
      rest = rest.subarray(count);
      return Promise.resolve(count);
    },
  };
}

function fixtureFactories(options: RecordedOptions, invocations: Invocation[]): Factories {
  const ops = options.ops ?? FIXTURE_OPS;
  const catalog = createSnapshot({
    catalog_schema_version: 1,
    generated_at: "2026-01-01T00:00:00Z",
    generator_version: "test",
    ops: [...ops],
  }, { requestSchema: () => undefined });
  return {
    catalog: () => Promise.resolve(catalog),
    search() {
      if (ops.length === 0) return Promise.resolve({ size: 0, search: () => [] });
      const index = buildIndex(ops, { catalogSha256: "0".repeat(64), tables: EMPTY_TABLES });
      return Promise.resolve({ size: ops.length, search: createSearch(index, {}).search });
    },
    openSession({ profileName, clock, log }) {
      const { dispatch } = options;
      if (dispatch === undefined) throw new Error("this test opens no session");
      const kernel: Kernel = {
        dispatch(invocation, signal) {
          invocations.push(invocation);
          return dispatch(invocation, signal);
        },
        serviceFamily: () => "",
        returnsLro: () => false,
        cacheStats: () => ({}),
      };
      const session: Partial<Session> = {
        profileName,
        catalog,
        kernel,
        clock,
        log,
        close: () => Promise.resolve(),
      };
      return Promise.resolve(session as Session);
    },
    readFile(path) {
      const content = options.files?.[path];
      if (content === undefined) return Promise.reject(new Deno.errors.NotFound(path));
      return Promise.resolve(new TextEncoder().encode(content));
    },
    clock: systemClock,
  };
}
