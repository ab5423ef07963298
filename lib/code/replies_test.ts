import assert from "node:assert/strict";
import { openReplies } from "./sandbox.ts";
import { CONTROL_WORDS, SHARED_BYTES, WORD_FULL, WORD_STOP } from "./worker/protocol.ts";

Deno.test("replies: once a script is over, nothing reaches the mailbox of the next one", () => {
  const shared = new SharedArrayBuffer(SHARED_BYTES);
  const control = new Int32Array(shared, 0, CONTROL_WORDS);
  const replies = openReplies(shared);
  assert.equal(replies.post(1, "in time"), true);
  assert.equal(Atomics.load(control, WORD_FULL), 1);
  replies.post(2, "queued");
  replies.close();
  Atomics.store(control, WORD_FULL, 0);
  replies.taken();
  assert.equal(replies.post(3, "late"), true);
  replies.stop();
  assert.equal(Atomics.load(control, WORD_FULL), 0);
  assert.equal(Atomics.load(control, WORD_STOP), 0);
});
