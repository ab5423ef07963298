/** Issues, verifies and spends tokens (spec 02 §3.5). */

import { type Clock, rfc3339 } from "../clock/mod.ts";
import type { ConfirmationBinding, ConfirmationService, VerifiedToken } from "../dispatch/types.ts";
import { GumError } from "../errors/mod.ts";
import { defaultLogger, type Logger } from "../log/mod.ts";
import { ephemeralKey, loadSigningKey, type SigningKey, SigningKeyUnusable } from "./key_file.ts";
import { createFileReplayStore, createMemoryReplayStore, type ReplayStore } from "./replay.ts";
import { bindingHash, equalHex, isKnownPurpose, sign, splitToken, TOKEN_TTL_MS } from "./token.ts";

/** What the service is made from. */
export interface ConfirmationOptions {
  /** Account profile name; bound into every token. */
  profileName: string;
  /** Base data directory; files live below `<dataDir>/gum`. Absent: key and markers in memory. */
  dataDir?: string;
  clock: Clock;
  log?: Logger;
}

/** Makes the service. The key is read or created on first use. */
export function createConfirmationService(options: ConfirmationOptions): ConfirmationService {
  const { clock, profileName } = options;
  const log = options.log ?? defaultLogger();
  const root = options.dataDir === undefined ? undefined : `${options.dataDir}/gum`;
  const inMemory = createMemoryReplayStore();
  const onDisk = root === undefined
    ? undefined
    : createFileReplayStore(`${root}/${profileName}/confirmation-replay`);
  let loading: Promise<SigningKey> | undefined;
  const load = async (): Promise<{ key: CryptoKey; markers: ReplayStore }> => {
    loading ??= root === undefined
      ? ephemeralKey()
      : loadSigningKey(`${root}/confirmation-signing.key`).then((loaded) => {
        if (loaded.kind === "ephemeral") {
          log.log("warn", "confirmation key kept in memory only", { reason: loaded.why });
        }
        return loaded;
      });
    try {
      const { kind, key } = await loading;
      // A key that no other process has makes tokens that no other process can use.
      return { key, markers: kind === "durable" ? onDisk ?? inMemory : inMemory };
    } catch (error) {
      loading = undefined; // a repaired file is picked up without a restart
      throw error;
    }
  };
  return {
    async issue(binding) {
      const { key } = await load().catch((error) => {
        throw error instanceof SigningKeyUnusable ? keyUnavailable(error, binding) : error;
      });
      const issuedMs = clock.now();
      const expiresMs = issuedMs + TOKEN_TTL_MS;
      const nonce = crypto.getRandomValues(new Uint8Array(16)).toHex();
      const hash = await bindingHash(binding, profileName);
      const signed = `v1.${issuedMs}.${expiresMs}.${nonce}.${binding.purpose}.${hash}`;
      return { token: `${signed}.${await sign(signed, key)}`, expiresAt: rfc3339(expiresMs) };
    },
    async verify(token, binding) {
      const refuse = (reason: RefusalReason) => refusal(reason, binding.opId);
      if (token === undefined || token === "") throw refuse("missing");
      const fields = splitToken(token);
      if (fields === undefined) throw refuse("missing");
      // Before any MAC work, so that a forger learns nothing about the key.
      if (!isKnownPurpose(fields.purpose)) throw refuse("unknown_purpose");
      if (clock.now() > fields.expiresMs) throw refuse("expired");
      if (!isHex64(fields.binding) || !isHex64(fields.mac)) throw refuse("mismatch");
      if (fields.purpose !== binding.purpose) throw refuse("mismatch");
      const { key, markers } = await load().catch((error) => {
        // Without the key nothing can have been signed with it.
        throw error instanceof SigningKeyUnusable ? refuse("mismatch") : error;
      });
      if (!equalHex(await sign(fields.signed, key), fields.mac)) throw refuse("mismatch");
      if (!equalHex(await bindingHash(binding, profileName), fields.binding)) {
        throw refuse("mismatch");
      }
      // A token of a clock that ran ahead would otherwise hold until time has caught up with it.
      if (fields.expiresMs - clock.now() > 2 * TOKEN_TTL_MS) throw refuse("expired");
      const spent = await markers.isSpent(fields.mac).catch((error) => {
        log.log("warn", "confirmation markers unusable", { reason: `${error}` });
        throw refuse("replay_store_unavailable");
      });
      if (spent) throw refuse("replayed");
      return { mac: fields.mac, expiresMs: fields.expiresMs, opId: binding.opId };
    },
    async spend(verified: VerifiedToken) {
      const { mac, expiresMs, opId } = verified;
      const { markers } = await load();
      const first = await markers.spend({ mac, expiresMs, now: clock.now() }).catch((error) => {
        log.log("warn", "confirmation markers unusable", { reason: `${error}` });
        throw refusal("replay_store_unavailable", opId);
      });
      if (!first) throw refusal("replayed", opId);
    },
  };
}

type RefusalReason =
  | "missing"
  | "unknown_purpose"
  | "expired"
  | "mismatch"
  | "replayed"
  | "replay_store_unavailable";

const REFUSALS: Readonly<Record<RefusalReason, string>> = {
  missing: "no usable confirmation token was given",
  unknown_purpose: "the confirmation token names an unknown purpose",
  expired: "the confirmation token is past its time, or of another time altogether",
  mismatch: "the confirmation token belongs to another call",
  replayed: "the confirmation token was used before",
  replay_store_unavailable: "used confirmation tokens cannot be recorded, so none is accepted",
};

function refusal(reason: RefusalReason, opId: string): GumError {
  return new GumError("CONFIRMATION_TOKEN_INVALID", {
    message: REFUSALS[reason],
    details: { reason, op_id: opId },
  });
}

function keyUnavailable(error: SigningKeyUnusable, binding: ConfirmationBinding): GumError {
  return new GumError("REQUIRES_CONFIRMATION", {
    message: `${binding.opId} needs a confirmation, and no token can be issued`,
    details: { reason: "signing_key_unavailable", op_id: binding.opId },
    userMessage: "Nothing was done: the key that signs confirmations cannot be used.",
    suggestion: `Check the file ${error.path}, or move it away to get a new key.`,
    cause: error,
  });
}

function isHex64(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}
