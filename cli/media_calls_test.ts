import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { openSession } from "../lib/session/mod.ts";
import type { Session } from "../lib/session/types.ts";
import { processFactories } from "./host.ts";
import { sizeText } from "./media_calls.ts";
import { fileInput } from "./streams.ts";
import { type Recorded, type RecordedOptions, runRecorded } from "./testing/recorded_host.ts";
import { withFolder } from "./testing/spawned.ts";

interface Ran extends Recorded {
  requests: { method: string; path: string; range?: string }[];
}

/** Runs commands one after another on one emulated world, in one folder. */
async function inWorld(
  work: (
    run: (argv: readonly string[], options?: RecordedOptions) => Promise<Ran>,
    world: { home: string; session: Session },
  ) => Promise<void>,
): Promise<void> {
  await withFolder(async (home) => {
    const directories = { config: `${home}/c`, data: `${home}/d`, cache: `${home}/k` };
    const session = await openSession({ profileName: "default", emulator: true, directories });
    try {
      const emulator = session.emulator;
      assert.ok(emulator);
      const factories = {
        ...processFactories(),
        openSession: () => Promise.resolve({ ...session, close: () => Promise.resolve() }),
      };
      await work(async (argv, options = {}) => {
        emulator.clearJournal();
        const environment = { HOME: home, GUM_EMULATOR: "1", ...options.environment };
        const run = await runRecorded(argv, { ...options, environment, factories });
        const requests = emulator.journal.map((entry) => ({
          method: entry.method,
          path: entry.path,
          range: entry.headers["content-range"],
        }));
        return { ...run, requests };
      }, { home, session });
    } finally {
      await session.close();
    }
  });
}

function parsed(run: Recorded): Record<string, unknown> {
  assert.equal(run.code, 0, run.stderr);
  return JSON.parse(run.stdout);
}

function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

Deno.test("TestMediaCli: up with --upload, down with --download, byte for byte", async () => {
  await inWorld(async (run, { home }) => {
    const bytes = crypto.getRandomValues(new Uint8Array(40_000));
    await Deno.writeFile(`${home}/photo.png`, bytes);
    const up = parsed(
      await run([
        "call",
        "drive.files.create",
        "--risk=write",
        "name=../../Photo.png",
        "--upload",
        `${home}/photo.png`,
        "--json",
      ]),
    );
    assert.equal(up.mimeType, "image/png");
    await Deno.mkdir(`${home}/out`);
    const args = ["--args", JSON.stringify({ fileId: up.id })];
    const down = parsed(
      await run([
        "read",
        "drive.files.get",
        ...args,
        "--download",
        `${home}/out/`,
        "--format",
        "json",
      ]),
    );
    assert.deepEqual([down.name, down.size_bytes, down.sha256], [
      "_.._Photo.png",
      40_000,
      sha256(bytes),
    ]);
    assert.deepEqual(await Deno.readFile(`${home}/out/_.._Photo.png`), bytes);
    const again = await run(["read", "drive.files.get", ...args, "--download", `${home}/out/`]);
    assert.deepEqual([again.code, again.stdout], [2, ""]);
    assert.match(again.stderr, /--overwrite/);
    const replaced = await run([
      "read",
      "drive.files.get",
      ...args,
      "--download",
      `${home}/out/`,
      "--overwrite",
    ]);
    assert.equal(replaced.code, 0);
  });
});

Deno.test("TestMediaCli: - puts the bytes alone on stdout and their summary on stderr", async () => {
  await inWorld(async (run) => {
    const created = parsed(
      await run([
        "call",
        "drive.files.create",
        "--risk=write",
        "name=n.txt",
        "--upload",
        "-",
        "--json",
      ], {
        stdin: "line one\nline two",
      }),
    );
    const down = await run([
      "read",
      "drive.files.get",
      "--args",
      JSON.stringify({ fileId: created.id }),
      "--download",
      "-",
    ]);
    assert.deepEqual([down.code, down.stdout], [0, "line one\nline two"]);
    const summary = JSON.parse(down.stderr.trimEnd().split("\n").at(-1) ?? "");
    assert.deepEqual([summary.path, summary.sha256], ["-", sha256("line one\nline two")]);
  });
});

Deno.test("TestMediaCli: standard input of any length goes through a session", async () => {
  await inWorld(async (run) => {
    const stdin = "x".repeat(300_000);
    const up = await run([
      "write",
      "drive.files.create",
      "--allow-write",
      "--upload",
      "-",
      "--upload-type",
      "text/plain",
      "--args",
      '{"name":"s","fields":"size,mimeType"}',
      "--format",
      "json",
    ], { stdin });
    const answer = parsed(up);
    assert.deepEqual([answer.size, answer.mimeType], ["300000", "text/plain"]);
    assert.deepEqual(up.requests.map(({ method, range }) => [method, range]), [
      ["POST", undefined],
      ["PUT", "bytes 0-299999/300000"],
    ]);
  });
});

