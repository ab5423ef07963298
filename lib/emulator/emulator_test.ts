import assert from "node:assert/strict";
import type { JsonObject } from "../json/mod.ts";
import { startEmulator, WORLD_INSTANT } from "./mod.ts";
import type { Emulator } from "./types.ts";

const GMAIL = "https://gmail.googleapis.com/gmail/v1/users/me";

async function withEmulator(run: (emulator: Emulator) => Promise<void>): Promise<void> {
  const emulator = await startEmulator();
  try {
    await run(emulator);
  } finally {
    await emulator.close();
  }
}

interface Answered {
  status: number;
  headers: Headers;
  text: string;
  json: JsonObject;
}

async function ask(
  emulator: Emulator,
  url: string,
  init: RequestInit & { bearer?: string | null } = {},
): Promise<Answered> {
  const headers = new Headers(init.headers);
  const bearer = init.bearer === undefined ? emulator.credentials.bearer : init.bearer;
  if (bearer !== null) headers.set("authorization", `Bearer ${bearer}`);
  const response = await fetch(emulator.rewrite(new URL(url)), {
    ...init,
    headers,
    redirect: "manual",
  });
  const text = await response.text();
  const json = /json/.test(response.headers.get("content-type") ?? "") ? JSON.parse(text) : {};
  return { status: response.status, headers: response.headers, text, json };
}

function errorOf(answer: Answered): JsonObject {
  return answer.json.error as JsonObject;
}

Deno.test("emulator: starts on loopback, closes twice, and leaves nothing open", async () => {
  const emulator = await startEmulator();
  assert.match(emulator.origin, /^http:\/\/127\.0\.0\.1:[0-9]+$/);
  assert.equal((await ask(emulator, `${GMAIL}/labels`)).status, 200);
  await emulator.close();
  await emulator.close();
  await assert.rejects(fetch(emulator.origin));
});

Deno.test("emulator: a taken port is an error that leaves nothing open", () =>
  withEmulator(async (emulator) => {
    const port = Number(new URL(emulator.origin).port);
    await assert.rejects(startEmulator({ port }), Deno.errors.AddrInUse);
  }));

