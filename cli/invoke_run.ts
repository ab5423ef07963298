/** What `gum read`, `write` and `destructive` do, and the dispatch they share with `call`. */

import type { RiskClass } from "../lib/catalog/types.ts";
import type { Invocation } from "../lib/dispatch/types.ts";
import { findGumError, GumError } from "../lib/errors/mod.ts";
import { renderValuePath } from "../lib/format/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { jsonObject, readJsonObject, SOURCE_LIMIT_BYTES } from "./arg_grammar.ts";
import { confirmationChoice, dispatchConfirmed } from "./confirmation.ts";
import { DispatchFailure, invalidArg } from "./errors.ts";
import { kernelFormatOf, type OutputChoice, riskCommandOutput } from "./output_choice.ts";
import type { FlagValues } from "./parse.ts";
import { presentResponse } from "./present.ts";
import { openCommandSession } from "./session.ts";
import type { CommandContext } from "./types.ts";

/** Runs `gum read`, `write` or `destructive`. */
export async function runRiskCommand(risk: RiskClass, context: CommandContext): Promise<void> {
  const { flags, host } = context;
  const choice = riskCommandOutput(flags, host);
  const args = await argsOption(flags.text("args") ?? "{}", context);
  const grants = {
    allowWrite: risk === "write" && flags.on("allow-write"),
    allowDestructive: risk === "destructive",
  };
  await dispatchAndPresent({ args, choice, risk, grants }, context);
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
  let invocation: Invocation;
  try {
    invocation = invocationOf(planned, context);
  } catch (error) {
    throw dispatchFailure(error, failureExtras);
  }
  const session = await openCommandSession(context);
  try {
    const response = await dispatchConfirmed({
      kernel: session.kernel,
      invocation,
      choice: confirmation,
      account: session.emulator?.account.email,
    }, context);
    presentResponse(
      response,
      { choice: planned.choice, envelope, bare: flags.on("no-envelope"), command },
      host,
    );
  } catch (error) {
    throw dispatchFailure(error, failureExtras);
  } finally {
    await session.close();
  }
}

function invocationOf(planned: PlannedCall, context: CommandContext): Invocation {
  const { flags, host } = context;
  return {
    opId: context.words[0] ?? "",
    args: planned.args,
    format: kernelFormatOf(planned.choice),
    requestedVariantId: flags.text("variant-id"),
    allowWrite: planned.grants.allowWrite,
    allowDestructive: planned.grants.allowDestructive,
    maxItems: maxItems(flags),
    suppressFieldMask: flags.on("no-field-mask") || undefined,
    dryRun: flags.on("dry-run") || undefined,
    projectRootPath: host.environment.text("GUM_PROJECT_ROOT"),
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
  return jsonObject(text, "--args");
}

/** Reads what the person named: a file, or standard input for `-`. */
export function sourceReader(context: CommandContext): (source: string) => Promise<Uint8Array> {
  const { host, signal } = context;
  return (source) =>
    source === "-"
      ? host.stdin.readAll(SOURCE_LIMIT_BYTES, signal)
      : host.factories.readFile(source);
}

function dispatchFailure(
  error: unknown,
  extras: { requestedRisk: RiskClass; command: string },
): unknown {
  const known = findGumError(error);
  return known === undefined || known !== error ? error : new DispatchFailure(known, extras);
}
