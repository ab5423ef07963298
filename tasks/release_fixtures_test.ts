/** The release set against its plan and the rules that make it realistic (spec 07 §3.15). */

import assert from "node:assert/strict";
import { loadCatalog } from "../lib/catalog/mod.ts";
import type { RecordedCall } from "../lib/gain/replay/mod.ts";
import {
  isJsonObject,
  isRawNumber,
  type JsonObject,
  type JsonValue,
  parseJson,
} from "../lib/json/mod.ts";
import { type FieldMask, parseFieldMask, projectByMask } from "../lib/profile/mod.ts";
import { loadTokenCounter } from "../lib/tokens/mod.ts";
import { createFixtureKernel, measureSet, rememberingCounter } from "../lib/gain/replay/mod.ts";
import { committedSet, replayParts } from "./gain_replay.ts";
import { readReleasePlan } from "./record_release_fixtures_plan.ts";

const plan = readReleasePlan();
const set = await committedSet();
const measured = await measureSet(set, {
  kernel: await createFixtureKernel(replayParts()),
  format: "toon",
  count: rememberingCounter(await loadTokenCounter()),
});
const alone = set.fixtures.filter(({ entry }) => entry.category !== "gum_parallel_batch");
const calls = set.fixtures.flatMap((fixture) => fixture.calls);
const answered = calls.filter(({ request, body }) =>
  request.http_status === undefined && body.trim() !== ""
);
const rows = measured.flatMap(({ rows, path }) => rows.map((row) => ({ ...row, path })));

function bodyOf(call: RecordedCall): JsonValue {
  return parseJson(call.body);
}

Deno.test("TestReleaseFixturesAreRealistic: the naive answer holds every field that GUM's holds", () => {
  const missing = answered.filter(({ masked }) => masked !== undefined).flatMap((call) => {
    const own = leavesOf(parseJson(call.masked ?? "null"));
    const naive = leavesOf(bodyOf(call));
    return [...own].filter((path) => !naive.has(path))
      .map((path) => `${call.request.op_id} ${path}`);
  });
  assert.deepEqual([...new Set(missing)], []);
  // Only Drive is asked for more than it gives by itself.
  const asked = calls.filter(({ request }) => request.naive_args !== undefined)
    .map(({ request }) => request.op_id.split(".")[0]);
  assert.deepEqual([...new Set(asked)], ["drive"]);
});

function leavesOf(value: JsonValue, path = "", into = new Set<string>()): Set<string> {
  if (Array.isArray(value)) { for (const item of value) leavesOf(item, path, into); }
  else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) leavesOf(member, `${path}.${key}`, into);
  } else into.add(path);
  return into;
}

Deno.test("TestReleaseFixturesAreRealistic: rule 1, no two answers are alike, words are many", async () => {
  const bodies = alone.flatMap(({ calls }) => calls.map(({ body }) => body))
    .filter((body) => body.trim() !== "");
  assert.equal(new Set(bodies).size, bodies.length);
  // A text counts once for its resource, however many lists show it; a series is one resource.
  const texts = [
    ...new Map(
      answered.flatMap((call) => ownedTexts(bodyOf(call), call.request.op_id))
        .map(({ owner, text }) => [`${owner}\0${text}`, text]),
    ).values(),
  ];
  const distinct = new Set(texts).size / texts.length;
  assert.ok(texts.length > 1_500, `${texts.length} texts`);
  assert.ok(distinct >= 0.9, `${distinct} of ${texts.length} texts are distinct`);
  const joined = new Blob([texts.join("\n")]);
  const packed = await new Response(joined.stream().pipeThrough(new CompressionStream("gzip")))
    .arrayBuffer();
  assert.ok(packed.byteLength / joined.size >= 0.22, `${packed.byteLength / joined.size}`);
});

/** Free text with the resource it belongs to: strings of at least three words. */
function ownedTexts(value: JsonValue, owner: string): { owner: string; text: string }[] {
  if (typeof value === "string") {
    return value.split(" ").length > 2 && !/^<span/.test(value) ? [{ owner, text: value }] : [];
  }
  if (Array.isArray(value)) return value.flatMap((item) => ownedTexts(item, owner));
  if (!isJsonObject(value)) return [];
  const id = value.recurringEventId ?? value.id ?? value.resourceName ?? value.documentId ??
    value.presentationId ?? value.spreadsheetId;
  const own = typeof id === "string" ? id : isJsonObject(id) ? JSON.stringify(id) : owner;
  return Object.entries(value)
    .filter(([key]) => !PROTOCOL.has(key))
    .flatMap(([, member]) => ownedTexts(member, own));
}

