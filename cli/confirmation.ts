/** Confirmation on the command line (spec 08 §3.5). */

import { shownArgument } from "../lib/dispatch/mod.ts";
import type { Invocation, Kernel, ShapedResponse } from "../lib/dispatch/types.ts";
import { findGumError, type GumError } from "../lib/errors/mod.ts";
import { visibleText } from "../lib/format/text/mod.ts";
import { isJsonObject, type JsonValue } from "../lib/json/mod.ts";
import { MAIL_FIELDS } from "../lib/mail/mod.ts";
import { askYes } from "./ask_line.ts";
import { DeclinedError, invalidArg } from "./errors.ts";
import { mailSummary } from "./mail_summary.ts";
import type { FlagValues } from "./parse.ts";
import { riskStyle, stylesFor } from "./terminal_text.ts";
import type { CommandContext } from "./types.ts";

/** What the confirmation flags say. */
export type ConfirmationChoice =
  | { kind: "ask" }
  | { kind: "yes" }
  | { kind: "token"; token: string | undefined };

/** Reads the confirmation flags. @throws CliArgError for contradictions. */
export function confirmationChoice(flags: FlagValues): ConfirmationChoice {
  const token = flags.text("token");
  const confirmed = flags.on("confirmed");
  if (token !== undefined && flags.on("yes")) {
    throw invalidArg("--token", "--yes and --token exclude each other");
  }
  if (token !== undefined && !confirmed) throw invalidArg("--token", "needs --confirmed");
  if (confirmed) return { kind: "token", token };
  return flags.on("yes") ? { kind: "yes" } : { kind: "ask" };
}

/** What to dispatch and what the person needs to see before saying yes. */
export interface ConfirmableCall {
  kernel: Kernel;
  invocation: Invocation;
  choice: ConfirmationChoice;
  /** Account of the session, when known. */
  account?: string;
}

/**
 * Dispatches a call and, when the kernel asks for a confirmation, gets it the way the flags or the
 * terminal allow. Without consent nothing reaches the service.
 *
 * @throws the kernel's error; DeclinedError when the person said no.
 */
export async function dispatchConfirmed(
  call: ConfirmableCall,
  context: CommandContext,
): Promise<ShapedResponse> {
  const { kernel, invocation, choice } = call;
  if (choice.kind === "token") {
    const confirmed = { ...invocation, confirmed: true, confirmationToken: choice.token };
    return await kernel.dispatch(confirmed, context.signal);
  }
  try {
    return await kernel.dispatch(invocation, context.signal);
  } catch (error) {
    const asked = findGumError(error, "REQUIRES_CONFIRMATION");
    const token = asked?.details.confirmation_token;
    if (asked === undefined || typeof token !== "string") throw error;
    if (choice.kind === "ask") await askPerson(asked, call, context);
    const confirmed = { ...invocation, confirmed: true, confirmationToken: token };
    return await kernel.dispatch(confirmed, context.signal);
  }
}

async function askPerson(
  asked: GumError,
  call: ConfirmableCall,
  context: CommandContext,
): Promise<void> {
  const { host } = context;
  if (!host.isTerminal("stdin") || !host.isTerminal("stderr")) throw asked;
  const styles = stylesFor(host, "stderr");
  host.stderr.write(
    visibleText(summary(asked, call, context))
      .replace(/^.*$/m, (title) => styles.bold(title))
      .replace(
        /(?<=^ {2}risk +)\S+$/m,
        (risk) => riskStyle(styles, risk.replace(/^high_stakes_/, ""))(risk),
      ),
  );
  if (!await askYes(host, { text: "Proceed? [y/N] ", signal: context.signal })) {
    throw new DeclinedError("not confirmed; nothing was sent");
  }
}

function summary(asked: GumError, call: ConfirmableCall, context: CommandContext): string {
  const details = asked.details;
  const lines: [string, JsonValue | undefined][] = [
    ["operation", details.op_id ?? call.invocation.opId],
    ["variant", details.variant_id],
    ["risk", details.risk_class],
    ["profile", context.profile],
    ["account", details.account ?? call.account],
    ["request", requestText(details.pending_request)],
    ["file", uploadText(call.invocation.media, details.pending_request)],
  ];
  const head = lines.filter(([, value]) => typeof value === "string" && value !== "")
    .map(([label, value]) => `  ${label.padEnd(10)}${String(value)}`);
  const mail = mailSummary(details.pending_request);
  const shown = mail === undefined ? [] : ["  message", ...mail];
  const args = Object.entries(call.invocation.args)
    .filter(([key]) => mail === undefined || !MESSAGE_ARGUMENTS.has(key))
    .map(([key, value]) => `    ${key} = ${shownArgument(key, value)}`);
  const rest = mail !== undefined && args.length === 0 ? [] : ["  arguments", ...args];
  return ["This call needs your confirmation:", ...head, ...shown, ...rest, ""].join("\n");
}

/** Arguments that the message of a mail shows better. */
const MESSAGE_ARGUMENTS: ReadonlySet<string> = new Set([...MAIL_FIELDS, "message", "body"]);

function requestText(pending: JsonValue | undefined): string | undefined {
  if (!isJsonObject(pending) || typeof pending.method !== "string") return undefined;
  return `${pending.method} ${typeof pending.target === "string" ? pending.target : ""}`.trim();
}

/** The file that would be sent, and what of its content the answer would bind. */
function uploadText(
  media: Invocation["media"],
  pending: JsonValue | undefined,
): string | undefined {
  if (media?.kind !== "upload" || !isJsonObject(pending) || !isJsonObject(pending.media)) {
    return undefined;
  }
  const { size, sha256, content_type: type } = pending.media;
  return `${media.source} (${size} bytes, ${type}, sha256 ${String(sha256).slice(0, 16)}…)`;
}