Deno.test("TestMediaCli: progress is drawn on a terminal only, and never on stdout", async () => {
  await inWorld(async (run, { home }) => {
    await Deno.writeFile(`${home}/a`, new Uint8Array(6_000_000));
    const created = parsed(
      await run(["call", "drive.files.create", "--risk=write", "--upload", `${home}/a`, "--json"]),
    );
    const get = ["read", "drive.files.get", "--args", JSON.stringify({ fileId: created.id })];
    const drawn = await run([...get, "--download", `${home}/b`], { terminals: ["stderr"] });
    assert.match(drawn.stderr, /\rdownloaded [0-9.]+ [KM]?i?B of 5\.7 MiB \([0-9]+%\)/);
    assert.ok(!drawn.stdout.includes("downloaded"));
    const piped = await run([...get, "--download", `${home}/c`]);
    assert.ok(!piped.stderr.includes("downloaded"));
    const told = await run([...get, "--download", `${home}/d`, "--log-level", "info"]);
    assert.match(told.stderr, /"msg":"downloaded so far"/);
  });
});

Deno.test("TestMediaCli: --decode saves an attachment", async () => {
  await inWorld(async (run, { home, session }) => {
    session.emulator?.addFault({
      match: { path: "/gmail/v1/users/me/messages/m/attachments/a" },
      effect: {
        kind: "non_json",
        body: JSON.stringify({ size: 5, data: "aGVsbG8" }),
        contentType: "application/json",
      },
    });
    const run1 = await run([
      "read",
      "gmail.users.messages.attachments.get",
      "--args",
      '{"messageId":"m","id":"a"}',
      "--download",
      `${home}/hello.txt`,
      "--decode",
      "data",
    ]);
    assert.equal(run1.code, 0, run1.stderr);
    assert.equal(await Deno.readTextFile(`${home}/hello.txt`), "hello");
  });
});

Deno.test("TestMediaCli: flags that cannot mean anything are refused before anything is sent", async () => {
  await inWorld(async (run) => {
    const cases = [
      ["read", "drive.files.get", "--overwrite"],
      ["read", "drive.files.get", "--decode", "data"],
      ["read", "drive.files.get", "--download", ""],
      ["write", "drive.files.create", "--upload-type", "a/b"],
      ["write", "drive.files.create", "--upload", "x", "--upload-type", "a/b\r\nEvil: 1"],
      ["write", "drive.files.create", "--upload", "-", "--args", "@-"],
      ["call", "drive.files.create", "--risk=write", "--download", "x"],
      ["call", "drive.files.get", "--risk=read", "--upload", "x", "fileId=1"],
      ["call", "drive.files.delete", "--risk=destructive", "--upload", "x", "fileId=1"],
      ["read", "drive.files.list", "--page-all", "--download", "x"],
      ["read", "drive.files.list", "--page-limit", "3"],
      ["read", "drive.files.list", "--page-all", "--page-items", "0"],
      ["read", "drive.files.list", "--page-all", "--page-limit", "-1"],
      ["read", "drive.files.list", "--page-all", "--ndjson", "-o", "csv"],
      ["call", "drive.files.create", "--risk=write", "name=x", "--page-all"],
    ];
    for (const argv of cases) {
      const bad = await run(argv);
      assert.deepEqual([bad.code, bad.stdout, bad.requests], [2, "", []], argv.join(" "));
      assert.match(bad.stderr, /^Error: CLI_ARG_INVALID/m, argv.join(" "));
    }
    const unknown = await run(["write", "drive.files.create", "--page-all"]);
    assert.match(unknown.stderr, /unknown flag: --page-all/);
  });
});

const LIST = ["read", "drive.files.list", "--args", '{"pageSize":5}', "--page-all"];

