import assert from "node:assert/strict";
import { glanceAtSetting } from "./glance.ts";

const glance = async (text: string) => {
  const file = await Deno.makeTempFile({ suffix: ".toml" });
  try {
    await Deno.writeTextFile(file, text);
    return await glanceAtSetting<"off" | "read" | "all">(file, {
      key: "catalog.long_tail",
      unset: "read",
      unreadable: "off",
    });
  } finally {
    await Deno.remove(file);
  }
};

Deno.test("glance at a setting: every spelling of the key, and what is unset", async () => {
  assert.equal(await glance('catalog.long_tail = "all"\n'), "all");
  assert.equal(await glance('[catalog]\nlong_tail = "off" # why\n'), "off");
  assert.equal(await glance('"catalog" = { "long_tail" = "all" }\n'), "all");
  assert.equal(await glance("[cache]\nenabled = true\n"), "read");
  assert.equal(await glance("# long_tail is not set here\n"), "read");
  assert.equal(await glance('[policy]\nnote = "long_tail"\n'), "read");
});

Deno.test("glance at a setting: what cannot be read falls to the careful side", async () => {
  assert.equal(await glance('catalog.long_tail = "most"\n'), "off");
  assert.equal(await glance("catalog.long_tail = 1\n"), "off");
  assert.equal(await glance('catalog.long_tail = "all\n'), "off");
});
