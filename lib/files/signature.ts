/** Telling whether a file is still the one that was read. */

/**
 * What changes with a file: its times, size, place and mode. Equal signatures mean an equal file,
 * short of a change within the same tick of the clock that keeps size and place.
 */
export function fileSignature({ mtime, ctime, size, ino, mode }: Deno.FileInfo): string {
  return [mtime?.getTime(), ctime?.getTime(), size, ino, mode].join(":");
}
