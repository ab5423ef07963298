/** What runs a profile's plugins, made from what a session is made from. */

import { type ProfileAuth, secret } from "../auth/mod.ts";
import type { Clock } from "../clock/mod.ts";
import { environmentOf, processVariables, variablesOf } from "../config/environment.ts";
import { type ProfileConfig, setting } from "../config/mod.ts";
import type { AuditSink } from "../dispatch/types.ts";
import type { EmulatorConnection } from "../emulator/types.ts";
import { GumError } from "../errors/mod.ts";
import { createHttpClient } from "../http/mod.ts";
import type { Logger } from "../log/mod.ts";
import type { TokenResolver } from "../plugin/environment/mod.ts";
import type { PluginRuntime } from "../plugin/runtime/mod.ts";
import { VERSION } from "../version/mod.ts";
import { sessionLogin } from "./login.ts";
import { sessionConfiguration } from "./settings.ts";
import type { SessionOptions } from "./types.ts";

/** An unused process is stopped after this in a process that serves. */
const IDLE_MS = 10 * 60_000;

/** What a session is given besides its own parts. */
export interface SessionPluginOptions {
  session: SessionOptions;
  config: ProfileConfig;
  audit: AuditSink;
  clock: Clock;
  log: Logger;
}

/** Where credentials for plugins come from. */
export interface PluginConnections {
  emulator: EmulatorConnection | undefined;
  /** Absent where credentials were given outright. */
  profileAuth: ProfileAuth | undefined;
}

/**
 * Opens what runs plugins for one command that is no call of an operation, and closes it after.
 * Nothing is activated by it.
 */
export async function withPluginRuntime<T>(
  options: Omit<SessionPluginOptions, "config"> & { profileDir: string },
  work: (runtime: PluginRuntime) => Promise<T>,
): Promise<T> {
  const { session, clock, log, audit } = options;
  const { config, problem } = await sessionConfiguration({ ...session, log });
  // How a plugin is confined is in there.
  if (problem !== undefined) throw problem;
  const http = createHttpClient({ rewriteOrigin: session.googlePeer?.rewriteOrigin });
  const login = sessionLogin(session, { emulator: undefined, http, clock, log, audit });
  const runtime = await openPluginRuntime({
    ...options,
    config,
    connections: { emulator: undefined, profileAuth: login.profileAuth },
  });
  try {
    return await work(runtime);
  } finally {
    await runtime.close();
    login.close();
    http.close();
  }
}

/** Puts the runtime of a profile together; nothing is started. */
export async function openPluginRuntime(
  options: SessionPluginOptions & { profileDir: string; connections: PluginConnections },
): Promise<PluginRuntime> {
  const { session, config, clock, log, audit, connections } = options;
  const [{ createPluginRuntime }, { openPluginRegistry }] = await Promise.all([
    import("../plugin/runtime/mod.ts"),
    import("../plugin/registry/mod.ts"),
  ]);
  const { profileAuth } = connections;
  return createPluginRuntime({
    registry: openPluginRegistry({
      profileDir: options.profileDir,
      clock,
      logger: log,
      auditSink: audit,
    }),
    environment: session.environment ?? environmentOf({}),
    sources: {
      profileName: session.profileName,
      // Without an environment of its own a session hands nothing on.
      ambient: session.environment === undefined ? variablesOf({}) : processVariables(),
      ...(profileAuth === undefined ? {} : {
        storedSecret: async (credential, signal) => {
          const { pluginCredentialAccount } = await import("../auth/store/mod.ts");
          const { parts } = await profileAuth.open();
          const account = pluginCredentialAccount(session.profileName, credential);
          return await parts.store.get(account, { signal });
        },
      }),
      tokenResolver: tokenResolver(session, connections),
    },
    sandbox: {
      isDev: setting(config, "profile.is_dev"),
      backend: setting(config, "plugins.sandbox"),
      network: setting(config, "plugins.sandbox_network"),
      read: setting(config, "plugins.sandbox_read"),
    },
    hidden: [session.directories?.config, session.directories?.data, session.directories?.cache]
      .flatMap((base) => base === undefined ? [] : [`${base}/gum`]),
    audit,
    clock,
    log,
    version: VERSION,
    ...(session.serving === true ? { idleMs: IDLE_MS } : {}),
  });
}

/** Whose token a compound plugin gets: the emulator's, the given one, else the profile's login. */
function tokenResolver(
  session: SessionOptions,
  { emulator, profileAuth }: PluginConnections,
): TokenResolver | undefined {
  if (emulator !== undefined) {
    const { credentials, account } = emulator;
    return ({ scopes }) =>
      Promise.resolve({
        token: secret(credentials.bearer),
        subjectFingerprint: account.fingerprint,
        scopes,
      });
  }
  return profileAuth === undefined ? undefined : profileToken(session.profileName, profileAuth);
}

/** The access token of the profile's own client, after the check of whose it is. */
export function profileToken(
  profileName: string,
  auth: Pick<ProfileAuth, "open" | "expectedSubjects">,
): TokenResolver {
  return async ({ scopes }, signal) => {
    const { resolver } = await auth.open();
    await resolver.view.current(signal);
    // Nobody is logged in: the plugin runs without a token, and without a substitute.
    if (resolver.view.covered() === undefined) return null;
    const found = await resolver.strategy("byo_oauth").resolve({ scopes, signal });
    if (found?.token === undefined) return null;
    const expected = auth.expectedSubjects().byo_oauth;
    const { subjectFingerprint } = found;
    if (expected !== undefined && subjectFingerprint !== "" && expected !== subjectFingerprint) {
      throw new GumError("AUTH_SUBJECT_MISMATCH", {
        message: "the credential belongs to another account than this profile's login",
        details: {
          auth_strategy: "byo_oauth",
          expected_subject_fingerprint: expected,
          actual_subject_fingerprint: subjectFingerprint,
          profile: profileName,
          setup_command: "gum login --switch-account",
        },
      });
    }
    return {
      token: found.token,
      subjectFingerprint,
      scopes: found.scopes,
      ...(found.expiresAt === undefined ? {} : { expiresAt: found.expiresAt }),
    };
  };
}
