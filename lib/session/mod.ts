/**
 * Puts the parts together for one account profile: catalog, kernel and everything the kernel calls.
 *
 * ```ts
 * import { openSession } from "./mod.ts";
 *
 * const session = await openSession({ profileName: "default", emulator: true });
 * const answer = await session.kernel.dispatch({
 *   opId: "gmail.users.labels.list",
 *   args: { userId: "me" },
 * });
 * await session.close();
 * ```
 *
 * @module
 */

import {
  createAdapterRegistry,
  createCodeAdapters,
  createGenAiAdapters,
  createGoogleAdsAdapters,
  createMapsAdapters,
  createRestAdapter,
  mediaFilesOutside,
} from "../adapters/mod.ts";
import { type ArtifactOptions, createArtifactStore, readArtifact } from "../artifact/mod.ts";
import {
  createSnapshot,
  embeddedCatalogBytes,
  loadCatalog,
  openSessionLongTail,
} from "../catalog/mod.ts";
import { openSearch } from "../catalog/search/mod.ts";
import { type Clock, systemClock } from "../clock/mod.ts";
import { createConfirmationService } from "../confirmation/mod.ts";
import { type ProfileConfig, sessionAccounts, setting } from "../config/mod.ts";
import { createKernel, mapFailure } from "../dispatch/mod.ts";
import type { Kernel, RateLimiter } from "../dispatch/types.ts";
import type { Emulator, EmulatorConnection } from "../emulator/types.ts";
import { ensurePrivateDir } from "../files/mod.ts";
import { createHttpClient, createRetryBudget } from "../http/mod.ts";
import { createRateLimiter, openBucketDatabase, type RateLimiterOptions } from "../limiter/mod.ts";
import { defaultLogger, type Logger } from "../log/mod.ts";
import { createOperationMemory, type PollDeps, pollOperation } from "../lro/mod.ts";
import { withMailComposition } from "../mail/mod.ts";
import { assembleProfileResolver } from "../profile/mod.ts";
import { shaper } from "../shape/mod.ts";
import { VERSION } from "../version/mod.ts";
import { sessionScripts } from "./scripts.ts";
import {
  artifactSettings,
  codeLimits,
  kernelSettings,
  limiterSettings,
  localStateSettings,
  sessionConfiguration,
  surfaceSettings,
  withConfigurationGate,
} from "./settings.ts";
import { withAccountName } from "./account_names.ts";
import { otherProfiles, withAccountPolicy, withAccounts } from "./accounts.ts";
import { closeAll } from "./close_all.ts";
import { openLocalState } from "./local_state.ts";
import { sessionLogin } from "./login.ts";
import { type SessionPlugins, sessionPlugins, withPluginCredentials } from "./plugins.ts";
import type { Session, SessionOptions } from "./types.ts";

export { withPluginRuntime } from "./plugin_runtime.ts";
export type { Session, SessionOptions } from "./types.ts";

/**
 * Opens a session. Nothing is written before a call needs it; {@link Session.close} leaves no
 * handle open.
 */
