/** The vault file: its shape, its bounds, its encryption (spec 05 §3.3). */

import { jcs } from "../../../format/jcs.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../json/mod.ts";

/** How the key-encryption key is made. */
export type VaultKdf =
  | { name: "scrypt"; N: number; r: number; p: number; salt: string }
  | { name: "pbkdf2-sha256"; iterations: number; salt: string }
  | { name: "hkdf-sha256"; salt: string };

/** A ciphertext with its nonce, base64url. */
export interface Sealed {
  iv: string;
  ct: string;
}

/** A vault as it is on disk. */
export interface VaultFile {
  format: "gum-vault";
  version: 1;
  profile: string;
  kdf: VaultKdf;
  dek: Sealed;
  payload: Sealed;
  updated_at: string;
}

/** Entries by account name. */
export type VaultEntries = Readonly<Record<string, string>>;

/** The header cannot be that of a vault this program wrote. */
export class VaultCorrupt extends Error {
  override readonly name = "VaultCorrupt";
}

/** The key does not fit, or something was changed; the two look the same. */
export class VaultUnauthentic extends Error {
  override readonly name = "VaultUnauthentic";
}

/** Largest vault that is read. */
export const VAULT_LIMIT = 16 * 1024 * 1024;

const IV_BYTES = 12;
const SALT_BYTES = 16;
const DEK_BYTES = 32;
const TAG_BYTES = 16;
const MIN_ITERATIONS = 600_000;
const MAX_ITERATIONS = 10_000_000;

/** Fresh key-derivation parameters of a kind, at the strength of today. */
export function freshKdf(name: VaultKdf["name"]): VaultKdf {
  const salt = toText(crypto.getRandomValues(new Uint8Array(SALT_BYTES)));
  if (name === "scrypt") return { name, N: 32_768, r: 8, p: 3, salt };
  if (name === "pbkdf2-sha256") return { name, iterations: MIN_ITERATIONS, salt };
  return { name, salt };
}

/** Parses a vault and checks every bound. @throws VaultCorrupt */
export function parseVault(bytes: Uint8Array): VaultFile {
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new VaultCorrupt("it is not JSON", { cause });
  }
  if (!isJsonObject(parsed)) throw new VaultCorrupt("it is not an object");
  if (parsed.format !== "gum-vault" || parsed.version !== 1) {
    throw new VaultCorrupt("it is not a vault of version 1");
  }
  if (typeof parsed.profile !== "string" || typeof parsed.updated_at !== "string") {
    throw new VaultCorrupt("its header is incomplete");
  }
  return {
    format: "gum-vault",
    version: 1,
    profile: parsed.profile,
    kdf: checkedKdf(parsed.kdf),
    dek: checkedSealed(parsed.dek, DEK_BYTES + TAG_BYTES),
    payload: checkedSealed(parsed.payload),
    updated_at: parsed.updated_at,
  };
}

/** Bytes to write. */
export function vaultBytes(vault: VaultFile): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(vault, null, 2) + "\n");
}

// The bounds keep an edited header from weakening the derivation or from exhausting memory.
function checkedKdf(given: JsonValue | undefined): VaultKdf {
  if (!isJsonObject(given) || typeof given.salt !== "string") {
    throw new VaultCorrupt("its key derivation is not known");
  }
  const { name, salt } = given;
  checkedBytes(salt, SALT_BYTES);
  if (name === "hkdf-sha256") return { name, salt };
  if (name === "pbkdf2-sha256") {
    const { iterations } = given;
    if (!integerWithin(iterations, MIN_ITERATIONS, MAX_ITERATIONS)) {
      throw new VaultCorrupt("its iteration count is out of bounds");
    }
    return { name, iterations, salt };
  }
  if (name !== "scrypt") throw new VaultCorrupt("its key derivation is not known");
  const { N, r, p } = given;
  const sound = integerWithin(N, 2 ** 15, 2 ** 18) && Number.isInteger(Math.log2(N)) &&
    r === 8 && integerWithin(p, 1, 8);
  if (!sound) throw new VaultCorrupt("its scrypt parameters are out of bounds");
  return { name, N, r, p, salt };
}

function integerWithin(value: unknown, low: number, high: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= low && value <= high;
}

function checkedSealed(given: JsonValue | undefined, length?: number): Sealed {
  if (!isJsonObject(given) || typeof given.iv !== "string" || typeof given.ct !== "string") {
    throw new VaultCorrupt("a part of it is missing");
  }
  checkedBytes(given.iv, IV_BYTES);
  checkedBytes(given.ct, length);
  return { iv: given.iv, ct: given.ct };
}

function checkedBytes(text: string, length?: number): void {
  let bytes: Uint8Array;
  try {
    bytes = fromText(text);
  } catch (cause) {
    throw new VaultCorrupt("a part of it is not base64url", { cause });
  }
  if (length !== undefined ? bytes.length !== length : bytes.length < TAG_BYTES) {
    throw new VaultCorrupt("a part of it has the wrong length");
  }
}

