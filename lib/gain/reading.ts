/** Reading a ledger from its newest line to its oldest, in bounded memory (spec 07 §3.14). */

/** Where a line lies; valid only until the visit returns. Its newline is not part of it. */
export interface LinePlace {
  start: number;
  end: number;
}

const CHUNK = 256 * 1024;
const NEWLINE = 10;

/**
 * Shows every finished line of the files, last file and last line first. A last line without its
 * end is skipped, and so are empty ones. One buffer serves all lines.
 */
export function visitBackwards(
  paths: readonly string[],
  visit: (bytes: Uint8Array, line: LinePlace) => void,
): void {
  let buffer = new Uint8Array(2 * CHUNK);
  for (const path of paths.toReversed()) {
    using file = Deno.openSync(path, { read: true });
    let end = lastLineEnd(file);
    /** Bytes at the buffer's beginning that belong to a line which begins earlier in the file. */
    let tail = 0;
    while (end > 0) {
      const start = Math.max(0, end - CHUNK);
      const count = end - start;
      if (count + tail > buffer.length) {
        const larger = new Uint8Array(2 * (count + tail));
        larger.set(buffer.subarray(0, tail));
        buffer = larger;
      }
      buffer.copyWithin(count, 0, tail);
      readFully(file, { start, into: buffer.subarray(0, count) });
      end = start;
      // Before the first newline there may be the end of a line; the next chunk has its beginning.
      const cut = start === 0 ? 0 : buffer.subarray(0, count + tail).indexOf(NEWLINE) + 1;
      if (start > 0 && cut === 0) {
        tail += count;
        continue;
      }
      visitLines(buffer, { start: cut, end: count + tail }, visit);
      tail = cut;
    }
  }
}

/** The lines of a region that ends with a newline, the last one first. */
function visitLines(
  buffer: Uint8Array,
  region: LinePlace,
  visit: (bytes: Uint8Array, line: LinePlace) => void,
): void {
  const line = { start: 0, end: 0 };
  for (let end = region.end - 1; end >= region.start;) {
    let start = end;
    while (start > region.start && buffer[start - 1] !== NEWLINE) start--;
    if (start < end) {
      line.start = start;
      line.end = end;
      visit(buffer, line);
    }
    end = start - 1;
  }
}

/** Where the last finished line ends: what comes after is still being written, or never will be. */
function lastLineEnd(file: Deno.FsFile): number {
  let end = file.statSync().size;
  while (end > 0) {
    const start = Math.max(0, end - CHUNK);
    const bytes = new Uint8Array(end - start);
    readFully(file, { start, into: bytes });
    const newline = bytes.lastIndexOf(NEWLINE);
    if (newline >= 0) return start + newline + 1;
    end = start;
  }
  return 0;
}

function readFully(file: Deno.FsFile, place: { start: number; into: Uint8Array }): void {
  file.seekSync(place.start, Deno.SeekMode.Start);
  for (let at = 0; at < place.into.length;) {
    const count = file.readSync(place.into.subarray(at));
    if (count === null) {
      // Cut short while it was read: nothing of an earlier chunk may be taken for its content.
      place.into.fill(NEWLINE, at);
      break;
    }
    at += count;
  }
}