export async function openSession(options: SessionOptions): Promise<Session> {
  const clock = options.clock ?? systemClock;
  const log = options.log ?? defaultLogger();
  const { profileName, directories = {} } = options;
  const { config, problem } = await sessionConfiguration({ ...options, log });
  const settings = kernelSettings(config, options);
  const own = options.emulator && options.emulatorOrigin === undefined &&
      options.emulated === undefined
    ? await startSessionEmulator(clock, emulatedAccounts(config))
    : undefined;
  const emulator = own ?? options.emulated ?? await attachedEmulator(options);
  const http = createHttpClient(
    emulator === undefined
      ? { rewriteOrigin: options.googlePeer?.rewriteOrigin }
      : { rewriteOrigin: (url) => emulator.rewrite(url) },
  );
  const limiter = sessionLimiter({
    ...options,
    ...limiterSettings(config),
    familyLimits: (family) => plugins.rateLimits(family),
    clock,
    log,
  });
  const localState = openLocalState({
    profileName,
    directories,
    emulator: options.emulator,
    serving: options.serving ?? false,
    settings: localStateSettings(config, { gainDisabled: options.gainDisabled ?? false }),
    declaredTtl: (opId) => plugins.cacheTtl(opId),
    clock,
    log,
  });
  const { audit } = localState;
  const plugins: SessionPlugins = await sessionPlugins({
    session: options,
    config,
    audit,
    clock,
    log,
  });
  const updates = directories.data === undefined
    ? undefined
    : `${directories.data}/gum/${profileName}/longtail`;
  const catalog = createSnapshot(loadCatalog(log), {
    requestSchema: plugins.requestSchema,
    pluginOps: plugins.ops,
    logger: log,
    longTail: openSessionLongTail(setting(config, "catalog.long_tail"), { updates, logger: log }),
  });
  const search = await openSearch({
    pluginOps: plugins.ops,
    logger: log,
    longTail: { exposure: setting(config, "catalog.long_tail"), updates },
  });
  const artifactOptions: ArtifactOptions = {
    directory: directories.data === undefined
      ? undefined
      : `${directories.data}/gum/${profileName}`,
    ...artifactSettings(config),
    clock,
    log,
  };
  const artifacts = createArtifactStore(artifactOptions);
  const login = sessionLogin(options, { emulator, http, clock, log, audit });
  const auth = withPluginCredentials(withConfigurationGate(login.auth, problem));
  const memory = createOperationMemory();
  const scripts = sessionScripts({
    kernel: () => kernel,
    catalog,
    search,
    limits: codeLimits(config, options),
    gain: localState.gain,
    clock,
    log,
  });
  // Whatever directories a client may use, GUM's own are no files of its calls.
  const ownFolders = [directories.config, directories.data, directories.cache]
    .flatMap((base) => base === undefined ? [] : [`${base}/gum`]);
  const bareKernel = createKernel({
    catalog,
    profiles: await assembleProfileResolver(
      {
        pluginProfiles: await plugins.profiles(),
        ...(directories.config === undefined
          ? {}
          : { userDirectory: `${directories.config}/gum/profiles` }),
      },
    ),
    auth,
    limiter,
    cache: localState.cache,
    adapters: createAdapterRegistry({
      rest: createRestAdapter({
        http,
        clock,
        version: VERSION,
        retryBudget: createRetryBudget(clock),
        media: {
          maxDownloadBytes: options.maxDownloadBytes ?? setting(config, "media.max_download_bytes"),
          uploadsDirectory: directories.data === undefined
            ? undefined
            : `${directories.data}/gum/${profileName}/uploads`,
        },
      }),
      others: {
        ...createGoogleAdsAdapters({ http, clock, version: VERSION }),
        ...createMapsAdapters({ http, clock, version: VERSION }),
        ...createGenAiAdapters({ http, clock, version: VERSION }),
        ...createCodeAdapters(scripts),
        ...plugins.adapters({ emulator, profileAuth: login.profileAuth }),
      },
    }),
    shaper,
    artifacts,
    audit: localState.audit,
    gain: scripts.gain,
    confirm: createConfirmationService({ profileName, dataDir: directories.data, clock, log }),
    clock,
    settings: login.settings(settings),
    inventory: plugins.view,
    operations: memory,
    media: mediaFilesOutside(ownFolders),
    log,
  });
  const address = async () => emulator?.account.email ?? await login.profileAuth?.address();
  const kernel: Kernel = withAccountName(
    withAccountPolicy(
      withMailComposition(login.kernel(plugins.kernel(bareKernel), catalog), {
        catalog,
        attachmentDirectories: settings.mediaDirs,
        closedDirectories: ownFolders,
        uploads: true,
      }),
      { account: options.account, catalog },
    ),
    { label: options.account?.label, profileName, address },
  );
  const describeFailure: PollDeps["describeFailure"] = (thrown, resolved) =>
    mapFailure(thrown, resolved).error;
  const polling = { memory, http, auth, catalog, clock, describeFailure, version: VERSION };
  const session: Session = {
    profileName,
    config,
    ...surfaceSettings(config),
    catalog,
    catalogBytes: embeddedCatalogBytes,
    search: () => search,
    kernel,
    code: (invocation, signal) => kernel.dispatch(invocation, signal),
    poll: (request, signal) => pollOperation({ ...request, ...polling }, signal),
    artifacts,
    readResult: (uri) => readArtifact(uri, artifactOptions),
    clock,
    log,
    emulator: own,
    emulated: emulator,
    address,
    signIn: login.signIn,
    scopeUpgrade: login.scopeUpgrade,
    gain: localState.summary,
    auditBroken: localState.auditBroken,
    plugins: plugins.view,
    health: {
      ...localState.health,
      canary_runner: plugins.canaryHealth,
      keychain: async () =>
        await (await import("../health/mod.ts")).keychainProbe(login.lookAtStore)(),
    },
    close: () =>
      closeAll([
        () => scripts.close(),
        () => plugins.close(),
        () => login.close(),
        () => http.close(),
        () => localState.close(),
        () => limiter[Symbol.dispose](),
        () => emulator?.close(),
      ]),
  };
  return withAccounts(session, { options, open: openSession });
}

/** The emulated world is anchored to the hour, so that "today" holds events and answers repeat. */
async function startSessionEmulator(clock: Clock, accounts: number): Promise<Emulator> {
  const { startEmulator } = await import("../emulator/mod.ts");
  const hour = 3_600_000;
  const anchored: Clock = {
    now: () => Math.floor(clock.now() / hour) * hour,
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
  return await startEmulator({ clock: anchored, accounts });
}

/** One for the session's own profile, one for each profile that its account table leads to. */
function emulatedAccounts(config: ProfileConfig): number {
  return 1 + otherProfiles(sessionAccounts(config).accounts, config.profileName).length;
}

/** The emulator of another process, where the session was told to use one. */
async function attachedEmulator(
  { emulator, emulatorOrigin }: SessionOptions,
): Promise<EmulatorConnection | undefined> {
  if (!emulator || emulatorOrigin === undefined) return undefined;
  return await (await import("../emulator/mod.ts")).attachEmulator(emulatorOrigin);
}

function sessionLimiter(
  options:
    & SessionOptions
    & ReturnType<typeof limiterSettings>
    & { familyLimits: RateLimiterOptions["familyLimits"]; clock: Clock; log: Logger },
): RateLimiter & Disposable {
  const { clock, log, profileName, capacity, refillPerSecond, maxWaitMs, familyLimits } = options;
  const limits = { capacity, refillPerSecond, maxWaitMs, familyLimits };
  const base = options.directories?.cache;
  if (options.emulator || base === undefined) {
    return createRateLimiter({ ...limits, clock, log });
  }
  const folder = `${base}/gum/${profileName}`;
  return createRateLimiter({
    ...limits,
    clock,
    log,
    async openStore() {
      await ensurePrivateDir(folder);
      return await openBucketDatabase(`${folder}/rate_limit.db`);
    },
  });
}
