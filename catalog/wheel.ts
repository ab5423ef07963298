/** Reading members of a zip archive (a Python wheel): central directory, stored and deflated. */

/** One file of an archive. */
export interface ZipMember {
  name: string;
  read(): Promise<Uint8Array>;
}

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;

/** Lists the members of a zip archive held in memory; throws on anything that is not one. */
export function zipMembers(archive: Uint8Array<ArrayBuffer>): ZipMember[] {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  let end = archive.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== END_OF_DIRECTORY) end--;
  if (end < 0) throw new TypeError("not a zip archive");
  const count = view.getUint16(end + 10, true);
  const members: ZipMember[] = [];
  let offset = view.getUint32(end + 16, true);
  for (let index = 0; index < count; index++) {
    if (view.getUint32(offset, true) !== DIRECTORY_ENTRY) throw new TypeError("broken zip archive");
    const method = view.getUint16(offset + 10, true);
    const size = view.getUint32(offset + 20, true);
    const nameLength = view.getUint16(offset + 28, true);
    const start = view.getUint32(offset + 42, true);
    const name = new TextDecoder().decode(archive.subarray(offset + 46, offset + 46 + nameLength));
    members.push({
      name,
      read: async () => {
        const data = start + 30 + view.getUint16(start + 26, true) +
          view.getUint16(start + 28, true);
        const bytes = archive.subarray(data, data + size);
        if (method === 0) return bytes;
        if (method !== 8) throw new TypeError(`${name}: compression ${method} is not supported`);
        const inflated = new Blob([bytes]).stream().pipeThrough(
          new DecompressionStream("deflate-raw"),
        );
        return new Uint8Array(await new Response(inflated).arrayBuffer());
      },
    });
    offset += 46 + nameLength + view.getUint16(offset + 30, true) +
      view.getUint16(offset + 32, true);
  }
  return members;
}
