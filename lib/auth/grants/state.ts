/** What the process knows of a profile's client and grant, as fresh as the store (spec 05 §3.5). */

import { orAborted } from "../abortable.ts";
import { AuthError } from "../errors.ts";
import { expandGranted } from "../scopes.ts";
import { byoGrantAccount } from "../store/mod.ts";
import type { AuthConfig, AuthParts } from "../types.ts";
import { loadClient, type RegisteredClient } from "./client.ts";
import { grantFingerprint, type OAuthGrant, parseGrant } from "./grant.ts";

const STORE_AGE_MS = 30_000;
const CONFIG_AGE_MS = 2_000;

/** One consistent look at the store. Never changed after it was made. */
export interface GrantState {
  readonly generation: string;
  readonly client: RegisteredClient | undefined;
  /** Store entry of the grant; "" without a client. */
  readonly account: string;
  readonly grant: OAuthGrant | undefined;
  /** Of the grant; "" without one. */
  readonly fingerprint: string;
  /** What the grant covers; undefined without one. */
  readonly covered: readonly string[] | undefined;
}

/** The live view of one profile. */
export interface GrantView {
  /** The current state; read again when any process wrote a credential, and after 30 s. */
  current(signal: AbortSignal, options?: { fresh?: boolean }): Promise<GrantState>;
  /** The profile's settings. @throws GumError when the configuration cannot be read. */
  config(): Promise<AuthConfig>;
  /** Forget everything: this process changed something. */
  forget(): void;
  /** What the last state covered; undefined with no grant, or before the first look. */
  covered(): readonly string[] | undefined;
  /** True once the configuration has been read. */
  configured(): boolean;
  /** Expectations of the last configuration read. */
  expectedSubjects(): Readonly<Record<string, string>>;
}

/** A live view over the parts. */
export function createGrantView(parts: AuthParts): GrantView {
  let last: { state: GrantState; at: number } | undefined;
  let loading: { generation: string; state: Promise<GrantState> } | undefined;
  let settings: { config: AuthConfig; at: number } | undefined;
  let epoch = 0;

  /** The next reader looks at the file; until then what was expected last still is. */
  const settingsAreOld = () => {
    if (settings !== undefined) settings = { ...settings, at: Number.NEGATIVE_INFINITY };
  };

  const load = async (generation: string): Promise<GrantState> => {
    const asked = epoch;
    const state = Object.freeze(await readState(parts, generation));
    if (asked === epoch) {
      // Whoever wrote a credential may have written whose it has to be as well.
      if (last !== undefined && last.state.generation !== generation) settingsAreOld();
      last = { state, at: parts.clock.now() };
    }
    return state;
  };

  return {
    async current(signal, options = {}) {
      signal.throwIfAborted();
      const generation = await parts.store.generation();
      const usable = last !== undefined && !options.fresh &&
        last.state.generation === generation && parts.clock.now() - last.at < STORE_AGE_MS;
      if (usable && last !== undefined) return last.state;
      if (options.fresh) return await orAborted(load(generation), signal);
      // Shared by everyone who waits, so that no single caller's abort ends it; but what was begun
      // before another process wrote a credential says nothing about after.
      if (loading?.generation !== generation) {
        const mine = { generation, state: load(generation) };
        loading = mine;
        const done = () => {
          if (loading === mine) loading = undefined;
        };
        mine.state.then(done, done);
      }
      return await orAborted(loading.state, signal);
    },
    async config() {
      const now = parts.clock.now();
      if (settings === undefined || now - settings.at >= CONFIG_AGE_MS) {
        settings = { config: await parts.config.read(), at: now };
      }
      return settings.config;
    },
    forget() {
      epoch++;
      last = undefined;
      loading = undefined;
      settingsAreOld();
    },
    covered: () => last?.state.covered,
    configured: () => settings !== undefined,
    expectedSubjects: () => settings?.config.expectedSubjects ?? {},
  };
}

async function readState(parts: AuthParts, generation: string): Promise<GrantState> {
  const call = { signal: parts.lifetime };
  const client = await loadClient(parts.store, parts.profileName, call);
  if (client === undefined) {
    return {
      generation,
      client,
      account: "",
      grant: undefined,
      fingerprint: "",
      covered: undefined,
    };
  }
  const account = await byoGrantAccount(parts.profileName, client.id);
  const text = await parts.store.get(account, call);
  const grant = text === null ? undefined : parseGrant(text.reveal());
  return {
    generation,
    client,
    account,
    grant,
    fingerprint: grant === undefined ? "" : await grantFingerprint("byo_oauth", grant),
    covered: grant === undefined ? undefined : Object.freeze(expandGranted(grant.scopes)),
  };
}

/** The client, or the refusal that tells how to register one. */
export function requireClient(state: GrantState, scopes: readonly string[]): RegisteredClient {
  if (state.client !== undefined) return state.client;
  throw new AuthError({
    code: "BYO_OAUTH_CLIENT_NOT_CONFIGURED",
    strategy: "byo_oauth",
    remediation: "no OAuth client is registered for this profile",
    requiredScopes: scopes,
    missingComponents: ["oauth_client"],
    nextCommand: "gum auth use-oauth-client --client-id <id> --secret-stdin",
  });
}
