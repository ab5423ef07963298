/** The secret that makes artifact names unguessable (spec 03 §3.14). */

import { GumError } from "../errors/mod.ts";
import {
  ensurePrivateDir,
  fileSignature,
  isAbsent,
  withFileLock,
  writeFileAtomic,
} from "../files/mod.ts";

const SECRET_BYTES = 32;
const FORMAT = /^[0-9a-f]{64}\n?$/;
const LOCK_WAIT_MS = 5_000;

/**
 * The stored secret; undefined when none was written yet. Writes nothing.
 *
 * @throws GumError `TEE_SECRET_CORRUPT` when the file is there and unusable.
 */
export async function readTeeSecret(directory: string): Promise<Uint8Array | undefined> {
  const path = secretPath(directory);
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (cause) {
    if (isAbsent(cause)) return undefined;
    throw corrupt(path, { reason: "unreadable", cause });
  }
  if (text === "") throw corrupt(path, { reason: "empty" });
  if (!FORMAT.test(text)) throw corrupt(path, { reason: "malformed" });
  return Uint8Array.fromHex(text.trimEnd());
}

/** The secret of a directory, read again only when its file changed: every call asks for it. */
export interface TeeSecret {
  /** As {@link readTeeSecret}. */
  read(): Promise<Uint8Array | undefined>;
  /** As {@link ensureTeeSecret}. */
  ensure(): Promise<Uint8Array>;
}

/** Opens the secret of a directory; nothing is read or written yet. */
export function openTeeSecret(directory: string): TeeSecret {
  let known: { signature: string; secret: Uint8Array } | undefined;
  const read = async () => {
    // Looked at before it is read: a change in between is seen by the next call.
    const signature = signatureOf(secretPath(directory));
    if (signature !== undefined && signature === known?.signature) return known.secret;
    const secret = await readTeeSecret(directory);
    known = signature === undefined || secret === undefined ? undefined : { signature, secret };
    return secret;
  };
  return { read, ensure: async () => await read() ?? await ensureTeeSecret(directory) };
}

/** What changes with a file; undefined when it cannot be looked at, which reading it will explain. */
function signatureOf(path: string): string | undefined {
  try {
    return fileSignature(Deno.statSync(path));
  } catch {
    return undefined; // not there or not readable: the reader says which
  }
}

/** The secret, made on first use. Two processes that start together end up with the same one. */
export async function ensureTeeSecret(directory: string): Promise<Uint8Array> {
  const existing = await readTeeSecret(directory);
  if (existing !== undefined) return existing;
  await ensurePrivateDir(directory);
  const path = secretPath(directory);
  return await withFileLock(`${path}.lock`, { timeoutMs: LOCK_WAIT_MS }, async () => {
    const written = await readTeeSecret(directory);
    if (written !== undefined) return written;
    const secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
    await writeFileAtomic(path, new TextEncoder().encode(`${secret.toHex()}\n`), { mode: 0o600 });
    return secret;
  });
}

function secretPath(directory: string): string {
  return `${directory}/tee.secret`;
}

function corrupt(path: string, fault: { reason: string; cause?: unknown }): GumError {
  return new GumError("TEE_SECRET_CORRUPT", {
    message: `the artifact secret ${path} is ${fault.reason}`,
    details: { path, reason: fault.reason },
    userMessage: "The secret that names saved results cannot be used.",
    suggestion: `Remove or rename ${path}. It is made anew on the next use, and links to results ` +
      "saved before stop working.",
    cause: fault.cause,
  });
}
