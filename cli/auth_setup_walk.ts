/** The guided set-up: project, consent screen, client, sign-in, APIs, a call (spec 11 §10). */

import type { OperatorAuth, SetupReport } from "../lib/auth/account/mod.ts";
import { secret } from "../lib/auth/mod.ts";
import type { Op, Variant } from "../lib/catalog/types.ts";
import type { GumError } from "../lib/errors/mod.ts";
import type { Secret } from "../lib/dispatch/types.ts";
import { visibleText } from "../lib/format/text/mod.ts";
import { readClientFile } from "./auth_client_run.ts";
import { CliArgError } from "./errors.ts";
import { resolveLoginScopes } from "./login_scopes.ts";
import { commandIo } from "./operator_auth.ts";
import type { CommandContext } from "./types.ts";

/** What a walk is about. */
export interface Walk {
  auth: OperatorAuth;
  op: Op;
  variant: Variant;
}

interface ConsoleStep {
  title: string;
  say(op: Op): string;
}

const CONSOLE = "https://console.cloud.google.com";

/** In the order in which Google's console needs them. */
const CONSOLE_STEPS: readonly ConsoleStep[] = [
  { title: "Project", say: () => `create or choose one at ${CONSOLE}/projectcreate` },
  {
    title: "APIs",
    say: (op) =>
      `enable ${op.service} at ${apiLink(op.service)}, others at ${CONSOLE}/apis/library`,
  },
  {
    title: "Consent screen",
    say: () => `${CONSOLE}/auth/overview - Internal for a Workspace organisation, else External`,
  },
  {
    title: "Test users",
    say: () =>
      `while an External app is in Testing, add your address at ${CONSOLE}/auth/audience; its ` +
      "sign-ins last seven days until you publish it, and it can hold about 25 scopes",
  },
  {
    title: "Client",
    say: () =>
      `create one of type Desktop app at ${CONSOLE}/auth/clients and download its JSON file`,
  },
];

/** Names of services in Google's library of APIs, where they are not `<service>.googleapis.com`. */
const API_NAMES: Readonly<Record<string, string>> = {
  calendar: "calendar-json.googleapis.com",
  googleads: "googleads.googleapis.com",
};

function apiLink(service: string): string {
  const name = API_NAMES[service] ?? `${service}.googleapis.com`;
  return `${CONSOLE}/apis/library/${name}`;
}

