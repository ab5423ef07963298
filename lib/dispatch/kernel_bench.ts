/** What the kernel adds to a call, against a bare `fetch` of the same answer in the same process. */

import { openFixture, realClock } from "./testdata/fixture.ts";

const FILES = Array.from({ length: 5 }, (_, index) => ({ id: `file-${index}`, name: "report" }));
const server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen() {} },
  () => Response.json({ files: FILES }),
);
const origin = `http://127.0.0.1:${server.addr.port}`;
const fixture = openFixture({
  clock: realClock,
  deps: { log: { log() {} } },
  rewriteOrigin: (url) => new URL(`${origin}${url.pathname}${url.search}`),
});
const { kernel } = fixture;
let turn = 0;

Deno.bench("bare fetch", { group: "read", baseline: true }, async () => {
  await (await fetch(`${origin}/drive/v3/files?q=${turn++}`)).json();
});

Deno.bench("kernel, upstream", { group: "read" }, async () => {
  await kernel.dispatch({ opId: "drive.files.list", args: { q: `${turn++}` }, format: "json" });
});

Deno.bench("kernel, upstream, toon", { group: "read" }, async () => {
  await kernel.dispatch({ opId: "drive.files.list", args: { q: `${turn++}` } });
});

Deno.bench("kernel, cache hit", { group: "read" }, async () => {
  await kernel.dispatch({ opId: "drive.files.list", args: { q: "same" }, format: "json" });
});

Deno.bench("kernel, write", { group: "write", baseline: true }, async () => {
  await kernel.dispatch({ opId: "drive.files.create", args: { name: "n" }, allowWrite: true });
});

Deno.bench("kernel, refused by policy", { group: "refusal" }, async () => {
  await kernel.dispatch({ opId: "drive.files.list", args: {}, allowWrite: true }).catch(() => {});
});
