/** What `gum read`, `write` and `destructive` do, and the dispatch they share with `call`. */

import type { RiskClass } from "../lib/catalog/types.ts";
import type { Invocation } from "../lib/dispatch/types.ts";
import { findGumError, GumError } from "../lib/errors/mod.ts";
import { renderValuePath } from "../lib/format/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import type { Session } from "../lib/session/types.ts";
import { jsonObject, readJsonObject, SOURCE_LIMIT_BYTES } from "./arg_grammar.ts";
import { confirmationChoice, dispatchConfirmed } from "./confirmation.ts";
import { type DispatchExtras, DispatchFailure, invalidArg } from "./errors.ts";
import { mediaCall, presentStdoutSummary } from "./media_calls.ts";
import { kernelFormatOf, type OutputChoice, riskCommandOutput } from "./output_choice.ts";
import { withJustInTimeLogin } from "./jit_login.ts";
import type { FlagValues } from "./parse.ts";
import {
  concludePages,
  gatherPages,
  type PageChoice,
  pageChoice,
  streamRecords,
} from "./page_calls.ts";
import { paginationOnStdout, type Presentation, presentResponse } from "./present.ts";
import { projectRootOf } from "./project_root.ts";
import { openCommandSession } from "./session.ts";
import { orAborted } from "./streams.ts";
import { withProgress } from "./terminal_progress.ts";
import type { CommandContext } from "./types.ts";

/** Runs `gum read`, `write` or `destructive`. */
export async function runRiskCommand(risk: RiskClass, context: CommandContext): Promise<void> {
  const { flags, host } = context;
  const choice = riskCommandOutput(flags, host);
  const args = await argsOption(flags.text("args") ?? "{}", context);
  if (risk === "write") await (await import("./mail_flags.ts")).mergeMailFlags(args, context);
  if (host.isTerminal("stdin") && !flags.changed("args")) await askForRequired(args, context);
  const grants = {
    allowWrite: risk === "write" && flags.on("allow-write"),
    allowDestructive: risk === "destructive",
  };
  await dispatchAndPresent({ args, choice, risk, grants }, context);
}

// Without --args a person may not know what there is to give.
async function askForRequired(args: JsonObject, context: CommandContext): Promise<void> {
  const { words, host } = context;
  const op = (await host.factories.catalog(words)).findOp(words[0] ?? "");
  if (op === undefined) return;
  const [{ promptForMissing }, { checkArgumentValues }] = await Promise.all([
    import("./call_prompts.ts"),
    import("./call_checks.ts"),
  ]);
  await promptForMissing(args, { op, context });
  checkArgumentValues(args, op);
}

/** A call whose words are parsed; everything else comes from the flags. */
export interface PlannedCall {
  args: JsonObject;
  choice: OutputChoice;
  risk: RiskClass;
  grants: { allowWrite: boolean; allowDestructive: boolean };
}

/** Checks the shared flags, dispatches with confirmation, prints the answer. */
export async function dispatchAndPresent(
  planned: PlannedCall,
  context: CommandContext,
): Promise<void> {
  const { flags, host } = context;
  const command = context.path.at(-1) ?? "";
  const envelope = flags.on("envelope");
  if (envelope && planned.choice.kind !== "kernel") {
    throw invalidArg("--envelope", "cannot be combined with table or value(<path>)");
  }
  if (envelope && flags.on("no-envelope")) {
    throw invalidArg("--envelope", "--envelope and --no-envelope exclude each other");
  }
  if (planned.choice.kind === "value" && renderValuePath({}, planned.choice.path) === undefined) {
    throw invalidArg("--output", `not a path: ${JSON.stringify(planned.choice.path)}`);
  }
  const confirmation = confirmationChoice(flags);
  const failureExtras = { requestedRisk: planned.risk, command };
  const media = mediaCall(planned.risk, context);
  const pages = pageChoice(planned.risk, flags);
  let invocation: Invocation;
  try {
    invocation = { ...invocationOf(planned, context), media: media?.request };
  } catch (error) {
    const known = findGumError(error)?.with({ op_id: context.words[0] ?? "" });
    throw dispatchFailure(known ?? error, failureExtras);
  }
  const session = withJustInTimeLogin(
    withProgress(await openCommandSession(context), context),
    context,
  );
  const presentation = { choice: planned.choice, envelope, bare: flags.on("no-envelope"), command };
  try {
    if (pages !== undefined && !invocation.dryRun) {
      const call = { invocation, choice: pages, presentation, extras: failureExtras };
      return await runPages(session, call, context);
    }
    const response = await dispatchConfirmed({
      kernel: session.kernel,
      invocation,
      choice: confirmation,
      account: session.emulated?.account.email,
    }, context);
    media?.finish();
    if (media?.toStdout) presentStdoutSummary(response, context);
    else presentResponse(response, presentation, host);
  } catch (error) {
    media?.finish();
    throw media?.outputFailure() ?? dispatchFailure(error, failureExtras);
  } finally {
    await session.close();
  }
}

