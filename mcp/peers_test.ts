import { deepStrictEqual, equal, ok } from "node:assert/strict";
import type { JsonObject } from "../lib/json/mod.ts";
import { gumProgram } from "../tasks/gum_program.ts";
import {
  connectPeer,
  type FormHandler,
  homeVariables,
  PEER_KINDS,
  type PeerClient,
  type PeerKind,
} from "./testdata/sdk_peers.ts";

/** The command line of a real server on the built-in emulator. */
function serverCommand(...flags: string[]): string[] {
  return [...gumProgram(), "mcp", "--stdio", "--emulator", ...flags];
}

async function withClient(
  kind: PeerKind,
  use: (client: PeerClient) => Promise<void>,
  onForm?: FormHandler,
): Promise<void> {
  const client = await connectPeer(kind, serverCommand(), { onForm });
  try {
    await use(client);
  } finally {
    await client.close();
  }
}

/**
 * Comparable across revisions and servers: what the SDK adds to 2026 results is not GUM's, and where
 * a result was kept depends on the server's own secret and clock.
 */
function essence(result: Record<string, unknown>): unknown {
  const { content, structuredContent, isError } = result;
  return JSON.parse(
    JSON.stringify(
      { content, structuredContent, isError },
      (key, value) => /^(?:full_result_|artifact_expires_at$|uri$)/.test(key) ? "kept" : value,
    )
      .replaceAll(/[^\s"]*\/tee\/[^\s"]*\.json\.gz/g, "kept"),
  );
}

for (const kind of PEER_KINDS) {
  Deno.test(`TestToolAnnotationsWireForm: ${kind} sees 29 tools with boolean hints`, async () => {
    await withClient(kind, async (client) => {
      const { tools } = await client.listTools();
      equal(tools.length, 29);
      for (const { name, annotations } of tools) {
        const hints = annotations as Record<string, unknown>;
        deepStrictEqual(Object.keys(hints).toSorted(), ["destructiveHint", "readOnlyHint"], name);
        ok(Object.values(hints).every((hint) => typeof hint === "boolean"), name);
      }
      deepStrictEqual(client.getServerCapabilities(), {
        completions: {},
        prompts: {},
        resources: {},
        tools: {},
      });
    });
  });

  Deno.test(`${kind} searches, describes, reads, writes and deletes on the emulator`, async () => {
    await withClient(kind, async (client) => {
      // The SDK clients hold results to the listed output schemas once they know them.
      await client.listTools();
      const call = (name: string, args: Record<string, unknown>) =>
        client.callTool({ name, arguments: args });
      const found = await call("gum.search_apis", { query: "list gmail labels" });
      ok(JSON.stringify(found.structuredContent).includes("gmail.users.labels.list"));

      const described = await call("gum.describe_op", { op_id: "gmail.users.labels.list" });
      equal((described.structuredContent as JsonObject).risk_class, "read");

      const read = await call("gum.read", {
        op_id: "gmail.users.labels.list",
        args: { userId: "me" },
        format: "json",
      });
      equal(read.isError, undefined, JSON.stringify(read));
      ok(JSON.stringify(read.structuredContent).includes("INBOX"));

      const wrong = await call("gum.read", { op_id: "gmail.users.labels.delete" });
      equal(wrong.isError, true);
      equal(envelope(wrong).error_code, "RISK_TOOL_MISMATCH");

      const created = await call("gum.write", {
        op_id: "gmail.users.labels.create",
        args: { userId: "me", body: { name: "Peer test" } },
        format: "json",
      });
      equal(created.isError, undefined, JSON.stringify(created));
      const { id } = (created.structuredContent as { data: { id: string } }).data;

      const target = { op_id: "gmail.users.labels.delete", args: { userId: "me", id } };
      const asked = envelope(await call("gum.destructive", target));
      equal(asked.error_code, "REQUIRES_CONFIRMATION");
      const done = await call("gum.destructive", {
        ...target,
        confirmed: true,
        confirmation_token: asked.confirmation_token,
      });
      equal(done.isError, undefined, JSON.stringify(done));
      const replayed = envelope(
        await call("gum.destructive", {
          ...target,
          confirmed: true,
          confirmation_token: asked.confirmation_token,
        }),
      );
      equal(replayed.error_code, "CONFIRMATION_TOKEN_INVALID");
    });
  });

  Deno.test(`${kind} uses resources, prompts and completions`, async () => {
    await withClient(kind, async (client) => {
      equal((await client.listResources()).resources.length, 5);
      equal((await client.listResourceTemplates()).resourceTemplates.length, 6);
      equal((await client.listPrompts()).prompts.length, 2);
      equal((await client.getPrompt({ name: "gum.audit_recent_writes" })).messages.length, 1);
      const { contents } = await client.readResource({ uri: "gum://op/gmail.users.labels.list" });
      equal(JSON.parse(contents[0]?.text ?? "{}").op_id, "gmail.users.labels.list");
      const { completion } = await client.complete({
        ref: { type: "ref/resource", uri: "gum://op/{id}" },
        argument: { name: "id", value: "gmail.users.labels.l" },
      });
      deepStrictEqual(completion.values, ["gmail.users.labels.list"]);
    });
  });
}

