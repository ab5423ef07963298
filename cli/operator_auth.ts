/** The credentials of a command's profile, opened for its operator. */

import type { AuditLog } from "../lib/audit/mod.ts";
import type { OperatorAudit, OperatorAuth, SignInIo } from "../lib/auth/account/mod.ts";
import { baseDirectories } from "../lib/config/directories.ts";
import type { HttpClient, HttpClientOptions } from "../lib/http/mod.ts";
import { invalidArg } from "./errors.ts";
import { passphrasePrompt } from "./secret_input.ts";
import type { CommandContext } from "./types.ts";

/** Opens them, runs `work`, and leaves no handle open. */
export async function withOperatorAuth<T>(
  context: CommandContext,
  work: (auth: OperatorAuth) => Promise<T>,
): Promise<T> {
  const { host, profile, log } = context;
  const { openOperatorAuth } = await import("../lib/auth/account/mod.ts");
  const { googlePeer, clock } = host.factories;
  const http = lateHttpClient({ rewriteOrigin: googlePeer?.rewriteOrigin });
  const directories = baseDirectories(host.environment);
  const audit = lateAuditLog(async () =>
    (await import("../lib/audit/mod.ts")).openAuditLog({
      directory: `${directories.data}/gum/${profile}`,
      profileName: profile,
      clock,
      log,
    })
  );
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

/** A client that loads with its first request: looking at what is stored sends none. */
function lateHttpClient(options: HttpClientOptions): HttpClient {
  let client: HttpClient | undefined;
  const close = () => client?.close();
  return {
    async send(request, signal) {
      const { createHttpClient } = await import("../lib/http/mod.ts");
      return await (client ??= createHttpClient(options)).send(request, signal);
    },
    close,
    [Symbol.dispose]: close,
  };
}

/** A log that opens with its first row: only signing in and out leave one. */
function lateAuditLog(open: () => Promise<AuditLog>): OperatorAudit & { close(): Promise<void> } {
  let opened: Promise<AuditLog> | undefined;
  return {
    append: async (row) => (await (opened ??= open())).append(row),
    close: async () => void await (await opened)?.close(),
  };
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
