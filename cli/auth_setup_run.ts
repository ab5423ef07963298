/** What `gum auth setup` does: a report, or a walk through what is missing (spec 05 §3.19, 11 §10). */

import { setupDocument, type SetupReport } from "../lib/auth/account/mod.ts";
import type { Op, Variant } from "../lib/catalog/types.ts";
import { findGumError, GumError } from "../lib/errors/mod.ts";
import { visibleText } from "../lib/format/text/mod.ts";
import { accepted } from "./choices.ts";
import { FailedReport, invalidArg } from "./errors.ts";
import { withOperatorAuth } from "./operator_auth.ts";
import type { CommandContext } from "./types.ts";

/** The call that a general set-up ends with. */
const FIRST_CALL = "gmail.users.labels.list";

/** Runs `gum auth setup`. */
export async function runSetup(context: CommandContext): Promise<void> {
  const { flags, host, words } = context;
  const format = flags.text("format")?.toLowerCase();
  if (format !== undefined && format !== "json" && format !== "text") {
    throw invalidArg("--format", accepted(format ?? "", ["json", "text"]));
  }
  const [opId = FIRST_CALL] = words;
  const { op, variant } = await subject(context, opId);
  const walks = format === undefined && host.isTerminal("stdout");
  const prepare = () => prepared(context, { op, variant, walks });
  const report = await prepare().catch(async (thrown) => {
    const refusal = findGumError(thrown, "AUTH_KEYCHAIN_UNAVAILABLE");
    if (!walks || refusal === undefined) throw thrown;
    const { offerVault } = await import("./auth_setup_walk.ts");
    if (!await offerVault(context, refusal)) throw thrown;
    return await prepare();
  });
  const works = !walks || !report.ready || await closes(context, { op, variant });
  host.stdout.write(
    format === "text" || walks
      ? reportText(report)
      : JSON.stringify(setupDocument(report), null, 2) + "\n",
  );
  if (flags.on("check") && !(report.ready && works)) {
    throw new FailedReport("the operation is not set up");
  }
}

/** Looks, and at a terminal walks through what is missing. */
async function prepared(
  context: CommandContext,
  { op, variant, walks }: { op: Op; variant: Variant; walks: boolean },
): Promise<SetupReport> {
  return await withOperatorAuth(context, async (auth) => {
    const look = () => auth.setup({ opId: op.op_id, variant, signal: context.signal });
    const first = await look();
    if (!walks) return first;
    const { offerHostedClient, walkThrough } = await import("./auth_setup_walk.ts");
    if (!first.ready) await walkThrough(context, { auth, op, variant }, first);
    const report = first.ready ? first : await look();
    const general = context.words.length === 0;
    if (report.ready && general && variant.auth_strategy === "byo_oauth") {
      await offerHostedClient(context, auth);
    }
    return report;
  });
}

/** The guided walk ends with a call; it opens a session of its own, as any call does. */
async function closes(
  context: CommandContext,
  about: { op: Op; variant: Variant },
): Promise<boolean> {
  const { closingCall } = await import("./auth_setup_call.ts");
  const catalog = await context.host.factories.catalog();
  return await closingCall(context, { ...about, catalog, general: context.words.length === 0 });
}

async function subject(
  context: CommandContext,
  opId: string,
): Promise<{ op: Op; variant: Variant }> {
  if (opId.trim() === "") throw invalidArg("op_id", "is empty");
  const catalog = await context.host.factories.catalog([opId]);
  const op = catalog.findOp(opId);
  if (op === undefined) {
    const { nearestWords } = await import("../lib/spelling/mod.ts");
    throw new GumError("OP_NOT_FOUND", {
      message: `there is no operation ${JSON.stringify(opId.slice(0, 120))}`,
      details: { op_id: opId, suggestions: nearestWords(opId, catalog.ops.map((o) => o.op_id)) },
    });
  }
  const wanted = context.flags.text("variant-id") ?? op.default_variant_id;
  const variant = op.variants.find(({ variant_id }) => variant_id === wanted);
  if (variant === undefined) {
    throw new GumError("VARIANT_NOT_FOUND", {
      message: `${op.op_id} has no variant ${JSON.stringify(wanted.slice(0, 120))}`,
      details: { op_id: op.op_id, variant_id: wanted },
    });
  }
  return { op, variant };
}

/** The report as lines. */
export function reportText(report: SetupReport): string {
  const lines = [
    `${report.opId} (${report.strategy}, profile ${report.profile}): ${
      report.ready ? "ready" : "not ready"
    }`,
    ...report.components.map((component) => {
      const mark = component.status === "satisfied" || component.status === "acknowledged"
        ? "ok"
        : component.optional
        ? "--"
        : "!!";
      const name = component.displayName ?? component.kind;
      const next = component.nextCommand === undefined ? "" : `: ${component.nextCommand}`;
      return `  [${mark}] ${name}${component.optional ? " (optional)" : ""}${next}`;
    }),
  ];
  if (report.ready) lines.push(`Try it: gum call ${report.opId} --risk=read`);
  return lines.map(visibleText).join("\n") + "\n";
}
