/** Opening a session for one command (spec 08 §3.1). */

import { baseDirectories } from "../lib/config/directories.ts";
import { findGumError } from "../lib/errors/mod.ts";
import type { Session, SessionOptions } from "../lib/session/types.ts";
import type { CommandContext } from "./types.ts";

/** Opens the session that the flags and the environment describe; the caller closes it. */
export async function openCommandSession(
  context: CommandContext,
  limits: Pick<SessionOptions, "policyMode"> = {},
): Promise<Session> {
  const session = await context.host.factories.openSession({
    ...sessionOptions(context),
    ...limits,
  });
  if (session.emulator !== undefined) {
    announceEmulator(session.emulator.account.email, context);
  }
  return session;
}

// In a pipe the notice has the form of a log line, so that stderr stays parseable line by line.
function announceEmulator(account: string, { host, flags }: CommandContext): void {
  const text = `built-in emulator as ${account}; nothing reaches Google`;
  const plain = host.isTerminal("stderr") || flags.text("log-format")?.toLowerCase() === "text";
  host.stderr.write(plain ? `gum: ${text}\n` : JSON.stringify({ level: "info", msg: text }) + "\n");
}

function sessionOptions(context: CommandContext): SessionOptions {
  const { environment, factories } = context.host;
  return {
    profileName: context.profile,
    emulator: context.emulator,
    directories: directories(context),
    credentials: {
      apiKey: environment.text("GUM_API_KEY"),
      developerToken: environment.text("GUM_GOOGLE_ADS_DEVELOPER_TOKEN"),
    },
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
