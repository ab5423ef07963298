/** What `gum plugin setup` does (spec 06 §3.12). */

import { openCredentialStore } from "../lib/auth/store/mod.ts";
import { setupPlugin } from "../lib/plugin/mod.ts";
import { commandStore } from "./credential_store.ts";
import { liveCanary } from "./plugin_canary.ts";
import { withPluginParts } from "./plugin_parts.ts";
import { oneLine } from "./plugin_text.ts";
import type { CommandContext } from "./types.ts";

/** Runs `gum plugin setup`. */
export async function runSetup(context: CommandContext): Promise<void> {
  const { words, host, profile, log, signal } = context;
  const name = words[0] ?? "";
  await withPluginParts(context, async (parts) => {
    // The vault's passphrase is asked for at a terminal alone, so it never eats a secret's line.
    const { options } = await commandStore(context, { prompt: true });
    const outcome = await setupPlugin({ name, signal }, {
      registry: parts.registry,
      credentials: openCredentialStore(options),
      profileName: profile,
      dialogue: {
        say: (line) => host.stderr.write(`${oneLine(line)}\n`),
        ask: (prompt, asked) => ask(context, { prompt, signal: asked }),
      },
      canary: await liveCanary(context, parts),
      clock: host.factories.clock,
      logger: log,
      auditSink: parts.auditSink,
    });
    host.stdout.write(
      outcome === "activated"
        ? `plugin ${JSON.stringify(name)} configured and activated\n`
        : `plugin ${JSON.stringify(name)} needs no credentials\n`,
    );
  });
}

async function ask(
  { host }: CommandContext,
  { prompt, signal }: { prompt: string; signal: AbortSignal },
): Promise<string | undefined> {
  host.stderr.write(oneLine(prompt));
  const hidden = host.isTerminal("stdin") && host.stdin.readHidden !== undefined;
  const answer = hidden ? await host.stdin.readHidden?.(signal) : await host.stdin.readLine(signal);
  host.stderr.write("\n");
  return answer;
}
