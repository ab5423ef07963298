/** Where package sources find packages in a test: a loopback host, archives, refusals. */

import assert from "node:assert/strict";
import { GumError } from "../../errors/mod.ts";
import { createHttpClient } from "../../http/mod.ts";
import { type TestProfile, testProfile } from "./fixture.ts";

/** What the loopback server says to a path; undefined: 404. */
export type Answer = (path: string) => Response | undefined;

/** A profile whose downloads all go to a loopback server. */
export async function served(
  directory: string,
  given: { answer: Answer; isDev?: boolean },
  run: (profile: TestProfile, asked: string[]) => Promise<void>,
): Promise<void> {
  const asked: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    const { pathname, searchParams } = new URL(request.url);
    asked.push(`${searchParams.get("host")} ${pathname}`);
    return given.answer(pathname) ?? new Response("no such file", { status: 404 });
  });
  const http = createHttpClient({
    rewriteOrigin(url) {
      const local = new URL(url.pathname, `http://127.0.0.1:${server.addr.port}`);
      local.searchParams.set("host", url.host);
      return local;
    },
  });
  try {
    const settings = { isDev: given.isDev ?? false };
    const origins = { releases: "https://github.com", pythonIndex: "https://index.example/pypi" };
    await run(testProfile(directory, { http, settings, origins }), asked);
  } finally {
    http.close();
    await server.shutdown();
  }
}

/** Code and reason of a refusal. */
export async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(() => undefined, (error) => error);
  assert.ok(error instanceof GumError, String(error));
  return `${error.code}${error.details.reason === undefined ? "" : ` ${error.details.reason}`}`;
}

/** Compresses bytes. */
export async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return await new Response(stream).bytes();
}

/** One entry of a made-up archive. */
export interface TarEntry {
  name: string;
  content?: string;
  type?: string;
  link?: string;
}

/** A tar archive in the ustar form. */
export function tar(entries: readonly TarEntry[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const blocks: Uint8Array[] = [];
  for (const { name, content = "", type = "0", link = "" } of entries) {
    const header = new Uint8Array(512);
    const body = encoder.encode(content);
    const put = (text: string, at: number) => header.set(encoder.encode(text), at);
    put(name, 0);
    put("0000777\0", 100);
    put(body.length.toString(8).padStart(11, "0"), 124);
    put("        ", 148);
    put(type, 156);
    put(link, 157);
    put("ustar\0" + "00", 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    put(sum.toString(8).padStart(6, "0") + "\0 ", 148);
    const padded = new Uint8Array(Math.ceil(body.length / 512) * 512);
    padded.set(body);
    blocks.push(header, padded);
  }
  blocks.push(new Uint8Array(1024));
  const whole = new Uint8Array(blocks.reduce((size, block) => size + block.length, 0));
  let at = 0;
  for (const block of blocks) {
    whole.set(block, at);
    at += block.length;
  }
  return whole;
}

/** A zip archive made by somebody else's program. */
export async function zip(
  files: Record<string, string>,
  more = "",
): Promise<Uint8Array<ArrayBuffer>> {
  const script = `
import io, json, sys, zipfile
out = io.BytesIO()
with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
    ${more}
    for name, text in json.loads(sys.argv[1]).items():
        archive.writestr(name, text)
sys.stdout.buffer.write(out.getvalue())
`;
  const { code, stdout, stderr } = await new Deno.Command("python3", {
    args: ["-c", script, JSON.stringify(files)],
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return stdout;
}

/** A program that says where it came from. */
export const PROGRAM = "#!/bin/sh\necho packaged\n";