/** Each missing part in turn, each after a yes; what can be checked, is. */
export async function walkThrough(
  context: CommandContext,
  { auth, op, variant }: Walk,
  report: SetupReport,
): Promise<void> {
  const { host, signal } = context;
  const io = commandIo(context);
  const external: string[] = [];
  let withClient = true;
  for (const component of report.components) {
    if (component.status !== "missing" && component.status !== "external") continue;
    const name = component.displayName ?? component.kind;
    switch (component.kind) {
      case "oauth_client":
        await consoleSteps(context, op);
        withClient = await registerClient(context, { auth, kind: "installed" });
        break;
      case "oauth_scopes":
        // There is nothing to sign in with.
        if (!withClient) break;
        if (!await confirmed(context, "Sign in now?")) break;
        await signIn(context, { auth, variant });
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
  host.stderr.write("\n");
}

/** Where no keychain can be used: offers the vault. True when there is one now. */
export async function offerVault(context: CommandContext, refusal: GumError): Promise<boolean> {
  const io = commandIo(context);
  io.say(`No keychain can be used here: ${visibleText(refusal.message)}`);
  const question = "Keep credentials in an encrypted file instead, opened with a passphrase?";
  if (!await confirmed(context, question)) return false;
  const { beginVault } = await import("./vault_run.ts");
  const { path } = await beginVault(context, "scrypt");
  io.say(`Begun: ${path}`);
  return true;
}

/** Offers the second client. Nothing of the ordinary one changes. */
export async function offerHostedClient(
  context: CommandContext,
  auth: OperatorAuth,
): Promise<void> {
  const question = "Also register a client for agents that somebody else hosts (type Web)?";
  if (!await confirmed(context, question)) return;
  commandIo(context).say(
    `Create one of type Web application at ${CONSOLE}/auth/clients with the redirect address ` +
      "that the agent's provider names, and download its JSON file.",
  );
  await registerClient(context, { auth, kind: "web" });
}

async function consoleSteps(context: CommandContext, op: Op): Promise<void> {
  const { host, signal } = context;
  const io = commandIo(context);
  io.say("You need an OAuth client of your own. Once, in Google Cloud:");
  for (const [index, { title, say }] of CONSOLE_STEPS.entries()) {
    io.say(`  ${index + 1}/${CONSOLE_STEPS.length} ${title}: ${say(op)}`);
    host.stderr.write("    Enter when it is done, s to skip the other steps: ");
    const answer = await host.stdin.readLine(signal);
    if (answer === undefined) host.stderr.write("\n");
    if (answer === undefined || answer.trim().toLowerCase() === "s") return;
  }
}

/** Asks until there is a client, or the person stops; true when one was stored. */
async function registerClient(
  context: CommandContext,
  { auth, kind }: { auth: OperatorAuth; kind: "installed" | "web" },
): Promise<boolean> {
  const { signal } = context;
  const io = commandIo(context);
  for (let registered = false;;) {
    const client = await askedClient(context, kind);
    if (client === undefined) return registered;
    await auth.useOAuthClient({ ...client, hosted: kind === "web", signal });
    registered = true;
    const check = kind === "web" ? undefined : await auth.checkClient(signal);
    if (check?.kind !== "refused") {
      io.say(
        check === undefined
          ? "Registered."
          : check.kind === "known"
          ? "Google knows this client."
          : "The client is stored; it could not be checked.",
      );
      return registered;
    }
    io.say(`Google refuses this client: ${check.problem}.`);
    if (!await confirmed(context, "Enter it again?")) return registered;
  }
}

async function askedClient(
  context: CommandContext,
  kind: "installed" | "web",
): Promise<{ id: string; secret?: Secret } | undefined> {
  const { host, signal } = context;
  for (;;) {
    host.stderr.write("Its JSON file, or its client id (empty to stop): ");
    const typed = unquoted((await host.stdin.readLine(signal))?.trim() ?? "");
    if (typed === "") return undefined;
    if (!typed.endsWith(".json")) {
      const value = await hidden(context, "Client secret");
      return { id: typed, ...(value === undefined ? {} : { secret: value }) };
    }
    const home = host.environment.text("HOME") ?? host.environment.text("USERPROFILE");
    const path = home === undefined ? typed : typed.replace(/^~(?=[/\\])/, () => home);
    try {
      return await readClientFile(context, { path, kind });
    } catch (error) {
      // A slip of the finger must not cost the whole walk.
      if (!(error instanceof CliArgError)) throw error;
      commandIo(context).say(visibleText(`${path} ${error.reason ?? "cannot be used"}.`));
    }
  }
}

/** A path as terminals write one that was dropped on them: in quotes, or with escaped spaces. */
function unquoted(typed: string): string {
  const [, , inner] = /^(['"])(.*)\1$/.exec(typed) ?? [];
  return inner ?? typed.replace(/\\ /g, " ");
}

async function signIn(
  context: CommandContext,
  { auth, variant }: Pick<Walk, "auth" | "variant">,
): Promise<void> {
  const { host, signal } = context;
  const io = commandIo(context);
  const choice = { scopes: variant.scopes ?? [], services: [], all: false };
  const { scopes, scopesDenied } = await auth.login({
    scopes: resolveLoginScopes(choice, () => []),
    openBrowser: host.factories.openBrowser ?? "system",
    io,
    signal,
  });
  io.say(`Signed in; ${scopes.length} scopes granted.`);
  if (scopesDenied.length > 0) {
    io.say(`Not granted: ${scopesDenied.join(", ")}. Sign in again and tick every box.`);
  }
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
export async function confirmed(context: CommandContext, question: string): Promise<boolean> {
  const { host, signal } = context;
  host.stderr.write(visibleText(`${question} [y/N] `));
  const answer = await host.stdin.readLine(signal);
  if (answer === undefined) host.stderr.write("\n");
  return ["y", "yes"].includes(answer?.trim().toLowerCase() ?? "");
}
