/**
 * `deno task demo`: an agent's session with GUM on the built-in emulator, narrated.
 *
 * Starts `gum mcp --stdio --emulator`, connects a real MCP client and plays the main job: find an
 * operation, read its contract, call it, write, delete behind a confirmation, be refused, and make
 * a mistake. Every step is checked; the first one that misbehaves ends the demo with exit code 1.
 *
 * `GUM_BIN` names a compiled executable to run instead of the sources.
 */

import { Client } from "@modelcontextprotocol/client";
import { countTokens } from "gpt-tokenizer/encoding/cl100k_base";
import { gumProgram } from "./gum_program.ts";
import { spawnStdioPeer } from "./stdio_peer.ts";

/** The part of a tool result the demo reads. */
interface ToolAnswer {
  isError?: boolean;
  content: { type: string; text?: string }[];
  structuredContent?: Record<string, unknown>;
}

const DEADLINE_MS = 15_000;
const PLAIN = Deno.noColor || !Deno.stdout.isTerminal();
const paint = (code: number) => (text: string) => PLAIN ? text : `\x1b[${code}m${text}\x1b[0m`;
const bold = paint(1);
const dim = paint(2);
const red = paint(31);
const green = paint(32);
const yellow = paint(33);
const cyan = paint(36);

/** Fails the demo when what should hold does not. */
function expect(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`the demo expected ${what}`);
}

function say(line = ""): void {
  console.log(line);
}

function heading(number: number, title: string): void {
  say();
  say(bold(`${number}. ${title}`));
}

function text(answer: ToolAnswer): string {
  return answer.content.find((block) => block.type === "text")?.text ?? "";
}

/** Prints at most `lines` lines of a result, and how many are left. */
function show(body: string, lines = 8): void {
  const all = body.trimEnd().split("\n");
  for (const line of all.slice(0, lines)) {
    say(dim("   │ ") + (line.length > 104 ? line.slice(0, 103) + "…" : line));
  }
  if (all.length > lines) say(dim(`   │ … ${all.length - lines} more lines`));
}

function envelope(answer: ToolAnswer): Record<string, unknown> {
  return JSON.parse(text(answer));
}

/** Starts the server and hands a connected client to `play`; the server always ends with it. */
async function withClient(play: (client: Client) => Promise<void>): Promise<void> {
  const home = await Deno.makeTempDir({ prefix: "gum-demo-" });
  const root = new URL("..", import.meta.url).pathname;
  const peer = spawnStdioPeer([...gumProgram(), "mcp", "--stdio", "--emulator"], {
    cwd: root,
    // Its own configuration and data; the cache folder stays, because Deno keeps its packages there.
    env: { XDG_CONFIG_HOME: home, XDG_DATA_HOME: home },
  });
  const client = new Client({ name: "gum-demo", version: "1.0.0" });
  try {
    await client.connect(peer.transport);
    await play(client);
  } catch (error) {
    say(red("\nserver stderr:\n") + peer.stderr());
    throw error;
  } finally {
    await client.close();
    await Deno.remove(home, { recursive: true });
  }
  const code = await peer.exited;
  expect(code === 0, `the server to end with exit code 0, not ${code}`);
}