Deno.test("emulator: close ends hanging, slow and endless requests", async () => {
  const emulator = await startEmulator();
  emulator.addFault({ effect: { kind: "hang" } });
  emulator.addFault({ effect: { kind: "endless_body" } });
  emulator.addFault({ effect: { kind: "latency", ms: 60_000 } });
  const open = [0, 1, 2].map(() => ask(emulator, `${GMAIL}/labels`).catch(() => undefined));
  const deadline = Date.now() + 5_000;
  while (emulator.journal.length < 3 && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await emulator.close();
  await Promise.all(open);
});

Deno.test("emulator: the rewriter keeps the host and refuses what is no https Google URL", () =>
  withEmulator(async (emulator) => {
    const target = emulator.rewrite(new URL("https://gmail.googleapis.com/a%2Fb?q=x%20y"));
    assert.equal(target.href, `${emulator.origin}/_host/gmail.googleapis.com/a%2Fb?q=x%20y`);
    assert.throws(() => emulator.rewrite(new URL("http://gmail.googleapis.com/")), TypeError);
    assert.throws(() => emulator.rewrite(new URL("file:///etc/passwd")), TypeError);
    assert.equal(
      (await fetch(`${emulator.origin}/else`).then(async (r) => [r.status, await r.text()]))[0],
      404,
    );
  }));

Deno.test("emulator: missing, malformed and unknown bearers are 401 with Google's body", () =>
  withEmulator(async (emulator) => {
    const presented: Record<string, string>[] = [
      {},
      { authorization: "Basic eA==" },
      { authorization: "Bearer nobody" },
    ];
    for (const headers of presented) {
      const answer = await ask(emulator, `${GMAIL}/labels`, { bearer: null, headers });
      assert.equal(answer.status, 401);
      assert.equal(errorOf(answer).status, "UNAUTHENTICATED");
      assert.equal((errorOf(answer).errors as JsonObject[])[0]?.reason, "authError");
      assert.match(
        answer.headers.get("www-authenticate") ?? "",
        /^Bearer realm="https:\/\/accounts/,
      );
    }
  }));

Deno.test("emulator: API keys count in their header, on Maps paths only in the query", () =>
  withEmulator(async (emulator) => {
    const { apiKey } = emulator.credentials;
    const places = "https://places.googleapis.com/v1/places:searchText";
    const byHeader = {
      method: "POST",
      bearer: null,
      headers: { "x-goog-api-key": apiKey, "x-goog-fieldmask": "*" },
      body: JSON.stringify({ textQuery: "boats" }),
    };
    assert.equal((await ask(emulator, places, byHeader)).status, 200);
    const byQuery = { method: "POST", bearer: null, body: "{}" };
    assert.equal((await ask(emulator, `${places}?key=${apiKey}`, byQuery)).status, 403);
    const invalid = await ask(emulator, places, {
      ...byHeader,
      headers: { "x-goog-api-key": "no", "x-goog-fieldmask": "*" },
    });
    assert.equal(invalid.status, 400);
    assert.match(invalid.text, /API_KEY_INVALID/);
    const onGmail = await ask(emulator, `${GMAIL}/labels`, {
      bearer: null,
      headers: { "x-goog-api-key": apiKey },
    });
    assert.equal(onGmail.status, 401);
    // An API that takes nothing else.
    const fonts = await ask(emulator, "https://webfonts.googleapis.com/v1/webfonts", {
      bearer: null,
      headers: { "x-goog-api-key": apiKey },
    });
    assert.equal(fonts.status, 200);
    const maps = "https://maps.googleapis.com/maps/api/geocode/json?address=x";
    const denied = await ask(emulator, maps, {
      bearer: null,
      headers: { "x-goog-api-key": apiKey },
    });
    assert.equal(denied.status, 200);
    assert.equal(denied.json.status, "REQUEST_DENIED");
    const found = await ask(emulator, `${maps}&key=${apiKey}`, { bearer: null });
    assert.equal(found.json.status, "OK");
  }));

Deno.test("emulator: a withheld scope is a 403 that names what was needed", () =>
  withEmulator(async (emulator) => {
    const send = "https://www.googleapis.com/auth/gmail.send";
    const fault = emulator.addFault({
      effect: { kind: "withhold_scopes", scopes: [send] },
    });
    assert.equal((await ask(emulator, `${GMAIL}/labels`)).status, 200);
    const refused = await ask(emulator, `${GMAIL}/messages/send`, { method: "POST", body: "{}" });
    assert.equal(refused.status, 403);
    assert.match(refused.text, /ACCESS_TOKEN_SCOPE_INSUFFICIENT/);
    assert.match(refused.headers.get("www-authenticate") ?? "", /insufficient_scope.*gmail\.send/);
    assert.equal(fault.fired, 1);
    assert.equal(emulator.journal[1]?.fault, "withhold_scopes");
  }));

Deno.test("emulator: every account has its own credentials and state", () =>
  withEmulator(async (emulator) => {
    const second = emulator.accounts[1];
    assert.ok(second);
    const first = await ask(emulator, `${GMAIL}/profile`);
    const other = await ask(emulator, `${GMAIL}/profile`, { bearer: second.bearer });
    assert.equal(first.json.emailAddress, emulator.account.email);
    assert.equal(other.json.emailAddress, second.email);
    assert.notEqual(first.json.historyId, other.json.historyId);
    assert.notEqual(second.fingerprint, emulator.account.fingerprint);
  }));

Deno.test("emulator: fields, prettyPrint and alt shape the answer", () =>
  withEmulator(async (emulator) => {
    const masked = await ask(emulator, `${GMAIL}/labels?fields=labels(id)`);
    assert.deepEqual(Object.keys((masked.json.labels as JsonObject[])[0] ?? {}), ["id"]);
    assert.equal((await ask(emulator, `${GMAIL}/labels?fields=a(`)).status, 400);
    assert.match((await ask(emulator, `${GMAIL}/labels`)).text, /^\{\n {2}"labels"/);
    assert.match((await ask(emulator, `${GMAIL}/labels?prettyPrint=false`)).text, /^\{"labels"/);
    assert.equal((await ask(emulator, `${GMAIL}/labels?alt=proto`)).status, 400);
  }));

Deno.test("emulator: a mask that names nothing of the answer is refused before the call counts", () =>
  withEmulator(async (emulator) => {
    const drive = "https://www.googleapis.com/drive/v3/files";
    const refused: [string, string][] = [
      [`${GMAIL}/labels?fields=nope`, "nope"],
      [`${GMAIL}/labels?fields=labels(id,nope)`, "labels/nope"],
      [`${drive}?fields=files/owners/nope`, "files/owners/nope"],
      ["https://chat.googleapis.com/v1/spaces?fields=spaces(name),nope", "nope"],
    ];
    for (const [url, selection] of refused) {
      const { status, json } = await ask(emulator, url);
      assert.equal(status, 400, url);
      const { message } = json.error as JsonObject;
      assert.equal(message, `Invalid field selection ${selection}`);
    }
    // Maps have whatever names they have; a star is any name.
    for (const mask of ["files(id,properties/mine)", "*", "files/*", "files(capabilities)"]) {
      assert.equal((await ask(emulator, `${drive}?fields=${mask}`)).status, 200, mask);
    }
    const create = (query: string) =>
      ask(emulator, `${drive}${query}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name: "never made" }),
      });
    assert.equal((await create("?fields=nope")).status, 400);
    const found = await ask(emulator, `${drive}?q=${encodeURIComponent("name = 'never made'")}`);
    assert.deepEqual(found.json.files, []);
  }));

Deno.test("emulator: 304 for a held tag, 200 with another tag once the resource changed", () =>
  withEmulator(async (emulator) => {
    const first = await ask(emulator, `${GMAIL}/labels`);
    const etag = first.headers.get("etag") ?? "";
    assert.match(etag, /^W\/"/);
    const held = await ask(emulator, `${GMAIL}/labels`, {
      headers: { "if-none-match": `"x", ${etag}` },
    });
    assert.equal(held.status, 304);
    assert.equal(held.text, "");
    assert.equal(held.headers.get("etag"), etag);
    await ask(emulator, `${GMAIL}/labels`, {
      method: "POST",
      body: JSON.stringify({ name: "New one" }),
    });
    const changed = await ask(emulator, `${GMAIL}/labels`, { headers: { "if-none-match": etag } });
    assert.equal(changed.status, 200);
    assert.notEqual(changed.headers.get("etag"), etag);
    const people = "https://people.googleapis.com/v1/people/me?personFields=names";
    const strong = await ask(emulator, people);
    assert.equal(strong.headers.get("etag"), `"${strong.json.etag}"`);
  }));

Deno.test("emulator: unknown paths are 404, JSON bodies must be JSON", () =>
  withEmulator(async (emulator) => {
    const page = await ask(emulator, "https://gmail.googleapis.com/nothing/<here>");
    assert.equal(page.status, 404);
    assert.match(page.headers.get("content-type") ?? "", /html/);
    const broken = await ask(emulator, `${GMAIL}/labels`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{",
    });
    assert.equal(broken.status, 400);
    assert.match(broken.text, /parseError/);
  }));

Deno.test("emulator: the journal holds what was sent, and who gave up", () =>
  withEmulator(async (emulator) => {
    await ask(emulator, `${GMAIL}/messages?maxResults=1&labelIds=INBOX&labelIds=UNREAD`, {
      headers: { "x-goog-user-project": "p1" },
    });
    const [entry] = emulator.journal;
    assert.ok(entry);
    assert.equal(entry.method, "GET");
    assert.equal(entry.host, "gmail.googleapis.com");
    assert.equal(entry.path, "/gmail/v1/users/me/messages");
    assert.deepEqual(entry.query, { maxResults: ["1"], labelIds: ["INBOX", "UNREAD"] });
    assert.equal(entry.headers["x-goog-user-project"], "p1");
    assert.equal(entry.status, 200);
    assert.equal(entry.startedAt, WORLD_INSTANT);
    assert.equal(entry.clientAborted, false);
    emulator.clearJournal();
    emulator.addFault({ effect: { kind: "hang" } });
    const giveUp = new AbortController();
    const hung = ask(emulator, `${GMAIL}/messages/send`, {
      method: "POST",
      body: '{"a":1}',
      signal: giveUp.signal,
    });
    await until(() => emulator.journal[0]?.fault === "hang");
    giveUp.abort();
    await assert.rejects(hung);
    await until(() => emulator.journal[0]?.clientAborted === true);
    assert.equal(emulator.journal.length, 1);
    assert.equal(emulator.journal[0]?.bodyText, '{"a":1}');
    assert.equal(emulator.journal[0]?.status, undefined);
  }));

Deno.test("emulator: the control endpoint shows and steers, and refuses web pages", () =>
  withEmulator(async (emulator) => {
    const control = (path: string, init?: RequestInit) =>
      fetch(`${emulator.origin}/_control/${path}`, init);
    await ask(emulator, `${GMAIL}/labels?key=secret-key`);
    const lines = (await (await control("journal")).text()).trim().split("\n").map((line) =>
      JSON.parse(line)
    );
    assert.equal(lines.length, 1);
    assert.equal(lines[0].headers.authorization, "(present)");
    assert.deepEqual(lines[0].query.key, ["(present)"]);
    const fault = {
      effect: { kind: "status", status: 503 },
      match: { path: "/gmail/**" },
      times: -1,
    };
    const added = await (await control("faults", { method: "POST", body: JSON.stringify(fault) }))
      .json();
    assert.equal((await ask(emulator, `${GMAIL}/labels`)).status, 503);
    assert.equal((await ask(emulator, `${GMAIL}/labels`)).status, 503);
    const listed = await (await control("faults")).json();
    assert.equal(listed.faults[0].fired, 2);
    assert.equal((await control(`faults/${added.id}`, { method: "DELETE" })).status, 204);
    assert.equal((await ask(emulator, `${GMAIL}/labels`)).status, 200);
    const state = await (await control("inspect")).json();
    assert.ok(state[emulator.account.email].gmail.messages.length > 200);
    const nonsense = await control("faults", {
      method: "POST",
      body: '{"effect":{"kind":"nonsense"}}',
    });
    assert.equal(nonsense.status, 400);
    await nonsense.body?.cancel();
    const page = await control("journal", { headers: { origin: "https://evil.example" } });
    assert.equal(page.status, 403);
    await page.body?.cancel();
    // A page whose own name was made to point at this machine sends that name.
    for (
      const path of [
        "/_control/connection",
        "/_host/gmail.googleapis.com/gmail/v1/users/me/profile",
      ]
    ) {
      const { port } = new URL(emulator.origin);
      assert.match(await statusLine(Number(port), path, `rebound.example:${port}`), / (403|421) /);
      assert.match(await statusLine(Number(port), path, `localhost:${port}`), / (200|401) /);
    }
    assert.equal((await control("journal", { method: "DELETE" })).status, 204);
    assert.equal(emulator.journal.length, 0);
  }));

/** The status line that a request with this `Host` gets; `fetch` does not let one choose it. */
async function statusLine(port: number, path: string, host: string): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  await connection.write(new TextEncoder().encode(request));
  const answer = new Uint8Array(4_096);
  const count = await connection.read(answer);
  return new TextDecoder().decode(answer.subarray(0, count ?? 0)).split("\r\n")[0] ?? "";
}

Deno.test("emulator: long-running operations finish after their polls, unknown ones are 404", () =>
  withEmulator(async (emulator) => {
    const started = emulator.startOperation({
      name: "operations/abc",
      polls: 2,
      response: { x: 1 },
    });
    assert.deepEqual(started, { name: "operations/abc", done: false });
    const url = "https://run.googleapis.com/v1/operations/abc";
    assert.equal((await ask(emulator, url)).json.done, false);
    assert.equal((await ask(emulator, url)).json.done, false);
    assert.deepEqual((await ask(emulator, url)).json, {
      name: "operations/abc",
      done: true,
      response: { x: 1 },
    });
    emulator.startOperation({
      name: "projects/p/locations/l/operations/o",
      polls: 0,
      error: { code: 3, message: "no" },
    });
    const failed = await ask(
      emulator,
      "https://run.googleapis.com/v2/projects/p/locations/l/operations/o",
    );
    assert.deepEqual(failed.json.error, { code: 3, message: "no" });
    emulator.startOperation({ name: "operations/odd", polls: 1, malformedDone: "yes" });
    assert.equal(
      (await ask(emulator, "https://run.googleapis.com/v1/operations/odd")).json.done,
      "yes",
    );
    assert.equal(
      (await ask(emulator, "https://run.googleapis.com/v1/operations/none")).status,
      404,
    );
  }));

Deno.test("emulator: same seed and clock give the same bytes, another seed gives others", async () => {
  const script = async (seed: number): Promise<string> => {
    const emulator = await startEmulator({ seed });
    try {
      const parts: string[] = [];
      const take = async (url: string, init?: RequestInit) => {
        const answer = await ask(emulator, url, init);
        const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
        parts.push(`${answer.status}\n${headers}\n${answer.text}`);
        return answer.json;
      };
      const list = await take(`${GMAIL}/messages?maxResults=3`);
      for (const { id } of list.messages as JsonObject[]) await take(`${GMAIL}/messages/${id}`);
      const raw = btoa("To: a@example.com\r\nSubject: x\r\n\r\nhello").replaceAll("+", "-")
        .replaceAll("/", "_");
      const sent = await take(`${GMAIL}/messages/send`, {
        method: "POST",
        body: JSON.stringify({ raw }),
      });
      await take(`${GMAIL}/messages/${sent.id}`);
      await take(
        "https://people.googleapis.com/v1/people/me/connections?personFields=names,emailAddresses",
      );
      await take("https://youtube.googleapis.com/youtube/v3/search?part=snippet&q=tides");
      return parts.join("\n\n");
    } finally {
      await emulator.close();
    }
  };
  const first = await script(7);
  assert.equal(await script(7), first);
  assert.notEqual(await script(8), first);
});

Deno.test("emulator: catalog operations without a service are answered from their schema", () =>
  withEmulator(async (emulator) => {
    const youtube = "https://youtube.googleapis.com/youtube/v3/search";
    const missing = await ask(emulator, youtube);
    assert.equal(missing.status, 400);
    assert.match(missing.text, /Required parameter: part/);
    const page = await ask(emulator, `${youtube}?part=snippet&maxResults=5`);
    assert.equal(page.status, 200);
    assert.equal((page.json.items as JsonObject[]).length, 5);
    const next = await ask(
      emulator,
      `${youtube}?part=snippet&maxResults=5&pageToken=${page.json.nextPageToken}`,
    );
    assert.notDeepEqual(next.json.items, page.json.items);
    const courses = "https://classroom.googleapis.com/v1/courses";
    const course = await ask(emulator, `${courses}/c42`);
    assert.equal(course.json.id, "c42");
    assert.equal((await ask(emulator, `${courses}/c42`, { method: "DELETE" })).status, 204);
    const matter = await ask(emulator, "https://vault.googleapis.com/v1/matters", {
      method: "POST",
      body: JSON.stringify({ name: "Case one", description: "d" }),
    });
    assert.equal(matter.json.name, "Case one");
  }));

async function until(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (!holds()) {
    assert.ok(Date.now() < deadline, "gave up waiting");
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
