import assert from "node:assert/strict";
import type { JsonValue } from "../json/mod.ts";
import type { ResolvedProfile } from "../profile/types.ts";
import { shapeBody } from "./mod.ts";
import { namedPaths } from "./named_fields.ts";

function shape(value: JsonValue, profile: Partial<ResolvedProfile>, askedMask?: string) {
  return shapeBody({
    body: new TextEncoder().encode(JSON.stringify(value)),
    opId: "o",
    variantId: "v",
    profile: { name: "p", ...profile },
    userFormat: "json",
    askedMask,
  });
}

const PAGE = {
  kind: "k",
  files: [{ id: "1", name: "a", notes: "n", owner: { me: true, mail: "m" } }],
  nextPageToken: "t",
};

Deno.test("named fields: every spelling of a mask names the same paths, stars name none", () => {
  const cases: [string, string[]][] = [
    ["kind,files(id,owner/me)", ["kind", "files.id", "files.owner.me"]],
    ["files(owner(me,mail)),kind", ["files.owner.me", "files.owner.mail", "kind"]],
    ["places.id, places.displayName", ["places.id", "places.displayName"]],
    ["files/id", ["files.id"]],
    ["*", []],
    ["files(*),kind", ["kind"]],
    ["a(b", ["a.b"]],
    ["),,(", []],
  ];
  for (const [mask, paths] of cases) assert.deepEqual(namedPaths(mask), paths, mask);
});

Deno.test("named fields: projection, keep and drop give way to what the caller named", () => {
  const keep = { keep_fields: ["files.id", "files.name"] };
  const asked = shape(PAGE, keep, "kind,files(id,notes,owner/me)");
  assert.deepEqual(asked.value, {
    kind: "k",
    files: [{ id: "1", name: "a", notes: "n", owner: { me: true } }],
  });
  assert.deepEqual(asked.droppedPaths, ["files.owner.mail", "nextPageToken"]);
  assert.equal(asked.lossy, true);
  const dropped = shape(PAGE, { drop_fields: ["files.owner.mail", "kind"] }, "files/owner,kind");
  assert.deepEqual(dropped.value, PAGE);
  const flat = shape(PAGE, { projection: ["nextPageToken"] }, "files(id)");
  assert.deepEqual(Object.keys(flat.value as object), ["files", "nextPageToken"]);
});

Deno.test("named fields: without a mask, and for a list named as a whole, the profile decides", () => {
  const keep = { keep_fields: ["files.id"] };
  for (const mask of [undefined, "*", "files", "files(*)"]) {
    assert.deepEqual(shape(PAGE, keep, mask).value, { files: [{ id: "1" }] }, `${mask}`);
  }
  // A list that the profile drops altogether is a field like any other.
  assert.deepEqual(shape(PAGE, { keep_fields: ["kind"] }, "files").value, {
    kind: "k",
    files: PAGE.files,
  });
});

Deno.test("TestOnEmptyFiresWhenShapingEmptiesTheBody: a mask without the records claims no empty result", () => {
  const profile = { keep_fields: ["kind", "files.id"], on_empty: "No matching files." };
  const left = shape({}, profile, "nextPageToken");
  assert.match(left.onEmptyMessage ?? "", /mask left the records out.*files\(id\)/);
  assert.equal(left.value, left.onEmptyMessage);
  for (const mask of [undefined, "*", "files(id)", "files/name,nextPageToken"]) {
    assert.equal(shape({}, profile, mask).onEmptyMessage, "No matching files.", `${mask}`);
  }
  // The service said that there is none.
  assert.equal(shape({ files: [] }, profile, "kind").onEmptyMessage, "No matching files.");
});
