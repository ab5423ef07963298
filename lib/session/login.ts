/** The profile's login as a session uses it: credentials, gates that follow it, ways to renew it. */

import {
  createExplicitAuthResolver,
  createProfileAuth,
  createScopeUpgrade,
  createSessionSignIn,
  type ProfileAuth,
  type ScopeUpgrade,
  type SessionSignIn,
} from "../auth/mod.ts";
import type { CatalogSnapshot } from "../catalog/types.ts";
import type { Clock } from "../clock/mod.ts";
import { type Environment, environmentOf } from "../config/environment.ts";
import type { AuditSink, AuthResolver, Kernel, KernelSettings } from "../dispatch/types.ts";
import type { EmulatorConnection } from "../emulator/types.ts";
import type { CredentialPlace } from "../health/mod.ts";
import type { HttpClient } from "../http/mod.ts";
import type { Logger } from "../log/mod.ts";
import type { SessionOptions } from "./types.ts";

/** What a session is given instead of a bare resolver. */
export interface SessionLogin {
  auth: AuthResolver;
  /** The profile's own credentials; absent on the emulator and with one given outright. */
  profileAuth?: ProfileAuth;
  signIn?: SessionSignIn;
  scopeUpgrade?: ScopeUpgrade;
  /** Looks at the place where credentials are kept; absent where none are. */
  lookAtStore?(signal: AbortSignal): Promise<CredentialPlace>;
  /** Settings whose gates follow the login. */
  settings(base: KernelSettings): KernelSettings;
  /** A kernel that looks at the login before it judges a call. */
  kernel(kernel: Kernel, catalog: CatalogSnapshot): Kernel;
  close(): void;
}

/** The login of a session: the emulator's, one given outright, or the profile's own. */
export function sessionLogin(
  options: SessionOptions,
  made: {
    emulator: EmulatorConnection | undefined;
    http: HttpClient;
    clock: Clock;
    log: Logger;
    audit: AuditSink;
  },
): SessionLogin {
  const { emulator } = made;
  if (emulator !== undefined) {
    // Its own credentials are used and the user's are not looked at (spec 00 §10).
    return fixedLogin(createExplicitAuthResolver({
      ...emulator.credentials,
      subjectFingerprint: emulator.account.fingerprint,
    }));
  }
  if (options.credentials?.bearer !== undefined) {
    return fixedLogin(createExplicitAuthResolver(options.credentials));
  }
  const auth = createProfileAuth({
    profileName: options.profileName,
    directories: options.directories ?? {},
    environment: withGiven(options.environment ?? environmentOf({}), options.credentials),
    http: made.http,
    clock: made.clock,
    log: made.log,
    ...(options.prompt === undefined ? {} : { prompt: options.prompt }),
    ...(options.googlePeer === undefined ? {} : { endpoints: options.googlePeer.endpoints }),
  });
  const { audit } = made;
  const openBrowser = options.signIn?.openBrowser;
  return {
    auth,
    profileAuth: auth,
    signIn: createSessionSignIn(auth, { audit, openBrowser }),
    ...(options.signIn === undefined || openBrowser === undefined ? {} : {
      scopeUpgrade: createScopeUpgrade(auth, { audit, io: options.signIn.io, openBrowser }),
    }),
    lookAtStore: async (signal) => await (await auth.open()).parts.store.probe({ signal }),
    settings: (base) => liveSettings(base, auth),
    kernel: (kernel, catalog) => lookingKernel(kernel, { auth, catalog }),
    close: () => auth.close(),
  };
}

function fixedLogin(auth: AuthResolver): SessionLogin {
  return { auth, settings: (base) => base, kernel: (kernel) => kernel, close() {} };
}

/** Values the caller read itself stand for the variables they come from. */
function withGiven(
  environment: Environment,
  given: SessionOptions["credentials"] = {},
): Environment {
  const overlay = environmentOf({
    ...(given.apiKey === undefined ? {} : { GUM_API_KEY: given.apiKey }),
    ...(given.developerToken === undefined
      ? {}
      : { GUM_GOOGLE_ADS_DEVELOPER_TOKEN: given.developerToken }),
    ...(given.quotaProject === undefined ? {} : { GOOGLE_CLOUD_QUOTA_PROJECT: given.quotaProject }),
  });
  const text: Environment["text"] = (name) => overlay.text(name) ?? environment.text(name);
  return {
    text,
    isOne: (name) => text(name) === "1",
    take: (name) => overlay.text(name) ?? environment.take(name),
  };
}

function liveSettings(base: KernelSettings, auth: ProfileAuth): KernelSettings {
  return {
    ...base,
    grantedScopes: () => auth.grantedScopes(),
    get expectedSubjects() {
      return auth.configured() ? auth.expectedSubjects() : base.expectedSubjects;
    },
  };
}

function lookingKernel(
  kernel: Kernel,
  over: { auth: ProfileAuth; catalog: CatalogSnapshot },
): Kernel {
  const never = new AbortController().signal;
  return {
    ...kernel,
    async dispatch(invocation, signal) {
      const variants = over.catalog.findOp(invocation.opId)?.variants ?? [];
      await over.auth.prepare(variants.map((variant) => variant.auth_strategy), signal ?? never);
      return await kernel.dispatch(invocation, signal);
    },
  };
}
