import assert from "node:assert/strict";
import { BrokenOutputError, fileInput, fileOutput } from "./streams.ts";

const never = new AbortController().signal;

/** Hands out the given pieces, one a read. */
function pieces(...texts: string[]) {
  const queue = texts.map((text) => new TextEncoder().encode(text));
  return {
    read(into: Uint8Array): Promise<number | null> {
      const next = queue.shift();
      if (next === undefined) return Promise.resolve(null);
      into.set(next);
      return Promise.resolve(next.length);
    },
  };
}

Deno.test("fileInput: lines across reads, CR stripped, last line without an end", async () => {
  const input = fileInput(pieces("on", "e\r\ntw", "o\n", "\nlast"));
  const lines = [];
  for (let line; (line = await input.readLine(never)) !== undefined;) lines.push(line);
  assert.deepEqual(lines, ["one", "two", "", "last"]);
  assert.equal(await input.readLine(never), undefined);
});

Deno.test("fileInput: readAll keeps what a line read left over, and its limit", async () => {
  const input = fileInput(pieces("first\nre", "st"));
  assert.equal(await input.readLine(never), "first");
  assert.equal(new TextDecoder().decode(await input.readAll(100, never)), "rest");
  await assert.rejects(fileInput(pieces("abc", "def")).readAll(5, never), RangeError);
});

Deno.test("fileInput: a wait for input ends when the signal aborts", async () => {
  const hanging = { read: () => new Promise<number | null>(() => {}) };
  const controller = new AbortController();
  const line = fileInput(hanging).readLine(controller.signal);
  const all = fileInput(hanging).readAll(10, controller.signal);
  controller.abort(new Error("SIGINT"));
  await assert.rejects(line, /SIGINT/);
  await assert.rejects(all, /SIGINT/);
});

Deno.test("fileInput: the line after a wait that was given up goes to the next wait", async () => {
  const reads: ((text: string) => void)[] = [];
  const input = fileInput({
    read: (into) =>
      new Promise((resolve) =>
        reads.push((text) => resolve(new TextEncoder().encodeInto(text, into).written))
      ),
  });
  const leaving = new AbortController();
  const left = input.readLine(leaving.signal);
  leaving.abort(new Error("answered in the browser"));
  await assert.rejects(left, /answered in the browser/);
  const next = input.readLine(never);
  assert.equal(reads.length, 1, "one read is under way");
  reads[0]?.("yes\n");
  assert.equal(await next, "yes");
});

Deno.test("fileOutput: short writes are continued, a broken pipe has its own error", () => {
  const written: number[] = [];
  const output = fileOutput({
    writeSync(bytes) {
      written.push(bytes[0] ?? 0);
      return 1;
    },
  });
  output.write("abc");
  assert.deepEqual(written, [97, 98, 99]);
  const broken = fileOutput({
    writeSync() {
      throw new Deno.errors.BrokenPipe();
    },
  });
  assert.throws(() => broken.write("x"), BrokenOutputError);
});
