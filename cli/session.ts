/** Opening a session for one command (spec 08 §3.1). */

import { baseDirectories } from "../lib/config/directories.ts";
import type { EmulatorConnection } from "../lib/emulator/types.ts";
import { findGumError } from "../lib/errors/mod.ts";
import type { Session, SessionOptions } from "../lib/session/types.ts";
import { say } from "./say.ts";
import { passphrasePrompt } from "./secret_input.ts";
import type { CommandContext } from "./types.ts";

/** Opens the session that the flags and the environment describe; the caller closes it. */
export async function openCommandSession(
  context: CommandContext,
  limits: Pick<SessionOptions, "policyMode" | "serving" | "codeTimeoutMs"> = {},
): Promise<Session> {
  const session = await context.host.factories.openSession({
    ...sessionOptions(context, limits),
    ...limits,
  });
  if (session.emulated !== undefined) announceEmulator(session.emulated, context);
  return session;
}

// In a pipe the notice has the form of a log line, so that stderr stays parseable line by line.
function announceEmulator(
  { account, origin }: EmulatorConnection,
  { host, flags, emulatorOrigin }: CommandContext,
): void {
  const which = emulatorOrigin === undefined ? "built-in emulator" : `emulator at ${origin}`;
  const text = `${which} as ${account.email}; nothing reaches Google`;
  const plain = host.isTerminal("stderr") || flags.text("log-format")?.toLowerCase() === "text";
  host.stderr.write(plain ? `gum: ${text}\n` : JSON.stringify({ level: "info", msg: text }) + "\n");
}

/** The options of a session that the flags and the environment describe. */
export function sessionOptions(
  context: CommandContext,
  limits: Pick<SessionOptions, "serving"> = {},
): SessionOptions {
  const { environment, factories } = context.host;
  return {
    profileName: context.profile,
    emulator: context.emulator,
    emulatorOrigin: context.emulatorOrigin,
    directories: directories(context),
    credentials: {
      apiKey: environment.text("GUM_API_KEY"),
      developerToken: environment.text("GUM_GOOGLE_ADS_DEVELOPER_TOKEN"),
    },
    environment,
    // A server's standard input belongs to its client.
    prompt: limits.serving ? undefined : passphrasePrompt(context),
    signIn: {
      io: { say: (text) => say(context, text) },
      openBrowser: factories.openBrowser ?? "system",
    },
    googlePeer: factories.googlePeer,
    gainDisabled: environment.isOne("GUM_GAIN_DISABLED"),
    clock: factories.clock,
    log: context.log,
  };
}

// Without a home directory a call still works; it only leaves nothing on disk.
function directories(context: CommandContext): SessionOptions["directories"] {
  try {
    return baseDirectories(context.host.environment);
  } catch (error) {
    const unresolved = findGumError(error, "HOME_UNRESOLVED");
    if (unresolved === undefined) throw error;
    context.log.log("warn", unresolved.message, { code: unresolved.code });
    return undefined;
  }
}