for (const kind of PEER_KINDS) {
  Deno.test(`${kind} confirms through its own form, or without one that works`, async () => {
    const call = {
      name: "tasks_create",
      arguments: { tasklist: "@default", task: { title: "Call the plumber" } },
    };
    const shown: string[] = [];
    const answering = (action: "accept" | "cancel" | "fail"): FormHandler => ({ message }) => {
      shown.push(message);
      if (action === "fail") throw new Error("no window to show it in");
      return action === "accept" ? { action, content: { confirm: true } } : { action };
    };
    await withClient(kind, async (client) => {
      const result = await client.callTool(call);
      equal(result.isError, undefined, JSON.stringify(result));
    }, answering("accept"));
    ok(shown[0]?.includes("Call the plumber"), shown[0] ?? "no form was shown");
    // A 2026 client keeps a failing form to itself: its call never gets an answer to send.
    const failing = kind === "2.x 2026-07-28" ? ["cancel"] as const : ["cancel", "fail"] as const;
    for (const action of failing) {
      await withClient(kind, async (client) => {
        const { isError, content } = await client.callTool(call);
        equal(isError, true);
        const envelope = JSON.parse((content as { text: string }[])[0]?.text ?? "");
        equal(envelope.error_code, "REQUIRES_CONFIRMATION", action);
        const confirmed = await client.callTool({
          name: call.name,
          arguments: {
            ...call.arguments,
            confirmed: true,
            confirmation_token: envelope.confirmation_token,
          },
        });
        equal(confirmed.isError, undefined, JSON.stringify(confirmed));
      }, answering(action));
    }
  });
}

Deno.test("every peer gets the same answers", async () => {
  const answers: unknown[] = [];
  for (const kind of PEER_KINDS) {
    await withClient(kind, async (client) => {
      answers.push([
        essence(
          await client.callTool({
            name: "gum.search_apis",
            arguments: { query: "send a mail", k: 3 },
          }),
        ),
        essence(await client.callTool({ name: "gum.describe_op", arguments: { op_id: "nope" } })),
        essence(await client.callTool({ name: "gum.read", arguments: {} })),
        essence(
          await client.callTool({
            name: "gmail_search",
            arguments: { userId: "me", maxResults: 3 },
          }),
        ),
      ]);
    });
  }
  for (const answer of answers) deepStrictEqual(answer, answers[0]);
});

function envelope(result: Record<string, unknown>): JsonObject {
  const [block] = result.content as { text: string }[];
  return JSON.parse(block?.text ?? "{}");
}

/** Feeds lines to a fresh server and gives everything it printed. */
async function feed(
  lines: readonly string[],
  options: { keepOpen?: Promise<unknown>; flags?: string[] } = {},
): Promise<{ stdout: string; stderr: string; code: number; closedToExit: number }> {
  const [program = "", ...args] = serverCommand(...options.flags ?? []);
  const home = await Deno.makeTempDir({ prefix: "gum-peer-" });
  const child = new Deno.Command(program, {
    args,
    env: homeVariables(home),
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const output = Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(lines.join("")));
  await options.keepOpen;
  const closed = performance.now();
  await writer.close();
  const { code } = await child.status;
  const closedToExit = performance.now() - closed;
  const [stdout, stderr] = await output;
  await Deno.remove(home, { recursive: true });
  return { stdout, stderr, code, closedToExit };
}

const OPENING = [
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",' +
  '"capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}\n',
  '{"jsonrpc":"2.0","method":"notifications/initialized"}\n',
];

Deno.test("TestStdioFramingClean: every line of a spawned server is a message, and it ends by itself", async () => {
  const { stdout, code, closedToExit } = await feed([
    "garbage\n",
    "\n",
    "[]\n",
    OPENING[0]?.replace("\n", "\r\n") ?? "",
    OPENING[1] ?? "",
    '{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n',
    '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"gmail_search",' +
    '"arguments":{"userId":"me","maxResults":2}}}\n',
    '{"jsonrpc":"2.0","id":4,"method":"ping"}',
  ]);
  const lines = stdout.split("\n");
  equal(lines.pop(), "");
  const messages = lines.map((line) => {
    ok(!line.includes("\r"));
    return JSON.parse(line);
  });
  ok(messages.every((message) => message.jsonrpc === "2.0"));
  deepStrictEqual(messages.map(({ id }) => id).toSorted(), [1, 2, 3, 4, null, null].toSorted());
  equal(code, 0);
  ok(closedToExit < 5_000, `${closedToExit} ms`);
});

Deno.test("TestStdioFramingClean: the emulator is announced on stderr, not on stdout", async () => {
  const { stdout, stderr } = await feed(OPENING);
  ok(stderr.includes("emulator"));
  equal(stdout.trim().split("\n").length, 1);
});

Deno.test("a termination signal ends the server cleanly", async () => {
  const [program = "", ...args] = serverCommand();
  const child = new Deno.Command(program, { args, stdin: "piped", stdout: "piped", stderr: "null" })
    .spawn();
  const writer = child.stdin.getWriter();
  const reader = child.stdout.getReader();
  await writer.write(new TextEncoder().encode(OPENING.join("")));
  await reader.read();
  child.kill("SIGTERM");
  const { code, signal } = await child.status;
  equal(signal, null);
  equal(code, 0);
  await writer.close().catch(() => {});
  await reader.cancel();
});

Deno.test("gum mcp takes tool names and read-only from its flags", async () => {
  const list = '{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n';
  const named = await feed([...OPENING, list], { flags: ["--tool-names=underscore"] });
  ok(named.stdout.includes('"gum_search_apis"') && !named.stdout.includes('"gum.search_apis"'));
  const reading = await feed([...OPENING, list], { flags: ["--read-only"] });
  ok(!reading.stdout.includes('"gum.write"') && reading.stdout.includes('"gum.read"'));
});