Deno.test("TestPageCli: --page-all gives one answer and says how far it came", async () => {
  await inWorld(async (run) => {
    const two = await run([...LIST, "--page-limit", "2", "--format", "json"]);
    const answer = parsed(two) as {
      files: unknown[];
      _pagination: Record<string, unknown>;
      _expression: Record<string, unknown>;
    };
    assert.equal(answer.files.length, 10);
    const { next_page_token: token, ...facts } = answer._pagination;
    assert.deepEqual(facts, { pages: 2, items: 10, complete: false, stopped_by: "page_limit" });
    assert.equal(typeof token, "string");
    assert.equal(answer._expression.result_count, 10);
    assert.equal(two.requests.length, 2);

    const csv = await run([...LIST, "--page-items", "12", "--page-delay", "0", "-o", "csv"]);
    assert.equal(csv.code, 0);
    assert.match(csv.stderr, /^\{"_pagination":\{"pages":3,"items":12,"complete":false,/m);
    const words = await run([...LIST, "--page-limit", "1"], { terminals: ["stderr"] });
    assert.match(words.stderr, /1 page, 5 records: stopped at the page limit/);
    const envelope = JSON.parse((await run([...LIST, "--page-limit", "1", "--envelope"])).stdout);
    assert.equal(envelope._pagination.pages, 1);
  });
});

Deno.test("TestPageCli: --ndjson prints one record a line while pages arrive", async () => {
  await inWorld(async (run, { session }) => {
    const whole = parsed(
      await run([
        "read",
        "drive.files.list",
        "--max-items",
        "all",
        "--args",
        '{"pageSize":1000}',
        "--format",
        "json",
      ]),
    ) as { files: unknown[] };
    const streamed = await run([...LIST, "--page-limit", "0", "--page-delay", "0", "--ndjson"]);
    assert.equal(streamed.code, 0);
    const lines = streamed.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(lines, whole.files);
    assert.match(
      streamed.stderr,
      /\{"_pagination":\{"pages":[0-9]+,"items":[0-9]+,"complete":true\}\}/,
    );

    session.emulator?.addFault({
      times: Infinity,
      match: { path: "/drive/v3/files" },
      effect: { kind: "repeat_page_token" },
    });
    const looped = await run([...LIST, "--args", '{"pageSize":4}', "--ndjson"]);
    assert.equal(looped.code, 8);
    assert.match(looped.stderr, /repeated_token/);
  });
});

Deno.test("TestPageCli: a failing later page is a partial result, exit code 8, with its error", async () => {
  await inWorld(async (run, { session }) => {
    const { kernel } = session;
    const dispatch = kernel.dispatch.bind(kernel);
    let failing = true;
    kernel.dispatch = (invocation, signal) => {
      if (failing && invocation.batch?.index === 2) {
        session.emulator?.addFault({
          match: { path: "/drive/v3/files" },
          effect: { kind: "status", status: 400 },
        });
      }
      return dispatch(invocation, signal);
    };
    const partial = await run([...LIST, "--page-delay", "0", "--format", "json"]);
    assert.equal(partial.code, 8);
    const answer = JSON.parse(partial.stdout);
    assert.deepEqual([answer.files.length, answer._pagination.stopped_by], [10, "error"]);
    assert.match(partial.stderr, /"error_code": "INVALID_ARGS"/);
    failing = false;
    session.emulator?.addFault({
      match: { path: "/drive/v3/files" },
      effect: { kind: "status", status: 400 },
    });
    const first = await run(["read", "drive.files.list", "--args", '{"pageSize":6}', "--page-all"]);
    assert.deepEqual([first.code, first.stdout], [2, ""]);
  });
});

Deno.test("TestPageCli: an interrupted loop shows what came and ends with the signal's code", async () => {
  await inWorld(async (run, { session }) => {
    const controller = new AbortController();
    const { kernel } = session;
    const dispatch = kernel.dispatch.bind(kernel);
    kernel.dispatch = async (invocation, signal) => {
      const answer = await dispatch(invocation, signal);
      if (invocation.batch?.index === 1) controller.abort(new Error("SIGINT"));
      return answer;
    };
    const stopped = await run([...LIST, "--format", "json"], { signal: controller.signal });
    assert.equal(stopped.code, 130);
    assert.equal(JSON.parse(stopped.stdout)._pagination.stopped_by, "abort");
  });
});

Deno.test("pieces: standard input comes as it is typed, and what was read ahead is not lost", async () => {
  const given = ["first line\nrest ", "of it", ""];
  let at = 0;
  const input = fileInput({
    read(into) {
      const text = given[at++];
      if (text === undefined) return Promise.resolve(null);
      return Promise.resolve(new TextEncoder().encodeInto(text, into).written);
    },
  });
  const { signal } = new AbortController();
  assert.equal(await input.readLine(signal), "first line");
  const pieces: string[] = [];
  for await (const piece of input.pieces(signal)) pieces.push(new TextDecoder().decode(piece));
  assert.deepEqual(pieces, ["rest ", "of it"]);
});

Deno.test("sizeText: the unit people read", () => {
  assert.deepEqual([0, 1023, 1024, 1536, 104_857_600, 2 ** 31, 2 ** 50].map(sizeText), [
    "0 B",
    "1023 B",
    "1.0 KiB",
    "1.5 KiB",
    "100 MiB",
    "2.0 GiB",
    "1024 TiB",
  ]);
});
