/**
 * Entries over a backend: values as ASCII text, long ones in parts (spec 05 §3.3, "Encoding").
 *
 * Parts exist because macOS and Windows cap the length of one item below that of a grant with many
 * scopes. The head of an entry is written after its parts and names them by digest, so an
 * interrupted write leaves the old value readable.
 */

import { sha256Hex } from "../../digest/mod.ts";
import type { Secret } from "../../dispatch/types.ts";
import { defaultLogger, type Logger } from "../../log/mod.ts";
import { secret } from "../secret.ts";
import type { CredentialBackend, CredentialEntries, StoreCall } from "./types.ts";

const TEXT_PREFIX = "gum1:";
const HEAD = /^gum-parts:v1:([0-9a-f]{8}):([1-9][0-9]{0,3}):([0-9a-f]{64})$/;
const TORN_READS = 3;

interface PartsHead {
  generation: string;
  count: number;
  digest: string;
}

/** Entries kept by `backend`. The caller holds the write lock around `set` and `delete`. */
export function entriesOver(
  backend: CredentialBackend,
  options: { log?: Logger } = {},
): CredentialEntries {
  const log = options.log ?? defaultLogger();

  const joined = async (
    account: string,
    at: { head: PartsHead; call: StoreCall },
  ): Promise<string | undefined> => {
    let whole = "";
    for (let index = 0; index < at.head.count; index++) {
      whole += await backend.get(partName(account, { ...at.head, index }), at.call) ?? "";
    }
    return await sha256Hex(whole) === at.head.digest ? whole : undefined;
  };

  const removeParts = async (account: string, at: { head: PartsHead; call: StoreCall }) => {
    for (let index = 0; index < at.head.count; index++) {
      try {
        await backend.delete(partName(account, { ...at.head, index }), at.call);
      } catch (error) {
        // Nothing refers to the part any more; all it costs is room.
        log.log("warn", "a part of a replaced credential stays behind", {
          account,
          error: error instanceof Error ? error.name : "unknown",
        });
      }
    }
  };

  return {
    async get(account, call) {
      for (let attempt = 0; attempt < TORN_READS; attempt++) {
        const stored = await backend.get(account, call);
        if (stored === null) return null;
        const head = partsHead(stored);
        const whole = head === undefined ? stored : await joined(account, { head, call });
        // A mismatch may be a write in between: then the head has changed and the new parts fit.
        if (whole !== undefined) return decoded(whole, { account, log });
      }
      log.log("warn", "a stored credential is damaged and counts as absent", { account });
      return null;
    },
    async set(account, value, call) {
      const encoded = encodedText(value.reveal());
      const previous = partsHead(await backend.get(account, call) ?? "");
      if (encoded.length <= backend.longestValue) {
        await backend.set(account, encoded, call);
      } else {
        const generation = crypto.getRandomValues(new Uint8Array(4)).toHex();
        const parts = slices(encoded, backend.longestValue);
        for (const [index, part] of parts.entries()) {
          await backend.set(partName(account, { generation, index }), part, call);
        }
        const digest = await sha256Hex(encoded);
        await backend.set(account, `gum-parts:v1:${generation}:${parts.length}:${digest}`, call);
      }
      if (previous !== undefined) await removeParts(account, { head: previous, call });
    },
    async delete(account, call) {
      const previous = partsHead(await backend.get(account, call) ?? "");
      await backend.delete(account, call);
      if (previous !== undefined) await removeParts(account, { head: previous, call });
    },
  };
}

/** The text that is stored for a value. */
export function encodedText(value: string): string {
  return TEXT_PREFIX +
    new TextEncoder().encode(value).toBase64({ alphabet: "base64url", omitPadding: true });
}

function decoded(stored: string, at: { account: string; log: Logger }): Secret | null {
  if (!stored.startsWith(TEXT_PREFIX)) return secret(stored);
  try {
    const bytes = Uint8Array.fromBase64(stored.slice(TEXT_PREFIX.length), {
      alphabet: "base64url",
    });
    return secret(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    // The decoder's own error could quote the value.
    at.log.log("warn", "a stored credential is damaged and counts as absent", {
      account: at.account,
    });
    return null;
  }
}

function partsHead(stored: string): PartsHead | undefined {
  const [, generation, count, digest] = HEAD.exec(stored) ?? [];
  if (generation === undefined || count === undefined || digest === undefined) return undefined;
  return { generation, count: Number(count), digest };
}

function partName(account: string, part: { generation: string; index: number }): string {
  return `${account}.~${part.generation}.${part.index}`;
}

function slices(text: string, length: number): string[] {
  const parts = [];
  for (let start = 0; start < text.length; start += length) {
    parts.push(text.slice(start, start + length));
  }
  return parts;
}
