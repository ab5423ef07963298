import assert from "node:assert/strict";
import fc from "fast-check";
import type { RiskClass } from "../types.ts";
import { deriveRisk, methodWords } from "./mod.ts";

type Row = [methodId: string, httpMethod: string, expected: RiskClass, rule: number, extra?: {
  longRunning?: boolean;
  scopes?: string[];
}];

const READ_ONLY = { scopes: ["https://www.googleapis.com/auth/thing.readonly"] };

const ROWS: Row[] = [
  ["gmail.users.messages.delete", "DELETE", "destructive", 1],
  ["x.things.get", "DELETE", "destructive", 1],
  ["gmail.users.messages.trash", "POST", "destructive", 2],
  ["gmail.users.messages.batchDelete", "POST", "destructive", 2],
  ["calendar.calendars.clear", "POST", "destructive", 2],
  ["datamanager.audienceMembers.remove", "POST", "destructive", 2],
  ["x.things.purge", "GET", "destructive", 2],
  ["x.things.bulkAsyncWipe", "POST", "destructive", 2],
  ["x.things.restore", "GET", "write", 3],
  ["x.operations.cancel", "GET", "write", 3],
  ["x.userEvents.collect", "GET", "write", 3],
  ["gmail.users.messages.list", "GET", "read", 4],
  ["x.things.get", "HEAD", "read", 4],
  ["x.things.watchlist", "GET", "read", 4],
  ["gmail.users.labels.update", "PUT", "write", 5],
  ["drive.files.update", "PATCH", "write", 5],
  ["x.things.search", "PATCH", "write", 5],
  ["x.things.query", "POST", "write", 6, { longRunning: true }],
  ["x.things.testIamPermissions", "POST", "read", 7],
  ["x.things.getIamPolicy", "POST", "read", 7],
  ["calendar.freebusy.query", "POST", "read", 8],
  ["routes.computeRoutes", "POST", "read", 8],
  ["searchconsole.urlInspection.index.inspect", "POST", "read", 8],
  ["x.things.batchGet", "POST", "read", 8],
  ["x.things.streamingSearch", "POST", "read", 8],
  ["x.things.check", "POST", "read", 9, READ_ONLY],
  ["x.things.check", "POST", "write", 11],
  ["x.properties.runReport", "POST", "read", 10, READ_ONLY],
  ["x.properties.runReport", "POST", "write", 11],
  ["x.properties.generateReports", "POST", "read", 10, {
    scopes: ["https://www.googleapis.com/auth/thing.read"],
  }],
  ["gmail.users.messages.send", "POST", "write", 11],
  ["drive.files.copy", "POST", "write", 11, READ_ONLY],
  ["drive.files.watch", "POST", "write", 11, READ_ONLY],
  ["googleads.customers.generateKeywordIdeas", "POST", "write", 11],
  ["x.models.predict", "POST", "write", 11],
];

Deno.test("risk: the rule table over a fixture of methods", () => {
  for (const [methodId, httpMethod, riskClass, rule, extra] of ROWS) {
    assert.deepEqual(
      deriveRisk({ methodId, httpMethod, ...extra }),
      { riskClass, rule },
      `${httpMethod} ${methodId}`,
    );
  }
});

Deno.test("risk: leading modifiers go, but one word always stays", () => {
  assert.deepEqual(methodWords("a.b.batchGetByDataFilter"), ["get", "by", "data", "filter"]);
  assert.deepEqual(methodWords("a.b.batchUpdate"), ["update"]);
  assert.deepEqual(methodWords("a.b.batch"), ["batch"]);
  assert.deepEqual(methodWords("a.b.serverStream"), ["stream"]);
});

Deno.test("risk: a DELETE is never milder than destructive, a PUT never a read", () => {
  fc.assert(fc.property(fc.string(), fc.boolean(), (name, longRunning) => {
    const methodId = `api.things.${name}`;
    assert.equal(
      deriveRisk({ methodId, httpMethod: "DELETE", longRunning }).riskClass,
      "destructive",
    );
    assert.notEqual(deriveRisk({ methodId, httpMethod: "PUT", longRunning }).riskClass, "read");
    assert.notEqual(deriveRisk({ methodId, httpMethod: "PATCH", longRunning }).riskClass, "read");
  }));
});
