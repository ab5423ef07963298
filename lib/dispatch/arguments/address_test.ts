import assert from "node:assert/strict";
import type { CatalogSnapshot, Op } from "../../catalog/types.ts";
import type { JsonObject } from "../../json/mod.ts";
import { op, openFixture, refusalOf, variant } from "../testdata/fixture.ts";
import { strayAddress } from "./address.ts";

const CHAT = "https://chat.googleapis.com/v1";
const PEOPLE = "https://people.googleapis.com/v1";
const LOGGING = "https://logging.googleapis.com/v2";
const QUERY = "https://bigquery.googleapis.com/bigquery/v2";

function destructive(id: string, path: string): Op {
  return op(id, [variant(`${id}.v`, ["destructive", "DELETE", path])], {
    request_fields: undefined,
  });
}

const OPS: readonly Op[] = [
  destructive("chat.spaces.messages.delete", `${CHAT}/{+name}`),
  op("chat.spaces.get", [variant("chat.get", ["read", "GET", `${CHAT}/{+name}`])]),
  op("chat.spaces.messages.list", [
    variant("chat.list", ["read", "GET", `${CHAT}/{+parent}/messages`]),
  ]),
  destructive("people.contactGroups.delete", `${PEOPLE}/{+resourceName}`),
  destructive("people.people.deleteContact", `${PEOPLE}/{+resourceName}:deleteContact`),
  destructive("logging.logs.delete", `${LOGGING}/{+logName}`),
  destructive("logging.projects.logs.delete", `${LOGGING}/{+logName}`),
  destructive("bigquery.datasets.delete", `${QUERY}/projects/{+projectId}/datasets/{+datasetId}`),
  destructive(
    "bigquery.tables.delete",
    `${QUERY}/projects/{+projectId}/datasets/{+datasetId}/tables/{+tableId}`,
  ),
];

/** Some of them as the long tail has them: not among `ops`. */
const CATALOG: CatalogSnapshot = {
  ops: OPS.filter(({ op_id }) => !op_id.startsWith("bigquery.")),
  findOp: (id) => OPS.find(({ op_id }) => op_id === id),
  findVariant: () => undefined,
  everyOp: (service) => OPS.filter(({ op_id }) => op_id.startsWith(`${service}.`)),
  requestSchema: () => undefined,
};

function strayOf(id: string, args: JsonObject) {
  const found = OPS.find(({ op_id }) => op_id === id);
  const [first] = found?.variants ?? [];
  assert.ok(found && first);
  return strayAddress({ op: found, variant: first, args }, CATALOG);
}

Deno.test("an operation's own resources are reached, however its service names them", () => {
  const rows: [string, JsonObject][] = [
    ["chat.spaces.messages.delete", { name: "spaces/a/messages/b" }],
    ["chat.spaces.messages.delete", { name: "spaces/a/messages/b:c" }],
    ["chat.spaces.get", { name: "spaces/a" }],
    ["chat.spaces.messages.list", { parent: "spaces/a" }],
    ["people.contactGroups.delete", { resourceName: "contactGroups/1" }],
    ["people.people.deleteContact", { resourceName: "people/1" }],
    ["logging.logs.delete", { logName: "projects/p/logs/l" }],
    ["logging.logs.delete", { logName: "folders/f/logs/l" }],
    ["bigquery.datasets.delete", { projectId: "example.com:p", datasetId: "d" }],
    ["bigquery.tables.delete", { projectId: "p", datasetId: "d", tableId: "t" }],
    // A value is missing: the required check says so.
    ["bigquery.tables.delete", { projectId: "p" }],
  ];
  for (const [id, args] of rows) {
    assert.equal(strayOf(id, args), undefined, `${id} ${JSON.stringify(args)}`);
  }
});

