/** What `gum auth setup` does: a report, or a walk through what is missing (spec 05 §3.19, 11 §10). */

import { type OperatorAuth, setupDocument, type SetupReport } from "../lib/auth/account/mod.ts";
import { secret } from "../lib/auth/mod.ts";
import type { Op, Variant } from "../lib/catalog/types.ts";
import type { Secret } from "../lib/dispatch/types.ts";
import { GumError } from "../lib/errors/mod.ts";
import { visibleText } from "../lib/format/mod.ts";
import { FailedReport, invalidArg } from "./errors.ts";
import { resolveLoginScopes } from "./login_scopes.ts";
import { commandIo, withOperatorAuth } from "./operator_auth.ts";
import type { CommandContext } from "./types.ts";

/** The call that a general set-up ends with. */
const FIRST_CALL = "gmail.users.labels.list";

const PROJECT_STEPS: readonly string[] = [
  "Project: create or choose one at https://console.cloud.google.com/projectcreate",
  "APIs: enable those you want (Gmail, Calendar, Drive, ...) at " +
  "https://console.cloud.google.com/apis/library",
  "Consent screen: https://console.cloud.google.com/auth/overview - Internal for a Workspace " +
  "organisation, else External",
  "Test users: while an External app is in Testing, add your address under Audience; its " +
  "sign-ins last seven days until you publish it",
  "Client: create one of type Desktop app at https://console.cloud.google.com/auth/clients and " +
  "download its JSON file",
];

/** Runs `gum auth setup`. */
export async function runSetup(context: CommandContext): Promise<void> {
  const { flags, host, words } = context;
  const format = flags.text("format")?.toLowerCase();
  if (format !== undefined && format !== "json" && format !== "text") {
    throw invalidArg("--format", "accepted: json, text");
  }
  const [opId = FIRST_CALL] = words;
  const { op, variant } = await subject(context, opId);
  const walks = format === undefined && host.isTerminal("stdout");
  const report = await withOperatorAuth(context, async (auth) => {
    const look = () => auth.setup({ opId: op.op_id, variant, signal: context.signal });
    const first = await look();
    if (!walks || first.ready) return first;
    await walk(context, { auth, report: first, variant });
    return await look();
  });
  host.stdout.write(
    format === "text" || walks
      ? reportText(report)
      : JSON.stringify(setupDocument(report), null, 2) + "\n",
  );
  if (flags.on("check") && !report.ready) throw new FailedReport("the operation is not set up");
}

async function subject(
  context: CommandContext,
  opId: string,
): Promise<{ op: Op; variant: Variant }> {
  if (opId.trim() === "") throw invalidArg("op_id", "is empty");
  const catalog = await context.host.factories.catalog();
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

/** Each missing part in turn, each after a yes. */
async function walk(
  context: CommandContext,
  given: { auth: OperatorAuth; report: SetupReport; variant: Variant },
): Promise<void> {
  const { auth, report, variant } = given;
  const { host, signal } = context;
  const io = commandIo(context);
  const external: string[] = [];
  for (const component of report.components) {
    if (component.status !== "missing" && component.status !== "external") continue;
    const name = component.displayName ?? component.kind;
    switch (component.kind) {
      case "oauth_client":
        io.say("You need an OAuth client of your own. Once, in Google Cloud:");
        PROJECT_STEPS.forEach((step, index) => io.say(`  ${index + 1}. ${step}`));
        await registerClient(context, auth);
        break;
      case "oauth_scopes":
        if (!await confirmed(context, "Sign in now?")) break;
        await auth.login({
          scopes: resolveLoginScopes(
            { scopes: variant.scopes ?? [], services: [], all: false },
            () => [],
          ),
          openBrowser: host.factories.openBrowser ?? "system",
          io,
          signal,
        });
        break;
      case "api_key":
      case "developer_token":
        if (await confirmed(context, `Enter the ${name} now?`)) {
          const value = await hidden(context, name);
          if (value !== undefined) {
            await auth.storeSecret({ kind: component.kind, value, signal });
          }
        }
        break;
      default:
        if (component.optional && component.kind === "oauth_client_secret") break;
        if (component.setupHint !== undefined) io.say(visibleText(component.setupHint));
        if (
          component.status === "external" && await confirmed(context, `Is this done: ${name}?`)
        ) external.push(component.kind);
    }
  }
  if (external.length > 0) await auth.acknowledge({ opId: report.opId, kinds: external });
}

async function registerClient(context: CommandContext, auth: OperatorAuth): Promise<void> {
  const { host, signal } = context;
  host.stderr.write("Client id (empty to stop): ");
  const id = (await host.stdin.readLine(signal))?.trim() ?? "";
  if (id === "") return;
  const value = await hidden(context, "Client secret");
  await auth.useOAuthClient({ id, ...(value === undefined ? {} : { secret: value }), signal });
}

async function hidden(context: CommandContext, what: string): Promise<Secret | undefined> {
  const { host, signal } = context;
  const read = host.stdin.readHidden?.bind(host.stdin) ?? host.stdin.readLine.bind(host.stdin);
  host.stderr.write(`${what} (not shown): `);
  const typed = (await read(signal))?.trim() ?? "";
  host.stderr.write("\n");
  return typed === "" ? undefined : secret(typed);
}

/** A yes is a yes; an empty line and the end of input are not. */
async function confirmed(context: CommandContext, question: string): Promise<boolean> {
  const { host, signal } = context;
  host.stderr.write(visibleText(`${question} [y/N] `));
  const answer = (await host.stdin.readLine(signal))?.trim().toLowerCase() ?? "";
  return answer === "y" || answer === "yes";
}
