/** Hashes over bytes that pass by once. */

import { createHash } from "node:crypto";

/** Hashes of a body, computed while it streams. */
export interface StreamDigest {
  update(piece: Uint8Array): void;
  /** Lowercase hex. */
  sha256(): string;
  /** Lowercase hex; undefined when it was not asked for. */
  md5(): string | undefined;
  /** Base64 of the big-endian value, as `X-Goog-Hash` carries it. */
  crc32c(): string | undefined;
}

/** What to compute beside SHA-256. */
export interface DigestChoice {
  md5?: boolean;
  crc32c?: boolean;
}

/** Starts a digest. Each result may be taken once, at the end. */
export function streamDigest(choice: DigestChoice = {}): StreamDigest {
  const sha256 = createHash("sha256");
  const md5 = choice.md5 ? createHash("md5") : undefined;
  let crc = choice.crc32c ? 0xffffffff : undefined;
  return {
    update(piece) {
      sha256.update(piece);
      md5?.update(piece);
      if (crc !== undefined) crc = advanceCrc32c(crc, piece);
    },
    sha256: () => sha256.digest("hex"),
    md5: () => md5?.digest("hex"),
    crc32c() {
      if (crc === undefined) return undefined;
      const bytes = new Uint8Array(4);
      new DataView(bytes.buffer).setUint32(0, (crc ^ 0xffffffff) >>> 0);
      return bytes.toBase64();
    },
  };
}

let table: Uint32Array | undefined;

/** CRC-32C (Castagnoli); neither Web Crypto nor Node has it. */
function advanceCrc32c(crc: number, piece: Uint8Array): number {
  table ??= Uint32Array.from({ length: 256 }, (_, index) => {
    let value = index;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
    return value >>> 0;
  });
  let current = crc;
  // `?? 0` never happens: the index has eight bits.
  for (const byte of piece) current = (current >>> 8) ^ (table[(current ^ byte) & 0xff] ?? 0);
  return current >>> 0;
}

/** Checksums that a service vouches for. */
export interface Checksums {
  /** Lowercase hex. */
  md5?: string;
  /** Base64. */
  crc32c?: string;
  /** Lowercase hex. */
  sha256?: string;
}

/** Reads `X-Goog-Hash: crc32c=…,md5=…`, both forms in base64. */
export function checksumsOf(headers: Headers): Checksums {
  const found: Checksums = {};
  for (const entry of (headers.get("x-goog-hash") ?? "").split(",")) {
    const equals = entry.indexOf("=");
    const value = entry.slice(equals + 1).trim();
    const name = entry.slice(0, Math.max(0, equals)).trim().toLowerCase();
    if (name === "crc32c") found.crc32c = value;
    if (name === "md5") found.md5 = hexOfBase64(value);
  }
  return found;
}

function hexOfBase64(text: string): string | undefined {
  try {
    return Uint8Array.fromBase64(text).toHex();
  } catch {
    return undefined; // a checksum that cannot be read proves nothing
  }
}
