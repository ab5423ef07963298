/** The credentials of a command's profile, opened for its operator. */

import type { OperatorAuth, SignInIo } from "../lib/auth/account/mod.ts";
import { baseDirectories } from "../lib/config/directories.ts";
import { invalidArg } from "./errors.ts";
import { passphrasePrompt } from "./secret_input.ts";
import type { CommandContext } from "./types.ts";

/** Opens them, runs `work`, and leaves no handle open. */
export async function withOperatorAuth<T>(
  context: CommandContext,
  work: (auth: OperatorAuth) => Promise<T>,
): Promise<T> {
  const { host, profile, log } = context;
  const [{ openOperatorAuth }, { createHttpClient }, { openAuditLog }] = await Promise.all([
    import("../lib/auth/account/mod.ts"),
    import("../lib/http/mod.ts"),
    import("../lib/audit/mod.ts"),
  ]);
  const { googlePeer, clock } = host.factories;
  const http = createHttpClient({ rewriteOrigin: googlePeer?.rewriteOrigin });
  const directories = baseDirectories(host.environment);
  const audit = openAuditLog({
    directory: `${directories.data}/gum/${profile}`,
    profileName: profile,
    clock,
    log,
  });
  try {
    const auth = await openOperatorAuth({
      profileName: profile,
      directories,
      environment: host.environment,
      http,
      clock,
      log,
      prompt: passphrasePrompt(context),
      audit,
      ...(googlePeer === undefined ? {} : { endpoints: googlePeer.endpoints }),
    });
    try {
      return await work(auth);
    } finally {
      auth.close();
    }
  } finally {
    http.close();
    await audit.close();
  }
}

/** How a sign-in talks to the person at this command: notes on stderr, lines from a terminal. */
export function commandIo({ host }: Pick<CommandContext, "host">): SignInIo {
  const interactive = host.isTerminal("stdin") && host.isTerminal("stderr");
  return {
    say: (text) => host.stderr.write(text + "\n"),
    ...(interactive ? { readLine: (signal) => host.stdin.readLine(signal) } : {}),
  };
}

/** A sign-in on the emulator would be one to nowhere. */
export function refuseEmulator(context: CommandContext): void {
  if (context.emulator) throw invalidArg("--emulator", "the built-in emulator needs no sign-in");
}
