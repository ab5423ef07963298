/** Gzip through the platform's streams, with a bound on what comes out. */

/** The output would be larger than allowed. */
export class GunzipTooLarge extends Error {
  constructor(limit: number) {
    super(`more than ${limit} bytes after decompression`);
    this.name = "GunzipTooLarge";
  }
}

/** Compresses bytes. Written to directly: piping a blob through costs more than the compression. */
export async function gzip(bytes: Uint8Array): Promise<Uint8Array> {
  const { readable, writable } = new CompressionStream("gzip");
  const writer = writable.getWriter();
  const written = writer.write(bytes as Uint8Array<ArrayBuffer>).then(() => writer.close());
  const [packed] = await Promise.all([new Response(readable).bytes(), written]);
  return packed;
}

/** Decompresses bytes, stopping as soon as the output passes `limit`. */
export async function gunzip(
  bytes: Uint8Array,
  options: { limit: number },
): Promise<Uint8Array> {
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream()
    .pipeThrough(new DecompressionStream("gzip"));
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let total = 0;
  for await (const chunk of stream) {
    total += chunk.byteLength;
    if (total > options.limit) throw new GunzipTooLarge(options.limit);
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
