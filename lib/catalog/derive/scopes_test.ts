import assert from "node:assert/strict";
import { chooseScope } from "./mod.ts";

const auth = (...names: string[]) => names.map((name) => `https://www.googleapis.com/auth/${name}`);
const MAIL = "https://mail.google.com/";

Deno.test("scopes: reads take the curated preference, then .readonly, then the simplest", () => {
  const read = (accepted: string[], preference?: string[]) =>
    chooseScope(accepted, { riskClass: "read", ...(preference ? { preference } : {}) });
  assert.equal(
    read([MAIL, ...auth("gmail.modify", "gmail.readonly")]),
    auth("gmail.readonly")[0],
  );
  assert.equal(
    read(auth("drive.readonly", "documents.readonly"), auth("documents.readonly")),
    auth("documents.readonly")[0],
  );
  assert.equal(
    read(auth("calendar.settings.readonly", "calendar.readonly")),
    auth("calendar.readonly")[0],
  );
  assert.equal(read(auth("a.b.c", "longer.name", "x.y")), auth("x.y")[0]);
  assert.equal(read([]), undefined);
  assert.equal(chooseScope(undefined, { riskClass: "read" }), undefined);
});

Deno.test("scopes: writes take the resource's scope, then the product's, never full access", () => {
  const write = (accepted: string[], resource: string, product: string) =>
    chooseScope(accepted, { riskClass: "write", resource, product });
  assert.equal(
    write([MAIL, ...auth("gmail.labels", "gmail.modify")], "labels", "gmail"),
    auth("gmail.labels")[0],
  );
  assert.equal(
    write(auth("admin.directory.group", "admin.directory.group.member"), "members", "admin"),
    auth("admin.directory.group.member")[0],
  );
  assert.equal(
    write(auth("calendar", "calendar.events.owned"), "acl", "calendar"),
    auth("calendar")[0],
  );
  assert.equal(
    write(auth("cloud-platform", "cloud-identity.groups"), "things", "cloudidentity"),
    auth("cloud-identity.groups")[0],
  );
  assert.equal(write([MAIL], "messages", "gmail"), MAIL);
  assert.equal(write(auth("cloud-platform"), "x", "y"), auth("cloud-platform")[0]);
  assert.equal(write(auth("thing.readonly", "thing"), "x", "y"), auth("thing")[0]);
});
