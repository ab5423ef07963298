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

/** Half of them as the long tail has them: found by id, and listed apart. */
const CATALOG: CatalogSnapshot = {
  ops: OPS.filter(({ op_id }) => !op_id.startsWith("bigquery.")),
  findOp: (id) => OPS.find(({ op_id }) => op_id === id),
  findVariant: () => undefined,
  furtherIds: (prefix) =>
    OPS.map(({ op_id }) => op_id).filter((id) =>
      id.startsWith("bigquery.") && id.startsWith(prefix)
    ),
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
