import assert from "node:assert/strict";
import { readBounded } from "./mod.ts";

Deno.test("readBounded: whole files up to the limit, of any size in between", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const path = `${directory}/a b "ü".bin`;
    for (const size of [0, 1, 99, 100]) {
      const bytes = crypto.getRandomValues(new Uint8Array(size));
      await Deno.writeFile(path, bytes);
      assert.deepEqual(await readBounded(path, 100), bytes);
    }
    await Deno.writeFile(path, new Uint8Array(101));
    await assert.rejects(readBounded(path, 100), RangeError);
    await assert.rejects(readBounded(directory, 100), Deno.errors.IsADirectory);
    await assert.rejects(readBounded(`${path}.absent`, 100), Deno.errors.NotFound);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test({
  name: "readBounded: what has no size is read as far as the limit, and no further",
  ignore: Deno.build.os === "windows",
  async fn() {
    await assert.rejects(readBounded("/dev/zero", 1_000_000), RangeError);
    assert.deepEqual(await readBounded("/dev/null", 10), new Uint8Array());
  },
});
