import assert from "node:assert/strict";
import { inspect } from "node:util";
import { secret } from "./mod.ts";

Deno.test("a secret shows itself in no way but reveal", () => {
  const text = "ya29.top-secret";
  const hidden = secret(text);
  assert.equal(hidden.reveal(), text);
  const shown = [
    String(hidden),
    `${hidden}`,
    hidden + "",
    JSON.stringify(hidden),
    JSON.stringify({ nested: [hidden] }),
    Deno.inspect(hidden),
    Deno.inspect({ nested: hidden }, { depth: 10, showHidden: true }),
    inspect(hidden),
    inspect({ nested: hidden }, { depth: 10, showHidden: true }),
    Object.entries(hidden).map(String).join(),
    new Error("x", { cause: hidden }).stack ?? "",
    JSON.stringify(Object.getOwnPropertyDescriptors(hidden)),
  ];
  for (const output of shown) assert.ok(!output.includes(text), output);
  assert.equal(String(hidden), "[redacted]");
  assert.equal(JSON.stringify(hidden), '"[redacted]"');
  assert.equal(Deno.inspect(hidden), "[redacted]");
  assert.equal(inspect(hidden), "[redacted]");
  assert.throws(() => Object.assign(hidden, { reveal: () => "" }));
});
