/**
 * Reads a whole file, but never more than was agreed: a device or a pipe has no size to ask for.
 *
 * @module
 */

/**
 * The bytes of a file.
 *
 * @throws RangeError when it holds more than `limit` bytes.
 */
export async function readBounded(
  path: string,
  limit: number,
): Promise<Uint8Array<ArrayBuffer>> {
  using file = await Deno.open(path, { read: true });
  const { isFile, size } = await file.stat();
  if (isFile && size > limit) throw tooLarge(path, limit);
  return await readOpened(file, { path, size, limit });
}

/**
 * The bytes of a file that was opened and looked at already.
 *
 * @throws RangeError when it holds more than `limit` bytes.
 */
export async function readOpened(
  file: Deno.FsFile,
  { path, size, limit }: { path: string; size: number; limit: number },
): Promise<Uint8Array<ArrayBuffer>> {
  // Its `readable` and a `Response` would load the web platform's streams: milliseconds.
  let bytes = new Uint8Array(Math.min(size, limit) + 1);
  let length = 0;
  for (;;) {
    const count = await file.read(bytes.subarray(length));
    if (count === null) return bytes.subarray(0, length);
    length += count;
    if (length > limit) throw tooLarge(path, limit);
    if (length < bytes.length) continue;
    const larger = new Uint8Array(Math.min(Math.max(bytes.length * 2, 65_536), limit + 1));
    larger.set(bytes);
    bytes = larger;
  }
}

function tooLarge(path: string, limit: number): RangeError {
  return new RangeError(`${path} is larger than ${limit} bytes`);
}
