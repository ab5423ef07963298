import assert from "node:assert/strict";
import { constants } from "node:os";
import { errnoName, errnoOfNumber, isSyncUnsupported } from "./mod.ts";

Deno.test({
  name: "TestErrnoNameNamesEveryErrno: every number of this system has its name",
  ignore: Deno.build.os === "windows",
  fn() {
    const names = Map.groupBy(Object.entries(constants.errno), ([, number]) => number);
    for (const [number, aliases] of names) {
      const name = errnoOfNumber(number);
      assert.ok(aliases.some(([alias]) => alias === name), `${number} is called ${name}`);
    }
  },
});

Deno.test("TestErrnoNameNamesEveryErrno: by code, by number in the text, by number alone", () => {
  assert.equal(errnoName(Object.assign(new Error("x"), { code: "EDQUOT" })), "EDQUOT");
  assert.equal(errnoName(new Error("Invalid argument (os error 22)"), "linux"), "EINVAL");
  assert.equal(errnoName(new Error("Not supported (os error 45)"), "darwin"), "ENOTSUP");
  assert.equal(errnoName(new Error("Not supported (os error 95)"), "linux"), "EOPNOTSUPP");
  assert.equal(errnoName(new Error("strange (os error 4095)"), "linux"), "errno_4095");
  assert.equal(errnoName(Object.assign(new Error("x (os error 5)"), { code: "not one" })), "EIO");
  assert.equal(errnoName(new Error("nothing to go by")), "unknown");
});

Deno.test("TestErrnoNameNamesEveryErrno: an error of this very system is named", async () => {
  await assert.rejects(
    Deno.open("/nonexistent/file"),
    (error) => errnoName(error) === "ENOENT",
  );
});

Deno.test("TestFsyncUnsupportedErrorStaysTransparent: wrapping keeps the system's word", () => {
  const inner = Object.assign(new TypeError("sync"), { code: "EINVAL" });
  const outer = new Error("could not publish", { cause: new Error("staging", { cause: inner }) });
  assert.equal(errnoName(outer), "EINVAL");
  assert.ok(isSyncUnsupported(outer));
  assert.ok(!isSyncUnsupported(Object.assign(new Error("x"), { code: "EIO" })));
});