/** Words of the service or of a mail server, not of a person. */
const PROTOCOL = new Set([
  "headers",
  "weekdayDescriptions",
  "relativePublishTimeDescription",
  "iconUri",
  "namedStyles",
  "masters",
  "layouts",
  "fontFamily",
  "htmlSnippet",
  "htmlTitle",
  "localized",
  "originalText",
  "authorAttributions",
]);

Deno.test("TestReleaseFixturesAreRealistic: rule 2, sizes are spread and mail has a long tail", () => {
  const tokens = new Map(measured.map(({ path, rows }) => [path, rows[0]?.raw ?? 0]));
  const byOp = Map.groupBy(
    alone.filter(({ entry, calls }) =>
      entry.category !== "write_destructive" && calls[0]?.request.http_status === undefined
    ),
    ({ entry }) => entry.op_id,
  );
  const narrow = [...byOp].filter(([, own]) => own.length >= 4).filter(([, own]) => {
    const sizes = own.map(({ entry }) => tokens.get(entry.path) ?? 0);
    return Math.max(...sizes) < 6 * Math.min(...sizes);
  });
  assert.deepEqual(narrow.map(([opId]) => opId), []);
  const mail = answered.filter(({ request }) =>
    request.op_id === "gmail.users.messages.get" && request.args.format === undefined
  ).map(({ body }) => body.length).sort((left, right) => left - right);
  const median = mail[Math.floor(mail.length / 2)] ?? 0;
  assert.ok(median > 3_000 && median < 60_000, `median ${median}`);
  assert.ok((mail.at(-1) ?? 0) > 40_000 && (mail.at(-1) ?? 0) > 2 * median, `tail ${mail.at(-1)}`);
  const bodies = calls.map(({ body }) => body.length);
  assert.ok(Math.min(...bodies) === 0 && Math.max(...bodies) > 100_000);
});

