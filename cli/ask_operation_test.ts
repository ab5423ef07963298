import assert from "node:assert/strict";
import { runRecorded } from "./testing/recorded_host.ts";
import { SHAPED } from "./testing/shaped.ts";

const NO_COLOR = { NO_COLOR: "1" };
const dispatch = () => Promise.resolve(SHAPED);

Deno.test("ask: a person without an operation is asked what to do, and finds it with words", async () => {
  const run = await runRecorded(["read"], {
    dispatch,
    terminals: ["stdin", "stderr"],
    environment: NO_COLOR,
    stdin: "messages\n\n",
  });
  assert.equal(run.code, 0, run.stderr);
  assert.match(
    run.stderr,
    /^What do you want to do\? .*: {3}1 {2}gmail\.users\.messages\.\S+ .*\n/,
  );
  assert.match(run.stderr, /Which one\? \[1\]: /);
  assert.match(run.invocations[0]?.opId ?? "", /^gmail\.users\.messages\./);
});

Deno.test("ask: only operations of the command's risk class are offered, an id needs no search", async () => {
  const options = { dispatch, terminals: ["stdin", "stderr"] as const, environment: NO_COLOR };
  const none = await runRecorded(["destructive"], { ...options, stdin: "send email\n" });
  assert.equal(none.code, 2);
  assert.match(none.stderr, /no destructive operation found for "send email"/);
  const named = await runRecorded(["destructive", "--yes", "--args", '{"fileId":"f"}'], {
    ...options,
    stdin: "drive.files.delete\n",
  });
  assert.equal(named.invocations[0]?.opId, "drive.files.delete", named.stderr);
  const wrong = await runRecorded(["read"], { ...options, stdin: "messages\n99\n" });
  assert.match(wrong.stderr, /there is no number 99/);
  const silent = await runRecorded(["read"], { ...options, stdin: "\n" });
  assert.deepEqual([silent.code, silent.invocations], [2, []]);
  assert.match(silent.stderr, /missing argument <op_id>/);
});

Deno.test("ask: a pipe is never asked, and describe asks for any risk class", async () => {
  const piped = await runRecorded(["read"], { dispatch, stdin: "messages\n" });
  assert.equal(piped.stderr, "Error: missing argument <op_id>\n");
  const page = await runRecorded(["describe"], {
    terminals: ["stdin", "stdout", "stderr"],
    environment: NO_COLOR,
    stdin: "drive.files.delete\n",
  });
  assert.match(page.stdout, /^NAME\n {4}drive\.files\.delete/);
});

Deno.test("ask: the end of input ends the line of the question", async () => {
  const options = { terminals: ["stdin", "stderr"] as const, environment: NO_COLOR, stdin: "" };
  const { stderr } = await runRecorded(["read"], options);
  assert.match(stderr, /operation id\): \nError: missing argument <op_id>\n/);
  const field = await runRecorded(["read", "drive.files.delete"], options);
  assert.match(field.stderr, /^fileId: File id: \nError: /);
});