/** The session. */
async function play(client: Client): Promise<void> {
  const totals = { before: 0, after: 0 };
  const call = async (name: string, args: Record<string, unknown>): Promise<ToolAnswer> => {
    const shown = JSON.stringify(args);
    say(cyan(` → ${name} `) + (shown.length > 96 ? shown.slice(0, 95) + "…" : shown));
    return await client.callTool({ name, arguments: args }) as ToolAnswer;
  };
  /** Calls a read twice: shaped, and as a plain API client would get it, for the token figures. */
  const read = async (opId: string, args: Record<string, unknown>): Promise<ToolAnswer> => {
    const shaped = await call("gum.read", { op_id: opId, args });
    expect(!shaped.isError, `${opId} to succeed, got ${text(shaped)}`);
    const plain = await client.callTool({
      name: "gum.read",
      arguments: { op_id: opId, args, fields: "*", format: "raw" },
    }) as ToolAnswer;
    const [before, after] = [countTokens(text(plain)), countTokens(text(shaped))];
    totals.before += before;
    totals.after += after;
    const saved = Math.round(100 * (1 - after / before));
    show(text(shaped));
    say(green(`   ${before} tokens from the API, ${after} after shaping: ${saved} % saved`));
    return shaped;
  };

  say(bold("GUM: find an operation, read its contract, call it, get a shaped answer"));
  say(dim("Everything below runs on the built-in emulator: no Google account, no network."));

  heading(1, "The agent sees 29 tools, not thousands");
  const { tools } = await client.listTools();
  const toolTokens = countTokens(JSON.stringify({ tools }));
  expect(tools.length === 29, `29 tools, got ${tools.length}`);
  say(`   ${tools.slice(0, 9).map((tool) => tool.name).join("  ")} …`);
  say(green(`   ${toolTokens} tokens for the whole list`));

  heading(2, "Find the operation");
  const found = await call("gum.search_apis", { query: "list unread messages", k: 3 });
  show(text(found), 12);
  expect(text(found).includes("gmail.users.messages.list"), "the search to find messages.list");

  heading(3, "Read its contract");
  const contract = await call("gum.describe_op", { op_id: "gmail.users.messages.list" });
  const described = contract.structuredContent ?? {};
  const params = (described.params as { name: string; required?: boolean }[]).map((param) =>
    param.required ? bold(param.name) : param.name
  );
  say(`   risk class ${described.risk_class}; arguments: ${params.join(", ")}`);
  expect(described.risk_class === "read", "a read operation");

  heading(4, "Call it: a list, then one message");
  const list = await read("gmail.users.messages.list", { userId: "me", q: "is:unread" });
  const rows = text(list).split("\n\n")[1]?.trim().split("\n") ?? [];
  const messageId = rows[0]?.split(",")[0] ?? "";
  expect(/^[0-9a-f]+$/.test(messageId), `a message id in the first row, got "${messageId}"`);
  await read("gmail.users.messages.get", { userId: "me", id: messageId });
  await read("drive.files.list", { pageSize: 20 });
  await read("calendar.events.list", { calendarId: "primary", maxResults: 20 });

  heading(5, "Write");
  const created = await call("gum.write", {
    op_id: "tasks.tasks.insert",
    args: { tasklist: "@default", body: { title: "Answer the unread mail" } },
  });
  expect(!created.isError, `the task to be created, got ${text(created)}`);
  show(text(created), 3);

  heading(6, "Delete: nothing happens until the exact request is confirmed");
  const target = { op_id: "gmail.users.messages.delete", args: { userId: "me", id: messageId } };
  const asked = envelope(await call("gum.destructive", target));
  expect(asked.error_code === "REQUIRES_CONFIRMATION", `a confirmation, got ${asked.error_code}`);
  say(yellow(`   ${asked.error_code}: ${asked.user_message}`));
  say(`   ${JSON.stringify(asked.pending_request)}`);
  const confirmation = { confirmed: true, confirmation_token: asked.confirmation_token };
  const other = envelope(
    await call("gum.destructive", {
      op_id: target.op_id,
      args: { userId: "me", id: "another-message" },
      ...confirmation,
    }),
  );
  expect(other.error_code === "CONFIRMATION_TOKEN_INVALID", "the token to fit one request only");
  say(yellow(`   ${other.error_code} (${other.reason}): the token fits no other request`));
  const done = await call("gum.destructive", { ...target, ...confirmation });
  expect(!done.isError, `the delete to run, got ${text(done)}`);
  say(green("   deleted"));
  const again = envelope(await call("gum.destructive", { ...target, ...confirmation }));
  expect(again.reason === "replayed", `a spent token, got ${again.reason}`);
  say(yellow(`   ${again.error_code} (${again.reason}): and it fits only once`));
  const gone = envelope(
    await call("gum.read", { op_id: "gmail.users.messages.get", args: { id: messageId } }),
  );
  expect(
    gone.error_code === "RESOURCE_NOT_FOUND",
    `the message to be gone, got ${gone.error_code}`,
  );
  say(yellow(`   ${gone.error_code}: the message is gone`));

  heading(7, "Refused: the wrong tool for the risk");
  const refused = envelope(await call("gum.read", { ...target }));
  expect(refused.error_code === "RISK_TOOL_MISMATCH", `a refusal, got ${refused.error_code}`);
  say(yellow(`   ${refused.error_code}: use ${refused.required_tool}`));

  heading(8, "A mistake, and how to mend it");
  const mistake = envelope(
    await call("gum.read", { op_id: "gmail.users.mesages.list", args: {} }),
  );
  expect(mistake.error_code === "OP_NOT_FOUND", `an unknown operation, got ${mistake.error_code}`);
  const suggestions = mistake.suggestions as string[];
  expect(suggestions[0] === "gmail.users.messages.list", "the right id as first suggestion");
  say(yellow(`   ${mistake.error_code}: did you mean ${suggestions[0]}?`));

  say();
  const saved = Math.round(100 * (1 - totals.after / totals.before));
  say(bold(green(`Reads: ${totals.before} tokens became ${totals.after}: ${saved} % saved.`)));
  say('Next: deno task gum --emulator search "share a file"');
}

if (import.meta.main) {
  const timer = setTimeout(() => {
    console.error(red(`demo: not finished after ${DEADLINE_MS} ms`));
    Deno.exit(1);
  }, DEADLINE_MS);
  try {
    await withClient(play);
  } catch (error) {
    console.error(red(`demo: ${error instanceof Error ? error.message : String(error)}`));
    Deno.exitCode = 1;
  }
  clearTimeout(timer);
}