Deno.test("TestReleaseFixturesAreRealistic: rule 3, scripts, nulls, empty lists, errors and awkward text", () => {
  const bodies = calls.map(({ body }) => body);
  const share = (pattern: RegExp) =>
    bodies.filter((body) => pattern.test(body)).length / bodies.length;
  assert.ok(share(/[\u0080-\u{10ffff}]/u) >= 0.1);
  for (
    const [what, pattern] of Object.entries({
      latin: /[àâäåæçéèêëîïñøöœßúûüžł]/i,
      cjk: /\p{Script=Han}/u,
      rightToLeft: /[\p{Script=Arabic}\p{Script=Hebrew}]/u,
      joinedEmoji: /\u200d/,
      quotes: /\\"/,
      comma: /": "[^"]*,/,
      newline: /\\n/,
      leadingEquals: /"=[A-Z0-9]/,
      emptyList: /\[\]/,
      numberLike: /"[0-9]+"/,
      booleanLike: /"(?:true|false)"/i,
    })
  ) assert.ok(share(pattern) > 0, what);
  const failed = calls.map(({ request }) => request.http_status)
    .filter((status) => status !== undefined);
  assert.deepEqual([...new Set(failed)].sort(), [403, 404, 429]);
  assert.ok(bodies.some((body) => body.trim() === ""));
  // Optional fields: records of one list that do not all have the same ones.
  const lists = answered.flatMap((call) => {
    const body = bodyOf(call);
    return isJsonObject(body) ? Object.values(body).filter(Array.isArray) : [];
  }).filter((list) => list.length > 5 && list.every(isJsonObject));
  const ragged = lists.filter((list) =>
    new Set(list.map((row) => Object.keys(row as JsonObject).sort().join())).size > 1
  );
  assert.ok(ragged.length / lists.length > 0.4, `${ragged.length} of ${lists.length}`);
});

function leafPaths(mask: FieldMask, path: string[] = []): string[][] {
  return [...mask.fields].flatMap(([name, sub]) =>
    sub === undefined ? [[...path, name]] : leafPaths(sub, [...path, name])
  );
}

function carries(value: JsonValue, [head, ...rest]: readonly string[]): boolean {
  if (Array.isArray(value)) {
    return value.some((item) => carries(item, head === undefined ? [] : [head, ...rest]));
  }
  if (head === undefined) return true;
  if (!isJsonObject(value) || !Object.hasOwn(value, head)) return false;
  return rest.length === 0 || carries(value[head] ?? null, rest);
}

Deno.test("TestReleaseFixturesAreRealistic: rule 4, an operation's answers carry what the service's do", () => {
  const thin: string[] = [];
  const opIds = new Set(answered.map(({ request }) => request.op_id));
  for (const opId of opIds) {
    const listed = plan.operations[opId]?.carries;
    assert.ok(listed !== undefined, `${opId} is not planned`);
    if (listed === "" || listed === "*") continue;
    const parsed = parseFieldMask(listed);
    assert.ok(parsed.ok, opId);
    const bodies = answered.filter(({ request }) =>
      request.op_id === opId && request.args.fields === undefined
    ).map(bodyOf);
    const leaves = leafPaths(parsed.mask);
    const missing = leaves.filter((path) => !bodies.some((body) => carries(body, path)));
    if (missing.length > 0.2 * leaves.length) {
      thin.push(`${opId}: ${missing.map((path) => path.join(".")).join(" ")}`);
    }
  }
  assert.deepEqual(thin, []);
  assert.ok(opIds.size >= 50, `${opIds.size} operations`);
  assert.ok(
    [...opIds].filter((opId) => plan.operations[opId]?.carries === "*").length <= 1,
    "a bare list has no mask; nothing else goes unlisted",
  );
});

/** What services send although their documents do not say so, or say it in other letters. */
const UNDOCUMENTED_FIELDS =
  /^(?:youtube\.search\.list\.items\[\]\.snippet: unknown publishTime|googleads\.\S+: unknown keywordAnnotations|searchconsole\.searchanalytics\.query\.responseAggregationType: )/;

/** Maps services have no Discovery document. */
const UNDOCUMENTED = /^maps\./;

Deno.test("TestReleaseFixturesAreRealistic: rule 4, every answer is one that the Discovery document describes", () => {
  const methods = responseSchemas();
  const { ops } = loadCatalog();
  const wrong: string[] = [];
  let checked = 0;
  for (const call of answered) {
    const opId = call.request.op_id;
    if (UNDOCUMENTED.test(opId)) continue;
    const http = ops.find(({ op_id }) => op_id === opId)?.variants[0]?.binding?.http;
    const path = String(http?.path).replace("people/me/connections", "{+resourceName}/connections");
    const found = methods.get(`${http?.method} ${path}`);
    assert.ok(found !== undefined, `${opId}: ${http?.method} ${path}`);
    // A stream of elements comes as a list of what the document describes.
    const body = bodyOf(call);
    for (const value of Array.isArray(body) ? body : [body]) {
      wrong.push(
        ...violations(found.schemas, { $ref: found.response }, { value, path: opId }),
      );
    }
    checked++;
  }
  assert.deepEqual(
    [...new Set(wrong)].filter((what) => !UNDOCUMENTED_FIELDS.test(what)).slice(0, 20),
    [],
  );
  assert.ok(checked > 200, `${checked} answers`);
});

interface ResponseSchema {
  schemas: JsonObject;
  response: string;
}

function responseSchemas(): Map<string, ResponseSchema> {
  const folder = new URL("../catalog/discovery/", import.meta.url);
  const found = new Map<string, ResponseSchema>();
  for (const { name } of Deno.readDirSync(folder)) {
    if (name.includes(".lock.")) continue;
    const document = JSON.parse(Deno.readTextFileSync(new URL(name, folder))) as JsonObject;
    const visit = (resource: JsonObject) => {
      for (const method of Object.values((resource.methods ?? {}) as JsonObject)) {
        if (!isJsonObject(method) || !isJsonObject(method.response ?? null)) continue;
        found.set(
          `${method.httpMethod} ${document.rootUrl}${document.servicePath}${method.path}`,
          {
            schemas: document.schemas as JsonObject,
            response: String((method.response as JsonObject).$ref),
          },
        );
      }
      for (const child of Object.values((resource.resources ?? {}) as JsonObject)) {
        if (isJsonObject(child)) visit(child);
      }
    };
    visit(document);
  }
  return found;
}

/** What in a value contradicts a Discovery schema. */
function violations(
  schemas: JsonObject,
  schema: JsonObject,
  at: { value: JsonValue; path: string },
): string[] {
  const { value, path } = at;
  if (typeof schema.$ref === "string") {
    const named = schemas[schema.$ref];
    return isJsonObject(named) ? violations(schemas, named, at) : [`${path}: no ${schema.$ref}`];
  }
  const wrong = [`${path}: no ${String(schema.type)}: ${JSON.stringify(value).slice(0, 40)}`];
  switch (schema.type) {
    case "object":
      if (!isJsonObject(value)) return wrong;
      return Object.entries(value).flatMap(([name, member]) => {
        const properties = isJsonObject(schema.properties ?? null)
          ? schema.properties as JsonObject
          : {};
        const inner = properties[name] ?? schema.additionalProperties;
        return isJsonObject(inner)
          ? violations(schemas, inner, { value: member, path: `${path}.${name}` })
          : [`${path}: unknown ${name}`];
      });
    case "array":
      if (!Array.isArray(value)) return wrong;
      return value.flatMap((item) =>
        violations(schemas, schema.items as JsonObject, { value: item, path: `${path}[]` })
      );
    case "string":
      if (typeof value !== "string") return wrong;
      return Array.isArray(schema.enum) && !schema.enum.includes(value) ? wrong : [];
    case "integer":
      return Number.isInteger(value) ? [] : wrong;
    case "number":
      return typeof value === "number" || isRawNumber(value) ? [] : wrong;
    case "boolean":
      return typeof value === "boolean" ? [] : wrong;
    default:
      return [];
  }
}

Deno.test("TestReleaseFixturesAreRealistic: rule 4, ids, stamps, tags and links look like the service's", () => {
  const forms: Record<string, [RegExp, RegExp]> = {
    "message id": [/^gmail\.users\.messages\.list messages\.(id|threadId)$/, /^[0-9a-f]{16}$/],
    "file id": [/^drive\.files\.list files\.id$/, /^[A-Za-z0-9_-]{28,44}$/],
    "event id": [/^calendar\.events\.list items\.id$/, /^[a-v0-9]{5,}(_[0-9TZR]+)?$/],
    "video id": [/^youtube\.search\.list items\.id\.videoId$/, /^[A-Za-z0-9_-]{11}$/],
    "place id": [/ places\.id$/, /^ChIJ[A-Za-z0-9_-]{20,}$/],
    "contact": [/^people\.connections\.list connections\.resourceName$/, /^people\/c[0-9]+$/],
    "stamp": [
      / (?!.*timeZone).*(?:created|updated|createdTime|modifiedTime|dateTime|publishedAt|publishTime)$/,
      /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/,
    ],
    "tag": [/ (?:.*\.)?etag$/, /^(?:"[^"]+"|[%#][A-Za-z0-9+/=_-]+|[A-Za-z0-9_-]{20,})$/],
    "link": [/ (?:.*\.)?(?:htmlLink|webViewLink|selfLink|googleMapsUri)$/, /^https:\/\/[^\s]+$/],
  };
  const seen: Record<string, number> = {};
  const strange: string[] = [];
  for (const call of answered) {
    for (const [path, text] of stringsOf(bodyOf(call))) {
      for (const [what, [where, form]] of Object.entries(forms)) {
        if (!where.test(`${call.request.op_id} ${path}`)) continue;
        seen[what] = (seen[what] ?? 0) + 1;
        if (!form.test(text)) strange.push(`${what} ${call.request.op_id} ${path}: ${text}`);
      }
    }
  }
  assert.deepEqual([...new Set(strange)].slice(0, 10), []);
  for (const what of Object.keys(forms)) {
    assert.ok((seen[what] ?? 0) >= 5, `${what}: ${seen[what]}`);
  }
});

function stringsOf(value: JsonValue, path = ""): [string, string][] {
  if (typeof value === "string") return [[path, value]];
  if (Array.isArray(value)) return value.flatMap((item) => stringsOf(item, path));
  return isJsonObject(value)
    ? Object.entries(value).flatMap(([key, member]) =>
      stringsOf(member, path === "" ? key : `${path}.${key}`)
    )
    : [];
}

Deno.test("TestReleaseFixturesAreRealistic: rule 5, answers refer to each other", () => {
  const of = (opId: string) => answered.filter(({ request }) => request.op_id === opId);
  const idsIn = (opId: string, path: string) =>
    new Set(
      of(opId).flatMap((call) =>
        stringsOf(bodyOf(call)).filter(([where]) => where === path).map(([, text]) => text)
      ),
    );
  const messages = of("gmail.users.messages.get").map(bodyOf).filter(isJsonObject);
  for (const message of messages) assert.match(String(message.threadId), /^[0-9a-f]{16}$/);
  for (const thread of of("gmail.users.threads.get").map(bodyOf).filter(isJsonObject)) {
    const inside = thread.messages as JsonObject[];
    assert.ok(inside.every(({ threadId }) => threadId === thread.id), String(thread.id));
  }
  const listed = idsIn("drive.files.list", "files.id");
  const read = of("drive.files.get").map(({ request }) => String(request.args.fileId));
  assert.ok(read.some((id) => listed.has(id)));
  const parents = idsIn("drive.files.list", "files.parents");
  const folders = new Set(
    of("drive.files.list").flatMap((call) =>
      ((bodyOf(call) as JsonObject).files as JsonObject[]) ?? []
    )
      .filter(({ mimeType }) => mimeType === "application/vnd.google-apps.folder")
      .map(({ id }) => String(id)),
  );
  assert.ok([...folders].some((id) => parents.has(id)), "a folder that is listed holds a file");
  const events = of("calendar.events.list").flatMap((call) =>
    ((bodyOf(call) as JsonObject).items as JsonObject[]) ?? []
  );
  const instances = events.filter(({ recurringEventId }) => recurringEventId !== undefined);
  assert.ok(instances.length > 10);
  for (const { id, recurringEventId } of instances) {
    assert.ok(String(id).startsWith(`${recurringEventId}_`), String(id));
  }
  for (const { organizer, attendees } of events) {
    if (!Array.isArray(attendees) || !isJsonObject(organizer ?? null)) continue;
    const organizing = attendees.filter((guest) => isJsonObject(guest) && guest.organizer === true);
    for (const guest of organizing) {
      assert.equal((guest as JsonObject).email, (organizer as JsonObject).email);
    }
  }
  const owners = idsIn("drive.files.list", "files.owners.emailAddress");
  const contacts = idsIn("people.connections.list", "connections.emailAddresses.value");
  const guests = idsIn("calendar.events.list", "items.attendees.email");
  assert.ok([...owners].some((address) => guests.has(address)), "who owns files meets");
  assert.ok([...guests].some((address) => contacts.has(address)), "who meets is a contact");
});

Deno.test("TestReleaseFixturesAreRealistic: rule 6, nothing dominates", () => {
  const total = rows.reduce((sum, { raw }) => sum + raw, 0);
  const byOp = Map.groupBy(rows, ({ opId }) => opId);
  for (const [opId, own] of byOp) {
    const raw = own.reduce((sum, row) => sum + row.raw, 0);
    assert.ok(raw / total <= 0.25, `${opId} is ${raw / total} of the tokens`);
  }
  for (const { path, rows: own } of measured) {
    const raw = own.reduce((sum, row) => sum + row.raw, 0);
    assert.ok(raw / total <= 0.05, `${path} is ${raw / total} of the tokens`);
  }
  const saved = (kept: typeof rows) =>
    1 -
    kept.reduce((sum, row) => sum + row.shaped, 0) / kept.reduce((sum, row) => sum + row.raw, 0);
  for (const opId of byOp.keys()) {
    const without = saved(rows.filter((row) => row.opId !== opId));
    assert.ok(Math.abs(without - saved(rows)) <= 0.03, `${opId} carries the claim`);
  }
  const size = [...set.fixtures].flatMap((
    { calls, expectedText },
  ) => [...calls.map(({ body }) => body), expectedText]).reduce(
    (sum, text) => sum + new TextEncoder().encode(text).length,
    0,
  );
  assert.ok(size <= 6_000_000, `${size} bytes`);
});

Deno.test("TestReleaseFixturesAreRealistic: rule 7, every address is at a reserved domain", () => {
  const reserved = /@(?:[a-z0-9.-]+\.)?example(?:\.(?:com|net|org))?$|\.(?:test|invalid|example)$/i;
  const google =
    /^@(?:group\.calendar\.google\.com|mail\.gmail\.com|[a-z.]*calendar\.google\.com|[a-z0-9.-]*gserviceaccount\.com|[a-z0-9.-]*google\.com)$/;
  const strange = new Set<string>();
  for (const { body } of calls) {
    for (const [address] of body.matchAll(/[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+/g)) {
      if (!reserved.test(address)) strange.add(address.slice(address.indexOf("@")));
    }
  }
  assert.deepEqual([...strange].filter((domain) => !google.test(domain)), []);
});

Deno.test("TestReleaseFixturesAreRealistic: a mask keeps what it names, so that a projection stands for the service", () => {
  const mask = parseFieldMask("a(b)");
  assert.ok(mask.ok);
  assert.deepEqual(projectByMask(mask.mask, { a: [{ b: 1, c: 2 }] }), { a: [{ b: 1 }] });
});
