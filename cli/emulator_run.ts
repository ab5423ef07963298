/** What the `gum emulator` commands do. */

import { startEmulator } from "../lib/emulator/mod.ts";
import type { Emulator } from "../lib/emulator/types.ts";
import { isJsonObject, type JsonObject } from "../lib/json/mod.ts";
import { jsonObject } from "./arg_grammar.ts";
import { EMULATOR_ORIGIN } from "./emulator_choice.ts";
import { invalidArg, UsageError } from "./errors.ts";
import { type Styles, stylesFor } from "./terminal_text.ts";
import type { CommandContext } from "./types.ts";

const HIGHEST_PORT = 65_535;

/** Runs `gum emulator serve`. */
export async function runServe(context: CommandContext): Promise<void> {
  const { flags, host, signal } = context;
  const port = flags.integer("port") ?? 0;
  if (port < 0 || port > HIGHEST_PORT) throw invalidArg("--port", `0 to ${HIGHEST_PORT}`);
  const seed = flags.integer("seed") ?? 1;
  if (seed < 0) throw invalidArg("--seed", "expected 0 or more");
  const emulator = await startEmulator({ port, seed, clock: host.factories.clock })
    .catch((cause) => {
      if (!(cause instanceof Deno.errors.AddrInUse)) throw cause;
      throw new Error(`port ${port} is taken; --port 0 takes a free one`, { cause });
    });
  try {
    const facts: JsonObject = {
      origin: emulator.origin,
      control: `${emulator.origin}/_control/`,
      account: emulator.account.email,
      credentials: { ...emulator.credentials },
      accounts: emulator.accounts.map(({ email, bearer }) => ({ email, bearer })),
    };
    host.stdout.write(
      host.isTerminal("stdout")
        ? servedText(emulator, stylesFor(host, "stdout"))
        : JSON.stringify(facts, null, 2) + "\n",
    );
    await untilAborted(signal);
  } finally {
    await emulator.close();
  }
}

function servedText({ origin, account, accounts }: Emulator, styles: Styles): string {
  const others = accounts.slice(1).map(({ email }) => email).join(", ");
  return [
    `${styles.bold("Emulator")} at ${origin}, Ctrl-C ends it`,
    `  account  ${account.email}${others === "" ? "" : ` (also ${others})`}`,
    "",
    styles.dim("In another terminal:"),
    `  export GUM_EMULATOR=${origin}`,
    "  gum call gmail.users.labels.list --risk=read",
    "  gum emulator log",
    "",
  ].join("\n");
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true })
  );
}

/** Runs `gum emulator log`. */
export async function runLog(context: CommandContext): Promise<void> {
  context.host.stdout.write(await control("journal", { method: "GET" }, context));
  if (context.flags.on("clear")) await control("journal", { method: "DELETE" }, context);
}

/** Runs `gum emulator fault`. */
export async function runFault(context: CommandContext): Promise<void> {
  const { flags, host, words } = context;
  const [text] = words;
  if (flags.on("clear")) {
    if (text !== undefined) throw invalidArg("--clear", "takes every fault away; name none");
    await control("faults", { method: "DELETE" }, context);
    return;
  }
  host.stdout.write(
    text === undefined
      ? await control("faults", { method: "GET" }, context)
      : await control("faults", {
        method: "POST",
        body: JSON.stringify(jsonObject(text, "fault")),
      }, context),
  );
}

/** The reason in the emulator's own error object, else what it said. */
function refusal(text: string): string {
  try {
    const said: unknown = JSON.parse(text);
    if (isJsonObject(said) && typeof said.error === "string") return said.error;
  } catch {
    // Something else answers at that address; its own words are all there is.
  }
  return text.trim();
}

async function control(
  path: string,
  request: { method: string; body?: string },
  { flags, signal, emulatorOrigin }: CommandContext,
): Promise<string> {
  const origin = flags.text("origin") ?? emulatorOrigin;
  if (origin === undefined) {
    throw new UsageError("required flag --origin is missing, and GUM_EMULATOR names no emulator");
  }
  if (!EMULATOR_ORIGIN.test(origin)) {
    throw invalidArg("--origin", `${JSON.stringify(origin)} is not like http://127.0.0.1:8085`);
  }
  const url = `${origin.replace(/\/$/, "")}/_control/${path}`;
  let response: Response;
  try {
    response = await fetch(url, { ...request, signal, redirect: "error" });
  } catch (cause) {
    signal.throwIfAborted();
    throw new Error(`no emulator answers at ${origin}; gum emulator serve starts one`, { cause });
  }
  const text = await response.text();
  if (!response.ok) throw invalidArg(undefined, `the emulator refused: ${refusal(text)}`);
  return text;
}