Deno.test("a resource name never makes one operation another: the one above, a sibling, a verb", () => {
  const above = ["spaces/a", "spaces/a/", "spaces//a", "spaces%2Fa", "spaces%2fa", "spaces/\na"];
  for (const name of above) {
    const stray = strayOf("chat.spaces.messages.delete", { name });
    assert.deepEqual(stray, { field: "name", expected: undefined, belongsTo: undefined }, name);
  }
  const rows: [string, JsonObject, string][] = [
    ["chat.spaces.get", { name: "spaces/a/messages" }, "chat.spaces.messages.list"],
    [
      "people.contactGroups.delete",
      { resourceName: "people/1:deleteContact" },
      "people.people.deleteContact",
    ],
    [
      "people.contactGroups.delete",
      { resourceName: "people/1%3AdeleteContact" },
      "people.people.deleteContact",
    ],
    [
      "bigquery.datasets.delete",
      { projectId: "p", datasetId: "d/tables/t" },
      "bigquery.tables.delete",
    ],
  ];
  for (const [id, args, owner] of rows) {
    assert.equal(strayOf(id, args)?.belongsTo, owner, `${id} ${JSON.stringify(args)}`);
  }
});

Deno.test("a stray address is refused before a token is issued or anything is sent", async () => {
  await using fixture = openFixture({ ops: OPS });
  const error = await refusalOf(fixture.kernel, {
    opId: "people.contactGroups.delete",
    args: { resourceName: "people/1:deleteContact" },
    allowDestructive: true,
  });
  assert.equal(error.code, "INVALID_ARGS");
  assert.equal(error.details.field, "resourceName");
  assert.equal(error.details.reason, "addresses_another_operation");
  assert.equal(error.details.belongs_to, "people.people.deleteContact");
  const denied = await refusalOf(fixture.kernel, {
    opId: "chat.spaces.messages.delete",
    args: { name: "spaces/a" },
    allowDestructive: true,
  });
  assert.equal(denied.details.reason, "addresses_another_operation");
  assert.equal(fixture.peer.requests.length, 0);
});

Deno.test("a value of the wrong form is refused with the right one, and with whose it is", async () => {
  const name = { name: "name", location: "path", type: "string", required: true } as const;
  const spaces = { ...name, pattern: "^spaces/[^/]+$" };
  const messages = { ...name, pattern: "^spaces/[^/]+/messages/[^/]+$" };
  const http = ["destructive", "DELETE", `${CHAT}/{+name}`] as const;
  await using fixture = openFixture({
    ops: [
      op("chat.spaces.delete", [variant("s.v", [...http])], { request_fields: [spaces] }),
      op("chat.spaces.messages.delete", [variant("m.v", [...http])], {
        request_fields: [messages],
      }),
    ],
  });
  const refused = (opId: string, value: string | boolean) =>
    refusalOf(fixture.kernel, { opId, args: { name: value }, allowDestructive: true });
  const above = await refused("chat.spaces.messages.delete", "spaces/a");
  assert.equal(above.code, "INVALID_ARGS");
  assert.equal(above.details.field, "name");
  assert.equal(above.details.expected, "spaces/{space}/messages/{message}");
  assert.equal(above.details.belongs_to, "chat.spaces.delete");
  assert.equal(above.details.reason, "addresses_another_operation");
  assert.match(
    above.message,
    /name must be spaces\/\{space\}\/messages\/\{message\}; .*chat\.spaces\.delete/,
  );
  const bare = await refused("chat.spaces.messages.delete", "abc");
  assert.equal(bare.details.reason, "unexpected_form");
  assert.equal(bare.details.belongs_to, undefined);
  const flag = await refused("chat.spaces.delete", true);
  assert.equal(flag.details.expected, "spaces/{space}");
  const encoded = await refused("chat.spaces.delete", "spaces/a%2Fmessages%2Fb");
  assert.equal(encoded.details.belongs_to, "chat.spaces.messages.delete");
  const long = await refused("chat.spaces.delete", `spaces/${"a".repeat(100_000)}`);
  assert.equal(long.details.field, "name");
  assert.equal(fixture.peer.requests.length, 0);
});
