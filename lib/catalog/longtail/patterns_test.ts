import assert from "node:assert/strict";
import { longPattern, reservedNames, shortPattern, usualPatterns } from "./patterns.ts";

Deno.test("pack: a pattern comes back as it was, however short it is kept", () => {
  const rows: [pattern: string, short: string][] = [
    ["^projects/[^/]+/zones/[^/]+$", "projects/*/zones/*"],
    ["^[^/]+$", "*"],
    ["^operations/.*$", "operations/.*"],
    ["^organizations/[0-9]{0,20}$", "organizations/[0-9]{0,20}"],
    ["^(?:a/[^/]+|b)$", "^(?:a/[^/]+|b)$"],
    ["^a*/[^/]+$", "a*/*"],
  ];
  for (const [pattern, short] of rows) {
    assert.equal(shortPattern(pattern), short);
    assert.equal(longPattern(short), pattern);
  }
  assert.equal(shortPattern(undefined), "");
  assert.equal(shortPattern("^.*$"), "");
  assert.equal(longPattern(""), undefined);
});

Deno.test("pack: what a method id and its path say of a placeholder need not be kept", () => {
  const rows: [id: string, path: string, usual: string[]][] = [
    ["chat.spaces.messages.delete", "v1/{+name}", ["spaces/*/messages/*"]],
    ["chat.spaces.messages.list", "v1/{+parent}/messages", ["spaces/*"]],
    ["run.jobs.run", "v2/{+name}:run", ["jobs/*"]],
    ["dv.advertisers.get", "v4/advertisers/{+advertiserId}", ["*"]],
    ["bigquery.tables.get", "projects/{+projectId}/tables/{+tableId}", ["*", "*"]],
    ["css.accounts.get", "accounts/v1/{+name}", ["accounts/*"]],
    ["drive.files.get", "files/{fileId}", []],
  ];
  for (const [id, path, usual] of rows) {
    assert.deepEqual(usualPatterns({ id, path }), usual, id);
    assert.equal(reservedNames(path).length, usual.length);
  }
});
