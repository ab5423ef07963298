/** Where a vault's key comes from, and how a key-encryption key is made of it (spec 05 §3.3). */

import type { Environment } from "../../../config/environment.ts";
import type { Secret } from "../../../dispatch/types.ts";
import { secret } from "../../secret.ts";
import { readTrustedFile, UntrustedFile } from "../trusted_file.ts";
import type { PassphrasePrompt } from "../types.ts";
import { fromText, importAesKey, type VaultKdf } from "./file_format.ts";

const INFO = new TextEncoder().encode("gum-vault-kek-v1");
const PASSPHRASE_FILE_LIMIT = 64 * 1024;

/** Shortest passphrase a new vault takes. */
export const SHORTEST_PASSPHRASE = 12;

/** What opens a vault. */
export type VaultKeyMaterial =
  | { kind: "raw"; key: Secret }
  | { kind: "passphrase"; text: Secret };

/** The source is set and cannot be used. Its message holds no secret. */
export class VaultKeyProblem extends Error {
  override readonly name = "VaultKeyProblem";
  /** What helps, where it is not giving the vault a key at all. */
  readonly suggestion?: string;

  constructor(message: string, options: { cause?: unknown; suggestion?: string } = {}) {
    super(message, options);
    this.suggestion = options.suggestion;
  }
}

/** Where the key may come from. */
export interface VaultKeySources {
  environment: Environment;
  profileName: string;
  prompt?: PassphrasePrompt;
}

/** True when a variable gives the key, so that nobody has to be asked. */
export function keySourceConfigured(environment: Environment): boolean {
  return ["GUM_VAULT_KEY", "GUM_VAULT_PASSPHRASE"].some((name) =>
    environment.take(name as "GUM_VAULT_KEY" | "GUM_VAULT_PASSPHRASE") !== undefined
  ) || environment.text("GUM_VAULT_PASSPHRASE_FILE") !== undefined;
}

/**
 * The key of the first source that is set; undefined when there is none and nobody answered.
 *
 * @throws VaultKeyProblem
 */
export async function vaultKeyMaterial(
  sources: VaultKeySources,
  request: { purpose: "unlock" | "create"; signal: AbortSignal },
): Promise<VaultKeyMaterial | undefined> {
  const { environment } = sources;
  const raw = environment.take("GUM_VAULT_KEY");
  if (raw !== undefined) return { kind: "raw", key: secret(checkedRawKey(raw)) };
  const text = environment.take("GUM_VAULT_PASSPHRASE");
  if (text !== undefined) return { kind: "passphrase", text: secret(text) };
  const path = environment.text("GUM_VAULT_PASSPHRASE_FILE");
  if (path !== undefined) return { kind: "passphrase", text: await passphraseFrom(path) };
  const { purpose, signal } = request;
  const typed = await sources.prompt?.({ profileName: sources.profileName, purpose }, signal);
  return typed === undefined ? undefined : { kind: "passphrase", text: typed };
}

function checkedRawKey(text: string): string {
  let length: number;
  try {
    length = fromText(text.trim()).length;
  } catch {
    length = 0; // The decoder's error could quote the key.
  }
  if (length !== 32) {
    throw new VaultKeyProblem("GUM_VAULT_KEY is not 32 bytes written in base64url");
  }
  return text.trim();
}

async function passphraseFrom(path: string): Promise<Secret> {
  try {
    const bytes = await readTrustedFile(path, {
      limit: PASSPHRASE_FILE_LIMIT,
      looseMode: "refuse",
    });
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r?\n$/, "");
    if (text === "") throw new VaultKeyProblem("the file of GUM_VAULT_PASSPHRASE_FILE is empty");
    return secret(text);
  } catch (cause) {
    if (cause instanceof VaultKeyProblem) throw cause;
    if (cause instanceof UntrustedFile) {
      throw new VaultKeyProblem(
        `the file of GUM_VAULT_PASSPHRASE_FILE is refused: ${cause.problem}`,
        {
          cause,
          suggestion: "Make it a file of this user alone (`chmod 600`, no link). A secret that a " +
            "container mounts for everybody can be given as text: " +
            'GUM_VAULT_PASSPHRASE="$(cat <file>)" gum …',
        },
      );
    }
    throw new VaultKeyProblem("the file of GUM_VAULT_PASSPHRASE_FILE cannot be read", { cause });
  }
}

/** The derivation a new vault gets for a kind of key. */
export function kdfFor(
  material: VaultKeyMaterial,
  wanted: "scrypt" | "pbkdf2-sha256",
): VaultKdf["name"] {
  return material.kind === "raw" ? "hkdf-sha256" : wanted;
}

/**
 * Derives the key-encryption key.
 *
 * @throws VaultKeyProblem when the vault wants the other kind of key.
 */
export async function deriveKek(material: VaultKeyMaterial, kdf: VaultKdf): Promise<CryptoKey> {
  const salt = fromText(kdf.salt);
  if (kdf.name === "hkdf-sha256") {
    if (material.kind !== "raw") {
      throw new VaultKeyProblem("this vault is opened by GUM_VAULT_KEY, not by a passphrase");
    }
    const base = await importBits("HKDF", fromText(material.key.reveal()));
    return await derivedKey({ name: "HKDF", hash: "SHA-256", salt, info: INFO }, base);
  }
  if (material.kind !== "passphrase") {
    throw new VaultKeyProblem("this vault is opened by a passphrase, not by GUM_VAULT_KEY");
  }
  const passphrase = new TextEncoder().encode(material.text.reveal());
  if (kdf.name === "pbkdf2-sha256") {
    const { iterations } = kdf;
    const base = await importBits("PBKDF2", passphrase);
    return await derivedKey({ name: "PBKDF2", hash: "SHA-256", salt, iterations }, base);
  }
  const raw = await scryptBytes(passphrase, { ...kdf, salt });
  try {
    return await importAesKey(raw);
  } finally {
    raw.fill(0);
  }
}

async function importBits(
  name: "HKDF" | "PBKDF2",
  bytes: Uint8Array<ArrayBuffer>,
): Promise<CryptoKey> {
  try {
    return await crypto.subtle.importKey("raw", bytes, name, false, ["deriveKey"]);
  } finally {
    bytes.fill(0);
  }
}

async function derivedKey(
  algorithm: HkdfParams | Pbkdf2Params,
  base: CryptoKey,
): Promise<CryptoKey> {
  const aes = { name: "AES-GCM", length: 256 };
  return await crypto.subtle.deriveKey(algorithm, base, aes, false, ["encrypt", "decrypt"]);
}

async function scryptBytes(
  passphrase: Uint8Array,
  cost: { N: number; r: number; p: number; salt: Uint8Array },
): Promise<Uint8Array<ArrayBuffer>> {
  const { N, r, p, salt } = cost;
  // Web Crypto has no scrypt.
  const { scrypt } = await import("node:crypto");
  // The default limit is below what these parameters need.
  const maxmem = 128 * N * r * 2 + 128 * r * p;
  return await new Promise((resolve, reject) => {
    scrypt(passphrase, salt, 32, { N, r, p, maxmem }, (error, key) => {
      passphrase.fill(0);
      if (error === null) resolve(new Uint8Array(key));
      else reject(error);
    });
  });
}
