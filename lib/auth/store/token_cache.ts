/** Access tokens between processes: one encrypted file beside the credentials (spec 11 §10). */

import type { Clock } from "../../clock/mod.ts";
import { ensurePrivateDir, withFileLock, writeFileAtomic } from "../../files/mod.ts";
import { jcs } from "../../format/jcs.ts";
import { isJsonObject } from "../../json/mod.ts";
import type { Logger } from "../../log/mod.ts";
import { secret } from "../secret.ts";
import { tokenCacheKeyAccount } from "./account_names.ts";
import { readTrustedFile } from "./trusted_file.ts";
import type { AccessTokenCache, CachedAccessToken, CredentialStore, StoreCall } from "./types.ts";
import { importAesKey, seal, unseal } from "./vault/mod.ts";

/** A token with less than this to live is not given out. */
const MARGIN_MS = 60_000;
const FILE_LIMIT = 1024 * 1024;
const LOCK_TIMEOUT_MS = 2_000;
const FORMAT = "gum-tokens";

/** What the cache is made from. */
export interface AccessTokenCacheOptions {
  /** Keeps the key of the file. */
  store: CredentialStore;
  /** `<data>/gum/<profile>` */
  directory: string;
  clock: Clock;
  log: Logger;
}

interface StoredToken {
  token: string;
  scopes: string[];
  expires_at: number;
  subject_fingerprint: string;
  generation: string;
}

type StoredTokens = Record<string, StoredToken>;

/** The token cache of one account profile. */
export function createAccessTokenCache(options: AccessTokenCacheOptions): AccessTokenCache {
  const { store, directory, clock, log } = options;
  const path = `${directory}/tokens.vault`;
  const account = tokenCacheKeyAccount(store.profileName);
  const aad = new TextEncoder().encode(
    jcs({ format: FORMAT, version: 1, profile: store.profileName }),
  );

  const key = async (call: StoreCall): Promise<CryptoKey | undefined> => {
    const text = await store.get(account, call);
    return text === null ? undefined : await importAesKey(
      Uint8Array.fromBase64(text.reveal(), { alphabet: "base64url" }),
    );
  };
  const keyOrNew = async (call: StoreCall): Promise<CryptoKey> => {
    const text = await store.exclusive(async (entries) => {
      const present = await entries.get(account, call);
      if (present !== null) return present;
      const made = crypto.getRandomValues(new Uint8Array(32));
      const added = secret(made.toBase64({ alphabet: "base64url", omitPadding: true }));
      await entries.set(account, added, call);
      return added;
    }, call);
    return await importAesKey(
      Uint8Array.fromBase64(text.reveal(), { alphabet: "base64url" }),
    );
  };
  const load = async (opener: CryptoKey): Promise<StoredTokens> => {
    let bytes: Uint8Array;
    try {
      bytes = await readTrustedFile(path, { limit: FILE_LIMIT, looseMode: "tighten" });
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return {};
      throw error;
    }
    const file: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (!isJsonObject(file) || file.format !== FORMAT || !isJsonObject(file.payload)) return {};
    const { iv, ct } = file.payload;
    const plain = await unseal(opener, { sealed: { iv: String(iv), ct: String(ct) }, aad });
    return JSON.parse(new TextDecoder().decode(plain)) as StoredTokens; // written below, authentic
  };
  const save = async (opener: CryptoKey, tokens: StoredTokens) => {
    const plain = new TextEncoder().encode(JSON.stringify(tokens));
    const file = { format: FORMAT, version: 1, payload: await seal(opener, { plain, aad }) };
    const bytes = new TextEncoder().encode(JSON.stringify(file) + "\n");
    await writeFileAtomic(path, bytes, { mode: 0o600 });
  };
  const change = async (
    opener: CryptoKey,
    at: StoreCall & { edit: (tokens: StoredTokens) => StoredTokens },
  ) => {
    await ensurePrivateDir(directory);
    const wait = { timeoutMs: LOCK_TIMEOUT_MS, signal: at.signal };
    await withFileLock(`${directory}/tokens.lock`, wait, async () => {
      await save(opener, at.edit(await loadOrNothing(opener)));
    });
  };
  const loadOrNothing = async (opener: CryptoKey): Promise<StoredTokens> => {
    try {
      return await load(opener);
    } catch (error) {
      missed("is damaged and starts anew", error);
      return {};
    }
  };
  const missed = (what: string, error: unknown) =>
    log.log("debug", `the access token cache ${what}`, {
      error: error instanceof Error ? error.name : "unknown",
    });
  const alive = (token: StoredToken) => token.expires_at - clock.now() > MARGIN_MS;

  return {
    async read(grant, call) {
      try {
        const opener = await key(call);
        if (opener === undefined) return undefined;
        const tokens = await load(opener);
        const found = Object.hasOwn(tokens, grant) ? tokens[grant] : undefined;
        if (found === undefined || !alive(found)) return undefined;
        if (found.generation !== await store.generation()) return undefined;
        return {
          token: secret(found.token),
          scopes: found.scopes,
          expiresAt: found.expires_at,
          subjectFingerprint: found.subject_fingerprint,
          generation: found.generation,
        };
      } catch (error) {
        call.signal.throwIfAborted();
        missed("cannot be read", error);
        return undefined;
      }
    },
    async write(grant, token, call) {
      try {
        let { generation } = token;
        let opener = await key(call);
        if (opener === undefined) {
          const before = await store.generation();
          opener = await keyOrNew(call);
          // Adding the cache's own key is no change to the grant the token came from.
          if (generation === before) generation = await store.generation();
        }
        await change(opener, {
          ...call,
          edit: (tokens) => ({
            ...Object.fromEntries(Object.entries(tokens).filter(([, one]) => alive(one))),
            [grant]: stored(token, generation),
          }),
        });
      } catch (error) {
        call.signal.throwIfAborted();
        missed("cannot be written", error);
      }
    },
    async drop(grant, call) {
      try {
        const opener = await key(call);
        if (opener === undefined) return await removeFile(path);
        await change(opener, {
          ...call,
          edit: (tokens) =>
            Object.fromEntries(Object.entries(tokens).filter(([name]) => name !== grant)),
        });
      } catch (error) {
        missed("is removed as a whole", error);
        await removeFile(path);
      }
    },
  };
}

function stored(token: CachedAccessToken, generation: string): StoredToken {
  return {
    token: token.token.reveal(),
    scopes: [...token.scopes],
    expires_at: token.expiresAt,
    subject_fingerprint: token.subjectFingerprint,
    generation,
  };
}

async function removeFile(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
