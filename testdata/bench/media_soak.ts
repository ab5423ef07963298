/**
 * Memory of large transfers: `deno run -P=test testdata/bench/media_soak.ts [MiB]` (default 2048).
 *
 * A peer in a process of its own invents the bytes of a download and swallows those of an upload, so
 * that the figures are those of the client alone. Prints one line a transfer: size, seconds, and how
 * much the resident set grew at most. Fails above 80 MB.
 */

import { createRestAdapter } from "../../lib/adapters/mod.ts";
import type { AdapterRequest, MediaRequest } from "../../lib/dispatch/types.ts";
import { op, variant } from "../../lib/dispatch/testdata/fixture.ts";
import { createHttpClient } from "../../lib/http/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";

const MIB = 1024 * 1024;
const MOST_GROWTH = 80_000_000;

if (Deno.args[0] === "--peer") await servePeer();
else await measure(Number(Deno.args[0] ?? "2048") * MIB);

/** Answers every GET with as many bytes as its path names, and takes uploads in sessions. */
async function servePeer(): Promise<void> {
  const block = new Uint8Array(256 * 1024).fill(7);
  let received = 0;
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen: ({ port }) => console.log(port),
  }, async (request) => {
    const url = new URL(request.url);
    if (request.method === "POST") {
      await request.body?.cancel();
      received = 0;
      return new Response(null, {
        headers: { location: "https://www.googleapis.com/upload?upload_id=1" },
      });
    }
    if (request.method === "PUT") {
      for await (const piece of request.body ?? []) received += piece.length;
      const total = Number(request.headers.get("content-range")?.split("/")[1] ?? "NaN");
      if (received >= total) return Response.json({ size: received });
      const headers = { range: `bytes=0-${received - 1}` };
      return new Response(null, { status: 308, headers });
    }
    const size = Number(url.pathname.split("/").at(-1));
    if (url.searchParams.get("alt") !== "media") return Response.json({});
    let left = size;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = block.subarray(0, Math.min(block.length, left));
        left -= piece.length;
        if (piece.length > 0) controller.enqueue(piece.slice());
        if (left === 0) controller.close();
      },
    });
    return new Response(body, { headers: { "content-length": String(size), etag: '"x"' } });
  });
  await server.finished;
}

async function measure(bytes: number): Promise<void> {
  const peer = new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "-P=test", import.meta.filename ?? "", "--peer"],
    stdout: "piped",
  }).spawn();
  const home = await Deno.makeTempDir({ prefix: "gum-soak-" });
  try {
    const reader = peer.stdout.getReader();
    const port = new TextDecoder().decode((await reader.read()).value).trim();
    await reader.cancel();
    using http = createHttpClient({
      rewriteOrigin: (url) => new URL(`http://127.0.0.1:${port}${url.pathname}${url.search}`),
    });
    const adapter = createRestAdapter({
      http,
      version: "0.0.0-soak",
      media: { maxDownloadBytes: 64 * 1024 ** 3, uploadsDirectory: `${home}/uploads` },
    });
    const run = async (args: JsonObject, media: MediaRequest) => {
      const request = requestOf(args, media);
      await adapter.execute(request, new AbortController().signal);
    };
    const source = `${home}/source`;
    const transfers = {
      download: (size: number) =>
        run({ fileId: `${size}`, alt: "media" }, {
          kind: "download",
          target: `${home}/target`,
          overwrite: true,
        }),
      async upload(size: number) {
        await Deno.writeFile(source, new Uint8Array());
        await Deno.truncate(source, size);
        const { mediaFiles } = await import("../../lib/adapters/mod.ts");
        const { sha256 } = await mediaFiles.describe(source, new AbortController().signal);
        await run({ _media: { sha256, size, content_type: "application/octet-stream" } }, {
          kind: "upload",
          source,
        });
      },
    };
    let worst = 0;
    for (const [name, transfer] of Object.entries(transfers)) {
      await transfer(16 * MIB);
      const startedAt = performance.now();
      const growth = await peakGrowth(() => transfer(bytes));
      worst = Math.max(worst, growth);
      const seconds = (performance.now() - startedAt) / 1000;
      console.log(
        `${name.padEnd(9)}${bytes / MIB} MiB in ${seconds.toFixed(1)} s ` +
          `(${(bytes / MIB / seconds).toFixed(0)} MiB/s), resident +${
            (growth / 1e6).toFixed(1)
          } MB at most`,
      );
    }
    if (worst > MOST_GROWTH) throw new Error(`memory grew by more than ${MOST_GROWTH / 1e6} MB`);
  } finally {
    peer.kill();
    await peer.status;
    await Deno.remove(home, { recursive: true });
  }
}

/** The largest resident set during `work`, above that before it. */
async function peakGrowth(work: () => Promise<void>): Promise<number> {
  const before = Deno.memoryUsage().rss;
  let peak = before;
  const timer = setInterval(() => peak = Math.max(peak, Deno.memoryUsage().rss), 20);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return peak - before;
}

function requestOf(args: JsonObject, media: MediaRequest): AdapterRequest {
  const address = "https://www.googleapis.com/upload";
  const upload = variant("soak.upload", ["write", "POST", address], {
    binding: {
      binding_schema_version: 1,
      adapter_key: "rest.raw-http",
      operation_key: "soak",
      http: { method: "POST", path: address, media_upload: { resumable_path: address } },
    },
  });
  const download = variant("soak.download", [
    "read",
    "GET",
    "https://www.googleapis.com/drive/v3/files/{fileId}",
  ]);
  const chosen = media.kind === "upload" ? upload : download;
  return {
    opId: "soak",
    args,
    resolved: {
      op: op("soak", [chosen]),
      variant: chosen,
      adapterKey: "rest.raw-http",
      deprecated: false,
    },
    media,
    requestId: "soak",
    grants: { allowWrite: true, allowDestructive: false, confirmed: false },
  };
}
