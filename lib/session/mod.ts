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
  createGenAiAdapters,
  createGoogleAdsAdapters,
  createMapsAdapters,
  createRestAdapter,
} from "../adapters/mod.ts";
import { type ArtifactOptions, createArtifactStore, readArtifact } from "../artifact/mod.ts";
import { disabledAuditSink } from "../audit/mod.ts";
import { createExplicitAuthResolver, type ExplicitCredentials } from "../auth/mod.ts";
import { createMemoryResponseCache } from "../cache/mod.ts";
import {
  createSnapshot,
  embeddedCatalogBytes,
  embeddedRequestSchema,
  loadCatalog,
} from "../catalog/mod.ts";
import { openSearch } from "../catalog/search/mod.ts";
import { type Clock, systemClock } from "../clock/mod.ts";
import { createConfirmationService } from "../confirmation/mod.ts";
import { createKernel, mapFailure } from "../dispatch/mod.ts";
import type { RateLimiter } from "../dispatch/types.ts";
import type { Emulator } from "../emulator/types.ts";
import { ensurePrivateDir } from "../files/mod.ts";
import { disabledGainSink } from "../gain/mod.ts";
import { createHttpClient } from "../http/mod.ts";
import { createRateLimiter, openBucketDatabase } from "../limiter/mod.ts";
import { defaultLogger, type Logger } from "../log/mod.ts";
import { createOperationMemory, type PollDeps, pollOperation } from "../lro/mod.ts";
import { withMailComposition } from "../mail/mod.ts";
import { assembleProfileResolver } from "../profile/mod.ts";
import { shaper } from "../shape/mod.ts";
import { VERSION } from "../version/mod.ts";
import type { Session, SessionOptions } from "./types.ts";

export type { Session, SessionOptions } from "./types.ts";

/**
 * Opens a session. Nothing is written before a call needs it; {@link Session.close} leaves no
 * handle open.
 */
export async function openSession(options: SessionOptions): Promise<Session> {
  const clock = options.clock ?? systemClock;
  const log = options.log ?? defaultLogger();
  const { profileName, directories = {} } = options;
  const catalog = createSnapshot(loadCatalog(log), {
    requestSchema: embeddedRequestSchema,
    logger: log,
  });
  const emulator = options.emulator ? await startSessionEmulator(clock) : undefined;
  const http = createHttpClient(
    emulator === undefined ? {} : { rewriteOrigin: (url) => emulator.rewrite(url) },
  );
  const limiter = sessionLimiter({ ...options, clock, log });
  const search = await openSearch({ logger: log });
  const artifactOptions: ArtifactOptions = {
    directory: directories.data === undefined
      ? undefined
      : `${directories.data}/gum/${profileName}`,
    clock,
    log,
  };
  const artifacts = createArtifactStore(artifactOptions);
  const auth = createExplicitAuthResolver(sessionCredentials(options, emulator));
  const memory = createOperationMemory();
  const bareKernel = createKernel({
    catalog,
    profiles: await assembleProfileResolver(
      directories.config === undefined
        ? {}
        : { userDirectory: `${directories.config}/gum/profiles` },
    ),
    auth,
    limiter,
    cache: createMemoryResponseCache({ clock }),
    adapters: createAdapterRegistry({
      rest: createRestAdapter({ http, clock, version: VERSION }),
      others: {
        ...createGoogleAdsAdapters({ http, clock, version: VERSION }),
        ...createMapsAdapters({ http, clock, version: VERSION }),
        ...createGenAiAdapters({ http, clock, version: VERSION }),
      },
    }),
    shaper,
    artifacts,
    audit: disabledAuditSink,
    gain: disabledGainSink,
    confirm: createConfirmationService({ profileName, dataDir: directories.data, clock, log }),
    clock,
    settings: { profileName, policyMode: options.policyMode },
    operations: memory,
    log,
  });
  const kernel = withMailComposition(bareKernel, {
    catalog,
    attachmentDirectories: options.mediaDirs,
  });
  const describeFailure: PollDeps["describeFailure"] = (thrown, resolved) =>
    mapFailure(thrown, resolved).error;
  const polling = { memory, http, auth, catalog, clock, describeFailure, version: VERSION };
  return {
    profileName,
    catalog,
    catalogBytes: embeddedCatalogBytes,
    search: () => search,
    kernel,
    poll: (request, signal) => pollOperation({ ...request, ...polling }, signal),
    artifacts,
    readResult: (uri) => readArtifact(uri, artifactOptions),
    clock,
    log,
    emulator,
    async close() {
      http.close();
      limiter[Symbol.dispose]();
      await emulator?.close();
    },
  };
}

/** The emulated world is anchored to the hour, so that "today" holds events and answers repeat. */
async function startSessionEmulator(clock: Clock): Promise<Emulator> {
  const { startEmulator } = await import("../emulator/mod.ts");
  const hour = 3_600_000;
  const anchored: Clock = {
    now: () => Math.floor(clock.now() / hour) * hour,
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
  return await startEmulator({ clock: anchored });
}

/** On the emulator its own credentials are used and the user's are not looked at (spec 00 §10). */
function sessionCredentials(
  options: SessionOptions,
  emulator: Emulator | undefined,
): ExplicitCredentials {
  if (emulator === undefined) return options.credentials ?? {};
  return { ...emulator.credentials, subjectFingerprint: emulator.account.fingerprint };
}

function sessionLimiter(
  options: SessionOptions & { clock: Clock; log: Logger },
): RateLimiter & Disposable {
  const { clock, log, profileName } = options;
  const base = options.directories?.cache;
  if (options.emulator || base === undefined) return createRateLimiter({ clock, log });
  const folder = `${base}/gum/${profileName}`;
  return createRateLimiter({
    clock,
    log,
    async openStore() {
      await ensurePrivateDir(folder);
      return await openBucketDatabase(`${folder}/rate_limit.db`);
    },
  });
}
