/** `--page-all`: a list's pages as one answer, or one record a line (spec 02 §8.3). */

import type { RiskClass } from "../lib/catalog/types.ts";
import {
  type ArrivedPage,
  dispatchPages,
  eachPage,
  type GatheredResponse,
  type PageLimits,
  type PageLoopDeps,
  type PageLoopEnd,
} from "../lib/dispatch/mod.ts";
import type { Invocation, PaginationFacts } from "../lib/dispatch/types.ts";
import type { GumError } from "../lib/errors/mod.ts";
import { recordArray, recordKey } from "../lib/format/records/mod.ts";
import type { Session } from "../lib/session/types.ts";
import { type DispatchExtras, invalidArg, PartialReport, PartialResult } from "./errors.ts";
import type { FlagValues } from "./parse.ts";
import type { CommandContext } from "./types.ts";

/** What the page flags ask for. */
export interface PageChoice {
  limits: PageLimits;
  /** One record a line, while pages arrive. */
  ndjson: boolean;
}

const DEPENDENT = ["page-limit", "page-items", "page-delay", "ndjson"];

/** The page flags; undefined without `--page-all`. @throws CliArgError */
export function pageChoice(risk: RiskClass, flags: FlagValues): PageChoice | undefined {
  if (!flags.on("page-all")) {
    const alone = DEPENDENT.find((name) => flags.changed(name));
    if (alone !== undefined) throw invalidArg(`--${alone}`, "needs --page-all");
    return undefined;
  }
  if (risk !== "read") throw invalidArg("--page-all", "belongs to operations that read");
  if (flags.changed("download")) {
    throw invalidArg("--page-all", "cannot be combined with --download");
  }
  const ndjson = flags.on("ndjson");
  const clash = [
    "output",
    "format",
    "json",
    "toon",
    "csv",
    "markdown",
    "raw",
    "envelope",
    "max-items",
  ]
    .find((name) => ndjson && flags.changed(name));
  if (clash !== undefined) throw invalidArg("--ndjson", `cannot be combined with --${clash}`);
  return {
    limits: {
      pageLimit: count(flags, "page-limit", 0),
      items: count(flags, "page-items", 1),
      delayMs: count(flags, "page-delay", 0),
    },
    ndjson,
  };
}

function count(flags: FlagValues, name: string, least: number): number | undefined {
  const value = flags.integer(name);
  if (value !== undefined && value < least) {
    throw invalidArg(`--${name}`, `expected a number of at least ${least}`);
  }
  return value;
}

function loopDeps(session: Session): PageLoopDeps {
  return {
    dispatch: (invocation, signal) => session.kernel.dispatch(invocation, signal),
    catalog: session.catalog,
    clock: session.clock,
    recordKey,
  };
}

/** Fetches all pages as one answer. */
export async function gatherPages(
  session: Session,
  call: { invocation: Invocation; choice: PageChoice },
  context: CommandContext,
): Promise<GatheredResponse> {
  const { invocation, choice } = call;
  return await dispatchPages(
    loopDeps(session),
    { invocation, limits: choice.limits },
    context.signal,
  );
}

/** Prints the records of each page as it arrives, shaped, one a line. */
export async function streamRecords(
  session: Session,
  call: { invocation: Invocation; choice: PageChoice },
  context: CommandContext,
): Promise<PageLoopEnd> {
  const { host, signal } = context;
  const deps = loopDeps(session);
  const { invocation, choice } = call;
  const encoder = new TextEncoder();
  const onPage = async (page: ArrivedPage) => {
    const shaped = await deps.dispatch({
      ...invocation,
      format: "json",
      maxItems: "all",
      shaping: {
        kind: "gathered",
        body: encoder.encode(JSON.stringify(page.body)),
        pages: page.number,
        partial: true,
      },
    });
    const records = recordArray(shaped.structuredContent ?? null) ?? [];
    for (const record of records) host.stdout.write(`${JSON.stringify(record)}\n`);
  };
  return await eachPage(deps, { invocation, limits: choice.limits, onPage }, signal);
}

/** What follows a page loop: facts on stderr where stdout does not carry them, and the exit code. */
export function concludePages(
  end: { facts: PaginationFacts | undefined; error?: GumError; warnings?: readonly string[] },
  shown: { onStdout: boolean; extras: DispatchExtras },
  context: CommandContext,
): void {
  const { facts, error, warnings = [] } = end;
  const { host } = context;
  if (facts === undefined) return;
  if (host.isTerminal("stderr")) {
    for (const warning of warnings) host.stderr.write(`warning: ${warning}\n`);
    host.stderr.write(`${factsInWords(facts)}\n`);
  } else if (!shown.onStdout) {
    host.stderr.write(`${JSON.stringify({ _pagination: facts })}\n`);
  }
  context.signal.throwIfAborted();
  if (error !== undefined) throw new PartialResult(error, shown.extras);
  const cutShort = facts.stopped_by === "size_limit" || facts.stopped_by === "repeated_token";
  if (cutShort) throw new PartialReport();
}

const STOPS: Record<string, string> = {
  page_limit: "stopped at the page limit; --page-limit sets another",
  item_limit: "stopped at --page-items",
  size_limit: "stopped at 64 MiB; narrow the query, or stream with --ndjson",
  repeated_token: "stopped because the service repeats its pages",
  error: "a later page failed",
  abort: "interrupted",
};

function factsInWords(facts: PaginationFacts): string {
  const pages = `${facts.pages} ${facts.pages === 1 ? "page" : "pages"}`;
  const items = `${facts.items} ${facts.items === 1 ? "record" : "records"}`;
  const stop = facts.stopped_by === undefined ? "all of them" : STOPS[facts.stopped_by];
  return `${pages}, ${items}: ${stop}.`;
}
