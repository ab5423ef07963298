import assert from "node:assert/strict";
import { auditRow, createFileAuditSink, disabledAuditSink } from "./mod.ts";

const clock = { now: () => Date.parse("2026-05-23T14:30:00.123Z"), sleep: () => Promise.resolve() };

Deno.test("TestAuditEntryShape: version and time lead, known keys follow in order, others sorted", () => {
  const row = auditRow({
    zulu: 1,
    panic: true,
    request_id: "r",
    risk_override: false,
    risk_class: "read",
    client_id: "cli",
    args_hash: "h",
    variant_id: "v",
    op_id: "o",
    alpha: 2,
  }, clock.now());
  assert.equal(
    JSON.stringify(row),
    '{"v":1,"ts":"2026-05-23T14:30:00.123Z","op_id":"o","variant_id":"v","args_hash":"h",' +
      '"client_id":"cli","risk_class":"read","risk_override":false,"panic":true,' +
      '"alpha":2,"request_id":"r","zulu":1}',
  );
});

Deno.test("rows are appended as lines of a private file; several sinks never mix theirs", async () => {
  const directory = await Deno.makeTempDir({ prefix: "gum-audit-" });
  try {
    const path = `${directory}/audit.jsonl`;
    using first = createFileAuditSink(path, { clock });
    using second = createFileAuditSink(path, { clock });
    for (let index = 0; index < 50; index++) {
      first.append({ op_id: "first", text: "x".repeat(200) });
      second.append({ op_id: "second" });
    }
    disabledAuditSink.append({ op_id: "nowhere" });
    const lines = (await Deno.readTextFile(path)).trimEnd().split("\n");
    assert.equal(lines.length, 100);
    assert.equal(lines.filter((line) => JSON.parse(line).op_id === "first").length, 50);
    if (Deno.build.os !== "windows") {
      assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