/** A vault opened: the key of its payload and the header that key belongs to. */
export interface OpenVault {
  header: Pick<VaultFile, "kdf" | "dek">;
  kek: CryptoKey;
  dek: CryptoKey;
}

/** A new data key, wrapped by `kek`. */
export async function newDataKey(
  kek: CryptoKey,
  at: { profileName: string; kdf: VaultKdf },
): Promise<OpenVault> {
  const raw = crypto.getRandomValues(new Uint8Array(DEK_BYTES));
  try {
    const dek = await seal(kek, { plain: raw, aad: dekAad(at) });
    return { header: { kdf: at.kdf, dek }, kek, dek: await importAesKey(raw) };
  } finally {
    raw.fill(0);
  }
}

/** Unwraps the data key of a vault. @throws VaultUnauthentic */
export async function unwrapDataKey(
  kek: CryptoKey,
  at: { profileName: string; vault: Pick<VaultFile, "kdf" | "dek"> },
): Promise<OpenVault> {
  const { kdf, dek } = at.vault;
  const raw = await unseal(kek, { sealed: dek, aad: dekAad({ ...at, kdf }) });
  try {
    return { header: { kdf, dek }, kek, dek: await importAesKey(raw) };
  } finally {
    raw.fill(0);
  }
}

/** Encrypts entries under an opened vault's key, with a nonce of their own. */
export async function sealEntries(
  opened: OpenVault,
  given: { profileName: string; entries: VaultEntries; updatedAt: string },
): Promise<VaultFile> {
  const { kdf, dek } = opened.header;
  const plain = new TextEncoder().encode(JSON.stringify(given.entries));
  const aad = payloadAad({ profileName: given.profileName, kdf, dek });
  return {
    format: "gum-vault",
    version: 1,
    profile: given.profileName,
    kdf,
    dek,
    payload: await seal(opened.dek, { plain, aad }),
    updated_at: given.updatedAt,
  };
}

/** Decrypts the entries of a vault. @throws VaultUnauthentic, VaultCorrupt */
export async function unsealEntries(
  opened: OpenVault,
  at: { profileName: string; vault: VaultFile },
): Promise<VaultEntries> {
  const { kdf, dek, payload } = at.vault;
  const aad = payloadAad({ profileName: at.profileName, kdf, dek });
  const plain = await unseal(opened.dek, { sealed: payload, aad });
  let entries: unknown;
  try {
    entries = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(plain));
  } catch {
    // The parser's own error would quote what it read.
    throw new VaultCorrupt("its content is not JSON");
  }
  if (!isJsonObject(entries) || !Object.values(entries).every((one) => typeof one === "string")) {
    throw new VaultCorrupt("its content is not a table of texts");
  }
  return entries as Record<string, string>; // every value was just found to be a text
}

/** A raw 32-byte key for AES-256-GCM; the bytes cannot be read back. */
export async function importAesKey(raw: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt", "decrypt"]);
}

/** Encrypts with a fresh nonce. */
export async function seal(
  key: CryptoKey,
  given: { plain: Uint8Array<ArrayBuffer>; aad: Uint8Array<ArrayBuffer> },
): Promise<Sealed> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const ct = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv, additionalData: given.aad },
    key,
    given.plain,
  );
  return { iv: toText(iv), ct: toText(new Uint8Array(ct)) };
}

/** Decrypts and checks. @throws VaultUnauthentic */
export async function unseal(
  key: CryptoKey,
  given: { sealed: Sealed; aad: Uint8Array<ArrayBuffer> },
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const algorithm = {
      name: "AES-GCM",
      iv: fromText(given.sealed.iv),
      additionalData: given.aad,
    };
    return new Uint8Array(
      await crypto.subtle.decrypt(algorithm, key, fromText(given.sealed.ct)),
    );
  } catch (cause) {
    throw new VaultUnauthentic("the key does not fit, or the file was changed", { cause });
  }
}

// The profile is the reader's own, so a vault copied to another profile does not open.
function dekAad(of: { profileName: string; kdf: VaultKdf }): Uint8Array<ArrayBuffer> {
  return aadBytes({ format: "gum-vault", version: 1, profile: of.profileName, kdf: { ...of.kdf } });
}

function payloadAad(
  of: { profileName: string; kdf: VaultKdf; dek: Sealed },
): Uint8Array<ArrayBuffer> {
  return aadBytes({
    format: "gum-vault",
    version: 1,
    profile: of.profileName,
    kdf: { ...of.kdf },
    dek: { ...of.dek },
  });
}

function aadBytes(header: JsonObject): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(jcs(header));
}

/** Bytes as unpadded base64url. */
export function toText(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Bytes of a base64url text. @throws SyntaxError */
export function fromText(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.fromBase64(text, { alphabet: "base64url" });
}
