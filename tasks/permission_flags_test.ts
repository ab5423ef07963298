import assert from "node:assert/strict";
import { permissionFlags } from "./permission_flags.ts";

Deno.test("TestPermissionFlags: lists, switches and ignored names keep their meaning", () => {
  assert.deepEqual(
    permissionFlags({
      net: ["a.example", "[::1]"],
      env: { allow: ["HOME", "GUM_*"], ignore: true },
      read: true,
      run: false,
    }),
    ["--allow-net=a.example,[::1]", "--allow-env=HOME,GUM_*", "--ignore-env", "--allow-read"],
  );
});

Deno.test("TestPermissionFlags: no shipped set grants everything or native code", async () => {
  const config = JSON.parse(await Deno.readTextFile(new URL("../deno.json", import.meta.url)));
  for (const name of ["gum", "gum_sandboxed"]) {
    const flags = permissionFlags(config.permissions[name]);
    assert.ok(flags.length > 3, name);
    assert.ok(!flags.some((flag) => /^--allow-(all|ffi)|^--allow-(net|env|run)$/.test(flag)), name);
  }
  assert.ok(!("run" in config.permissions.gum_sandboxed));
});
