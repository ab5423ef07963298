/** Archives whose bytes depend on nothing but what is in them: order, times and owners are fixed. */

import { RELEASE_TIME } from "./targets.ts";

/** One file of an archive. */
export interface ArchiveEntry {
  /** Path inside, with `/`. */
  name: string;
  bytes: Uint8Array;
  executable?: boolean;
}

const BLOCK = 512;

/** A gzip-compressed POSIX archive; the entries come in the order given. */
export async function tarGz(entries: readonly ArchiveEntry[]): Promise<Uint8Array<ArrayBuffer>> {
  const parts: BlobPart[] = [];
  for (const entry of entries) {
    parts.push(header(entry), new Uint8Array(entry.bytes));
    parts.push(new Uint8Array((BLOCK - entry.bytes.length % BLOCK) % BLOCK));
  }
  parts.push(new Uint8Array(2 * BLOCK));
  const stream = new Blob(parts).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function header({ name, bytes, executable }: ArchiveEntry): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK);
  const encoder = new TextEncoder();
  const text = (value: string, at: number) => block.set(encoder.encode(value), at);
  const octal = (value: number, at: number, width: number) =>
    text(value.toString(8).padStart(width - 1, "0"), at);
  if (encoder.encode(name).length > 100) throw new Error(`name too long for an archive: ${name}`);
  text(name, 0);
  octal(executable ? 0o755 : 0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(bytes.length, 124, 12);
  octal(RELEASE_TIME, 136, 12);
  // The sum is taken with blanks in its own place.
  text(" ".repeat(8), 148);
  text("0", 156);
  text("ustar\0" + "00", 257);
  text("root", 265);
  text("root", 297);
  octal(block.reduce((sum, byte) => sum + byte, 0), 148, 7);
  block[154] = 0;
  return block;
}
