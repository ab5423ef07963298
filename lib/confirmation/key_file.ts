/** The signing key of one user, shared by profiles and processes (spec 02 §3.5). */

import { ensurePrivateDir, parentDir } from "../files/mod.ts";

const KEY_BYTES = 32;

/** A key file exists and cannot be used; it is never overwritten. */
export class SigningKeyUnusable extends Error {
  constructor(readonly path: string, why: string) {
    super(`the confirmation signing key ${path} ${why}`);
    this.name = "SigningKeyUnusable";
  }
}

/** Where the key came from. */
export type SigningKey =
  | { kind: "durable"; key: CryptoKey }
  | { kind: "ephemeral"; key: CryptoKey; why: string };

/**
 * Loads the key, creating it on first use. When the directory cannot be written at all the key
 * lives in this process only.
 *
 * @throws SigningKeyUnusable when a file is there but is a link, unreadable, or not 32 bytes.
 */
export async function loadSigningKey(path: string): Promise<SigningKey> {
  const existing = await readKey(path);
  if (existing !== undefined) return { kind: "durable", key: await importKey(existing) };
  try {
    await createKeyFile(path);
  } catch (error) {
    return { ...await ephemeralKey(), why: error instanceof Error ? error.message : `${error}` };
  }
  const created = await readKey(path);
  if (created === undefined) throw new SigningKeyUnusable(path, "disappeared while it was created");
  return { kind: "durable", key: await importKey(created) };
}

/** A key that no other process shares. */
export async function ephemeralKey(): Promise<{ kind: "ephemeral"; key: CryptoKey; why: string }> {
  const key = await importKey(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
  return { kind: "ephemeral", key, why: "no data directory" };
}

async function readKey(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  let found: Deno.FileInfo;
  try {
    found = await Deno.lstat(path);
  } catch (error) {
    // Below something that is no directory there is no file either.
    if (error instanceof Deno.errors.NotFound) return undefined;
    if (error instanceof Deno.errors.NotADirectory) return undefined;
    throw new SigningKeyUnusable(path, "cannot be inspected");
  }
  if (!found.isFile) throw new SigningKeyUnusable(path, "is not a regular file");
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    using file = await Deno.open(path, { read: true });
    const opened = await file.stat();
    // A link put in place between the two looks would lead to another file.
    if (opened.ino !== found.ino || opened.dev !== found.dev) {
      throw new SigningKeyUnusable(path, "changed while it was opened");
    }
    bytes = new Uint8Array(KEY_BYTES + 1);
    bytes = bytes.slice(0, await file.read(bytes) ?? 0);
  } catch (error) {
    if (error instanceof SigningKeyUnusable) throw error;
    throw new SigningKeyUnusable(path, "cannot be read");
  }
  if (bytes.length !== KEY_BYTES) {
    throw new SigningKeyUnusable(path, `does not hold ${KEY_BYTES} bytes`);
  }
  return bytes;
}

/**
 * Puts a complete key file in place unless one is there: linking a finished temporary file is the
 * exclusive step, so nobody can read half a key. Losing the race is fine.
 */
async function createKeyFile(path: string): Promise<void> {
  await ensurePrivateDir(parentDir(path));
  const temporary = `${path}.${crypto.getRandomValues(new Uint8Array(6)).toHex()}.tmp`;
  try {
    using file = await Deno.open(temporary, { write: true, createNew: true, mode: 0o600 });
    await file.write(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
    await file.sync();
    await Deno.link(temporary, path);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  } finally {
    await Deno.remove(temporary).catch(() => {/* never made, or already gone */});
  }
}

async function importKey(bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
}
