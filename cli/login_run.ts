/** What `gum login` and `gum logout` do. */

import { rfc3339 } from "../lib/clock/mod.ts";
import type { LoginResult } from "../lib/auth/account/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { resolveLoginScopes } from "./login_scopes.ts";
import { commandIo, refuseEmulator, withOperatorAuth } from "./operator_auth.ts";
import type { CommandContext } from "./types.ts";

/** Runs `gum login`. */
export async function runLogin(context: CommandContext): Promise<void> {
  refuseEmulator(context);
  const { flags, host, signal, profile } = context;
  const named = flags.list("scope");
  const catalog = named.length > 0 ? undefined : await host.factories.catalog();
  const scopes = resolveLoginScopes(
    { scopes: named, services: flags.list("service"), all: flags.on("all") },
    () => catalog?.ops ?? [],
  );
  const io = commandIo(context);
  const result = await withOperatorAuth(context, async (auth) => {
    if (await auth.adcMode()) {
      io.say(
        "This profile uses the host's credentials; they stay in force until `gum auth " +
          "use-adc --off`.",
      );
    }
    return await auth.login({
      scopes,
      switchAccount: flags.on("switch-account"),
      openBrowser: flags.on("no-browser") ? undefined : host.factories.openBrowser ?? "system",
      io,
      signal,
    });
  });
  host.stdout.write(JSON.stringify(loginDocument(result, profile), null, 2) + "\n");
  if (result.scopesDenied.length > 0) {
    io.say(`Not granted: ${result.scopesDenied.join(", ")}.`);
  }
}

/** The report of a login: never the token. */
function loginDocument(result: LoginResult, profile: string): JsonObject {
  return {
    strategy: "byo_oauth",
    profile,
    scopes: [...result.scopes],
    scopes_requested: [...result.scopesRequested],
    ...(result.scopesDenied.length === 0 ? {} : { scopes_denied: [...result.scopesDenied] }),
    subject_fingerprint: result.subjectFingerprint,
    token_bytes: result.tokenBytes,
    expires_at: result.expiresAt === undefined ? null : rfc3339(result.expiresAt),
  };
}

/** Runs `gum logout`. */
export async function runLogout(context: CommandContext): Promise<void> {
  refuseEmulator(context);
  const { flags, host, signal, profile } = context;
  const result = await withOperatorAuth(context, (auth) =>
    auth.logout({
      forgetClient: flags.on("forget-client"),
      keepRemote: flags.on("no-revoke"),
      signal,
    }));
  const next = result.clientForgotten
    ? "gum auth use-oauth-client --client-id <id> --secret-stdin"
    : "gum login";
  host.stdout.write(
    JSON.stringify(
      {
        profile,
        grant_cleared: result.grantCleared,
        client_forgotten: result.clientForgotten,
        using_managed: false,
        remote_revoked: result.remoteRevoked,
        cleared_at: rfc3339(host.factories.clock.now()),
        next,
        ...(result.forgetClientSkipped ? { forget_client_skipped: true } : {}),
        ...(result.managedCleared === 0 ? {} : { managed_cleared: result.managedCleared }),
        ...(result.note === undefined ? {} : { note: result.note }),
      },
      null,
      2,
    ) + "\n",
  );
}
