/** Appending lines to a file that several processes write. */

const NEWLINE = 10;

/** Looks at the end of the file before it counts as unfinished: a peer may be writing just now. */
const LOOKS = 3;

/**
 * Appends one whole line, its newline included, in one write. In append mode the lines of several
 * processes do not mix. A line that a dying process left unfinished is closed off first, so that it
 * cannot swallow this one; readers skip blank lines and lines that make no sense.
 *
 * @param file Opened with `read` and `append`.
 * @throws Error when the file took only a part, as a full disk does.
 */
export function appendLine(file: Deno.FsFile, line: Uint8Array): void {
  const whole = isUnfinished(file) ? withNewlineFirst(line) : line;
  const written = file.writeSync(whole);
  if (written < whole.length) throw new Error(`only ${written} of ${whole.length} bytes written`);
}

function isUnfinished(file: Deno.FsFile): boolean {
  const last = new Uint8Array(1);
  for (let look = 0; look < LOOKS; look++) {
    if (file.statSync().size === 0) return false;
    file.seekSync(-1, Deno.SeekMode.End);
    if (file.readSync(last) !== 1 || last[0] === NEWLINE) return false;
  }
  return true;
}

function withNewlineFirst(line: Uint8Array): Uint8Array {
  const whole = new Uint8Array(line.length + 1);
  whole[0] = NEWLINE;
  whole.set(line, 1);
  return whole;
}
