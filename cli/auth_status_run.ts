/** What `gum auth status` and `gum auth probe` do. */

import { normaliseScopes, sortedScopes } from "../lib/auth/account/mod.ts";
import { rfc3339 } from "../lib/clock/mod.ts";
import { invalidArg } from "./errors.ts";
import { refuseEmulator, withOperatorAuth } from "./operator_auth.ts";
import type { CommandContext } from "./types.ts";

const STRATEGIES = ["auto", "byo_oauth", "adc", "service_account", "api_key"] as const;

/** Runs `gum auth status`. */
export async function runStatus(context: CommandContext): Promise<void> {
  const { host, signal } = context;
  const scopes = askedScopes(context);
  const report = await withOperatorAuth(context, (auth) => auth.status({ scopes, signal }));
  host.stdout.write(JSON.stringify(report, null, 2) + "\n");
}

/** Runs `gum auth probe`. */
export async function runProbe(context: CommandContext): Promise<void> {
  refuseEmulator(context);
  const { flags, host, signal } = context;
  const asked = flags.text("strategy")?.toLowerCase();
  const strategy = STRATEGIES.find((name) => name === asked);
  if (strategy === undefined) throw invalidArg("--strategy", `accepted: ${STRATEGIES.join(", ")}`);
  const scopes = askedScopes(context);
  const found = await withOperatorAuth(
    context,
    (auth) => auth.probe({ scopes, strategy, signal }),
  );
  host.stdout.write(
    JSON.stringify(
      {
        strategy: found.strategy,
        scopes: [...found.scopes],
        scopes_requested: scopes,
        token_bytes: found.tokenBytes,
        expires_at: found.expiresAt === undefined ? null : rfc3339(found.expiresAt),
        subject_fingerprint: found.subjectFingerprint,
      },
      null,
      2,
    ) + "\n",
  );
}

function askedScopes({ flags }: CommandContext): string[] {
  const named = flags.list("scopes");
  return sortedScopes(normaliseScopes(named.length === 0 ? ["gmail.readonly"] : named));
}
