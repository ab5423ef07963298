import assert from "node:assert/strict";
import fc from "fast-check";
import { CatalogError, isSchemaRef, requestRef, variantVersion } from "../validate/mod.ts";
import { assignRequestRefs, methodIdOf, stabilityOfVersion, variantId } from "./mod.ts";

Deno.test("schema refs: case boundaries become underscores", () => {
  assert.equal(
    requestRef("calendar.calendarList.list"),
    "calendar.calendar_list.list.request",
  );
  assert.equal(requestRef("gum.code"), "gum.code.request");
  for (const bad of ["", "../x", "a..b", "a/b", "A", "a%2fb", "a\u0000", "x".repeat(129)]) {
    assert.equal(isSchemaRef(bad), false, JSON.stringify(bad));
  }
});

Deno.test("TestSchemaRefCollision: two operations never share a ref", () => {
  const refs = assignRequestRefs(["calendar.calendarList.list", "calendar.events.list"]);
  assert.equal(refs.get("calendar.events.list"), "calendar.events.list.request");
  assert.throws(
    () => assignRequestRefs(["demo.thingList.get", "demo.thing_list.get"]),
    (error: unknown) =>
      error instanceof CatalogError && error.code === "SCHEMA_REF_COLLISION" &&
      error.opId === "demo.thing_list.get",
  );
});

Deno.test("schema refs: the mapping keeps every operation id servable", () => {
  const segment = fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{0,8}$/);
  fc.assert(fc.property(fc.array(segment, { minLength: 1, maxLength: 5 }), (segments) => {
    assert.ok(isSchemaRef(requestRef(`demo.${segments.join(".")}`)));
  }));
});

Deno.test("versions inside variant ids", () => {
  assert.equal(variantVersion("admin.directory_v1.rawhttp.users.get"), "directory_v1");
  assert.equal(variantVersion("calendar.v3.rest.events.list"), "v3");
  assert.equal(variantVersion("youtube.transcripts.v1.plugin.get"), "v1");
  assert.equal(variantVersion("x.v1beta1.rest.y"), "v1beta1");
  for (const none of ["", "x", "x.vX.y", "x.rest.y", ".vX.y"]) {
    assert.equal(variantVersion(none), "", none);
  }
  assert.equal(stabilityOfVersion("v1alpha"), "alpha");
  assert.equal(stabilityOfVersion("v1p1beta1"), "beta");
  assert.equal(stabilityOfVersion("v24"), "stable");
});

Deno.test("operation ids: prefixes give the method and the variant", () => {
  const admin = {
    service: "admin",
    api: "admin",
    methodPrefix: "directory.",
    opPrefix: "admin.directory.",
  };
  assert.equal(methodIdOf("admin.directory.users.list", admin), "directory.users.list");
  assert.equal(methodIdOf("gmail.users.list", admin), undefined);
  assert.equal(
    variantId("admin.directory.users.list", {
      service: "admin",
      version: "directory_v1",
      opPrefix: "admin.directory.",
    }),
    "admin.directory_v1.rest.users.list",
  );
  assert.equal(
    variantId("gmail.users.getProfile", { service: "gmail", version: "v1" }),
    "gmail.v1.rest.users.getProfile",
  );
});
