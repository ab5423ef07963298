/** A profile in a temporary folder, its vault, and an emulated Google to sign in to. */

import type { Clock } from "../../clock/mod.ts";
import { systemClock } from "../../clock/mod.ts";
import { environmentOf, type VariableName } from "../../config/environment.ts";
import { type Emulator, startEmulator } from "../../emulator/mod.ts";
import { createHttpClient, type StreamingHttpClient } from "../../http/mod.ts";
import { type Logger, silentLogger } from "../../log/mod.ts";
import type { GrantView } from "../grants/state.ts";
import { storeClient } from "../grants/client.ts";
import { GOOGLE_ENDPOINTS, type OAuthEndpoints } from "../oauth/endpoints.ts";
import { openAuthParts } from "../parts.ts";
import { type CompositeResolver, createCompositeResolver } from "../resolver.ts";
import type { AuthParts } from "../types.ts";

/** A vault key, so that no passphrase has to be stretched. */
export const VAULT_KEY = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY";
/** The client of the tests. */
export const CLIENT = { id: "client-1.apps.example", registeredAt: "2026-05-19T10:00:00Z" };
/** Short names of scopes, made full. */
export const scope = (name: string): string => `https://www.googleapis.com/auth/${name}`;

/** What a test may choose. */
export interface WorldOptions {
  profileName?: string;
  environment?: Partial<Record<VariableName, string>>;
  clock?: Clock;
  log?: Logger;
  /** Share the emulator and the folder of another world. */
  beside?: AuthWorld;
  registered?: boolean;
  managedClientId?: string;
}

/** Everything a flow test works with. */
export interface AuthWorld extends AsyncDisposable {
  emulator: Emulator;
  folder: string;
  parts: AuthParts;
  view: GrantView;
  resolver: CompositeResolver;
  endpoints: OAuthEndpoints;
  http: StreamingHttpClient;
  signal: AbortSignal;
  /** Token requests the emulator saw since the journal was cleared. */
  tokenRequests(): number;
}

/** Endpoints on the emulator: only the browser's address has to be rewritten by hand. */
export function emulatedEndpoints(emulator: Pick<Emulator, "rewrite">): OAuthEndpoints {
  return {
    ...GOOGLE_ENDPOINTS,
    authorization: emulator.rewrite(new URL(GOOGLE_ENDPOINTS.authorization)).href,
  };
}

/** Opens a world. The vault exists and a client is registered unless a test says otherwise. */
export async function openWorld(options: WorldOptions = {}): Promise<AuthWorld> {
  const { beside, profileName = "work" } = options;
  const folder = beside?.folder ?? await Deno.makeTempDir({ prefix: "gum-auth-" });
  const clock = options.clock ?? systemClock;
  const emulator = beside?.emulator ?? await startEmulator({ clock: systemClock });
  const http = createHttpClient({ rewriteOrigin: (url) => emulator.rewrite(url) });
  const endpoints = emulatedEndpoints(emulator);
  const lifetime = new AbortController();
  const parts = await openAuthParts({
    profileName,
    directories: { config: `${folder}/config`, data: `${folder}/data` },
    environment: environmentOf({ GUM_VAULT_KEY: VAULT_KEY, ...options.environment }),
    http,
    clock,
    log: options.log ?? silentLogger,
    endpoints,
    ...(options.managedClientId === undefined ? {} : { managedClientId: options.managedClientId }),
  }, lifetime.signal);
  const resolver = createCompositeResolver(parts);
  const { signal } = new AbortController();
  if (options.registered ?? true) {
    await storeClient(parts.store, { profileName, client: CLIENT }, { signal });
  }
  return {
    emulator,
    folder,
    parts,
    view: resolver.view,
    resolver,
    endpoints,
    http,
    signal,
    tokenRequests: () => emulator.journal.filter(({ path }) => path === "/token").length,
    async [Symbol.asyncDispose]() {
      lifetime.abort();
      http.close();
      if (beside !== undefined) return;
      await emulator.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}
