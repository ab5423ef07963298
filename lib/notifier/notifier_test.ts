import assert from "node:assert/strict";
import fc from "fast-check";
import {
  isNewer,
  ownReleases,
  planNotice,
  readKnownRelease,
  refreshKnownRelease,
  releaseSource,
} from "./mod.ts";

const NOW = Date.parse("2026-05-23T14:30:00Z");
const clock = { now: () => NOW, sleep: () => Promise.resolve() };
const DAY = 86_400_000;

Deno.test("versions compare by their three numbers; what is none is neither newer nor older", () => {
  assert.equal(isNewer("v1.10.0", "1.9.9"), true);
  assert.equal(isNewer("1.2.3-rc.1", "1.2.3"), false);
  assert.equal(isNewer("1.2.3+build", "v1.2.2"), true);
  for (const odd of ["dev", "", "1.2", "v1.2.3.4", "1.2.x", "9.9.9-\x1b[2J"]) {
    assert.equal(isNewer(odd, "0.0.1"), false);
    assert.equal(isNewer("9.9.9", odd), false);
  }
  const version = fc.tuple(fc.nat(30), fc.nat(30), fc.nat(30)).map((parts) => parts.join("."));
  fc.assert(fc.property(version, version, (left, right) => {
    assert.equal(isNewer(left, right) && isNewer(right, left), false);
    assert.equal(isNewer(left, right) || isNewer(right, left), left !== right);
  }));
});

Deno.test("a notice names both versions and the page; a refresh is due after a day", () => {
  const facts = { version: "1.2.3", now: NOW, page: "https://releases.invalid/page" };
  const known = (latestVersion: string, age: number) => ({ latestVersion, checkedAt: NOW - age });
  assert.deepEqual(planNotice(undefined, facts), { refresh: true });
  assert.deepEqual(planNotice(known("v1.2.3", DAY - 1), facts), { refresh: false });
  assert.deepEqual(planNotice(known("v1.3.0", DAY), facts), {
    line: "[notify] gum v1.3.0 is out, this is 1.2.3: https://releases.invalid/page\n",
    refresh: true,
  });
  assert.equal(planNotice(known("v1.2.3", -DAY), facts).refresh, true);
  for (const version of ["dev", "", "1.2"]) {
    assert.deepEqual(planNotice(known("v9.0.0", DAY), { ...facts, version }), { refresh: false });
  }
});

/** Serves one answer on loopback and runs a refresh against it. */
async function refreshAgainst(
  answer: () => Response | Promise<Response>,
  run: (folder: string, refresh: (timeoutMs?: number) => Promise<boolean>) => Promise<void>,
) {
  const folder = await Deno.makeTempDir({ prefix: "gum-notify-" });
  const abort = new AbortController();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, signal: abort.signal, onListen() {} },
    answer,
  );
  const source = { latest: `http://127.0.0.1:${server.addr.port}/latest`, page: "" };
  try {
    await run(
      folder,
      (timeoutMs) => refreshKnownRelease(`${folder}/gum/p`, { source, clock, timeoutMs }),
    );
  } finally {
    abort.abort();
    await server.finished;
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("TestNotifyRefreshCacheAndTimeout: a release is kept; a bad answer leaves the old one", async () => {
  let answer = () => Response.json({ tag_name: "v2.0.0" });
  await refreshAgainst(() => answer(), async (folder, refresh) => {
    assert.equal(await refresh(), true);
    const file = `${folder}/gum/p/notify.json`;
    const kept = '{"checked_at":"2026-05-23T14:30:00Z","latest_version":"v2.0.0"}';
    assert.equal(await Deno.readTextFile(file), kept);
    assert.deepEqual(await readKnownRelease(`${folder}/gum/p`), {
      checkedAt: NOW,
      latestVersion: "v2.0.0",
    });
    for (
      const bad of [
        () => new Response("{}", { status: 500 }),
        () => Response.json({ tag_name: "" }),
        () => Response.json({ tag_name: 3 }),
        () => new Response("<html>"),
        () => new Response("x".repeat(2_000_000)),
        () => new Response(null, { status: 302, headers: { location: "http://127.0.0.1:1/" } }),
      ]
    ) {
      answer = bad;
      assert.equal(await refresh(), false);
      assert.equal(await Deno.readTextFile(file), kept);
    }
  });
});

Deno.test("TestNotifyRefreshCacheAndTimeout: a page that hangs is given up on", async () => {
  const hang = Promise.withResolvers<Response>();
  await refreshAgainst(() => hang.promise, async (_folder, refresh) => {
    assert.equal(await refresh(50), false);
    hang.resolve(new Response());
  });
});

Deno.test("a damaged file is no file", async () => {
  const folder = await Deno.makeTempDir();
  for (
    const text of ["", "{", "[]", '{"checked_at":"x","latest_version":"1"}', '{"checked_at":1}']
  ) {
    await Deno.writeTextFile(`${folder}/notify.json`, text);
    assert.equal(await readKnownRelease(folder), undefined, text);
  }
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a build without releases has nobody to ask", () => {
  assert.equal(ownReleases(undefined), undefined);
  assert.equal(ownReleases({ latest: "https://x.invalid", page: "" })?.source.page, "");
  for (const none of ["none", "", "a/b/c", "a/b?", "https://x/y"]) {
    assert.equal(releaseSource(none), undefined, none);
  }
});

Deno.test("a build for a repository asks its releases and names their page", () => {
  assert.deepEqual(releaseSource("example/gum"), {
    latest: "https://api.github.com/repos/example/gum/releases/latest",
    page: "https://github.com/example/gum/releases/latest",
  });
});
