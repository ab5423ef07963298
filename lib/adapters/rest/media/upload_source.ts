/** The bytes of an upload, chunk by chunk: a file that can be read again, or a stream that cannot. */

import { openRegular } from "./media_files.ts";

/** One chunk. */
export interface SourceChunk {
  offset: number;
  bytes: Uint8Array<ArrayBuffer>;
  /** No byte follows. */
  last: boolean;
}

/** Gives chunks at growing offsets; going back is possible as far as the source allows. */
export interface UploadSource extends AsyncDisposable {
  /** Total size; undefined until the end of a stream was seen. */
  readonly size: number | undefined;
  /**
   * The chunk at `offset`, valid until the next call. Undefined when those bytes cannot be read
   * again.
   */
  chunkAt(offset: number): Promise<SourceChunk | undefined>;
}

/** A file of known size. */
export async function fileSource(
  path: string,
  options: { size: number; chunkBytes: number },
): Promise<UploadSource> {
  const { size, chunkBytes } = options;
  const file = await openRegular(path);
  const buffer = new Uint8Array(Math.min(chunkBytes, size));
  return {
    size,
    async chunkAt(offset) {
      await file.seek(offset, Deno.SeekMode.Start);
      let filled = 0;
      while (filled < buffer.length) {
        const count = await file.read(buffer.subarray(filled));
        if (count === null) break;
        filled += count;
      }
      const bytes = buffer.subarray(0, Math.min(filled, size - offset));
      return { offset, bytes, last: offset + bytes.length >= size };
    },
    [Symbol.asyncDispose]() {
      file.close();
      return Promise.resolve();
    },
  };
}

const begunStreams = new WeakSet<AsyncIterable<Uint8Array>>();

/** Whether something was read from a stream already, so that what is left is not the whole. */
export function isBegun(input: AsyncIterable<Uint8Array>): boolean {
  return begunStreams.has(input);
}

/**
 * A stream of unknown size. It keeps one chunk, so a service that lost part of it can be given that
 * part again, and looks one piece ahead, so that the last chunk is known as such.
 */
export function streamSource(
  input: AsyncIterable<Uint8Array>,
  options: { chunkBytes: number },
): UploadSource {
  const { chunkBytes } = options;
  // Opened with the first read: an attempt that ends before it leaves the stream whole.
  let pieces: AsyncIterator<Uint8Array> | undefined;
  const buffer = new Uint8Array(chunkBytes);
  let start = 0;
  let filled = 0;
  let pending: Uint8Array = new Uint8Array();
  let ended = false;

  const pull = async () => {
    while (pending.length === 0 && !ended) {
      begunStreams.add(input);
      pieces ??= input[Symbol.asyncIterator]();
      const next = await pieces.next();
      if (next.done) ended = true;
      else pending = next.value;
    }
  };
  const fill = async () => {
    for (;;) {
      await pull();
      if (pending.length === 0 || filled === buffer.length) return;
      const taken = pending.subarray(0, buffer.length - filled);
      buffer.set(taken, filled);
      filled += taken.length;
      pending = pending.subarray(taken.length);
    }
  };
  return {
    get size() {
      return ended && pending.length === 0 ? start + filled : undefined;
    },
    async chunkAt(offset) {
      if (offset < start || offset > start + filled) return undefined;
      buffer.copyWithin(0, offset - start, filled);
      filled -= offset - start;
      start = offset;
      await fill();
      return {
        offset,
        bytes: buffer.subarray(0, filled),
        last: ended && pending.length === 0,
      };
    },
    async [Symbol.asyncDispose]() {
      await pieces?.return?.();
    },
  };
}