async function runPages(
  session: Session,
  call: {
    invocation: Invocation;
    choice: PageChoice;
    presentation: Presentation;
    extras: DispatchExtras;
  },
  context: CommandContext,
): Promise<void> {
  const { presentation, extras } = call;
  if (call.choice.ndjson) {
    const end = await streamRecords(session, call, context);
    return concludePages(end, { onStdout: false, extras }, context);
  }
  const { response, error } = await gatherPages(session, call, context);
  presentResponse(response, presentation, context.host);
  const onStdout = paginationOnStdout(response, presentation);
  concludePages({ facts: response.pagination, error }, { onStdout, extras }, context);
}

function invocationOf(planned: PlannedCall, context: CommandContext): Invocation {
  const { flags, host } = context;
  return {
    opId: context.words[0] ?? "",
    args: planned.args,
    format: kernelFormatOf(planned.choice),
    requestedVariantId: flags.text("variant-id"),
    ...(flags.changed("account") ? { account: flags.text("account") } : {}),
    allowWrite: planned.grants.allowWrite,
    allowDestructive: planned.grants.allowDestructive,
    maxItems: maxItems(flags),
    suppressFieldMask: flags.on("no-field-mask") || undefined,
    dryRun: flags.on("dry-run") || undefined,
    projectRootPath: projectRootOf(host),
    caller: "cli",
  };
}

/** `--max-items`. @throws GumError `INVALID_ARGS` for anything but a positive integer or `all`. */
function maxItems(flags: FlagValues): number | "all" | undefined {
  const text = flags.text("max-items")?.trim();
  if (text === undefined) return undefined;
  if (text === "all") return "all";
  const count = Number(text);
  if (/^[0-9]+$/.test(text) && count >= 1 && Number.isSafeInteger(count)) return count;
  throw new GumError("INVALID_ARGS", {
    message: 'max_items must be a positive integer or "all"',
    details: { field: "max_items", value: text, missing: [], unknown: [], type_errors: [] },
    suggestion: "Use --max-items 50 or --max-items all.",
  });
}

async function argsOption(text: string, context: CommandContext): Promise<JsonObject> {
  if (text.startsWith("@")) return await readJsonObject(text, sourceReader(context));
  if (text.trim() === "-") throw invalidArg("--args", "standard input is @-");
  return jsonObject(text, "--args");
}

/** Reads what the person named: a file, or standard input for `-`. */
export function sourceReader(context: CommandContext): (source: string) => Promise<Uint8Array> {
  const { host, signal } = context;
  return (source) =>
    source === "-"
      ? host.stdin.readAll(SOURCE_LIMIT_BYTES, signal)
      : orAborted(host.factories.readFile(source, SOURCE_LIMIT_BYTES), signal);
}

function dispatchFailure(
  error: unknown,
  extras: { requestedRisk: RiskClass; command: string },
): unknown {
  const known = findGumError(error);
  return known === undefined || known !== error ? error : new DispatchFailure(known, extras);
}
