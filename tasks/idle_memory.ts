/**
 * How much memory a server holds that has opened, listed and answered, and waits (spec 00 §8).
 *
 *     deno run -q -P=test tasks/idle_memory.ts [--emulator]
 *
 * Prints the figure; the exit code is 1 above the budget.
 */

const BUDGET_MB = 120;

/** One session's opening, and two calls that load what calls load. */
const LINES = [
  {
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "memory", version: "1" },
    },
  },
  { method: "notifications/initialized" },
  { id: 2, method: "tools/list" },
  { id: 3, method: "tools/call", params: { name: "gmail_search", arguments: { userId: "me" } } },
  {
    id: 4,
    method: "tools/call",
    params: { name: "gum.search_apis", arguments: { query: "mail" } },
  },
];

/** Resident megabytes of a process, as its system counts them. */
async function residentMegabytes(pid: number): Promise<number> {
  const { stdout } = await new Deno.Command("ps", { args: ["-o", "rss=", "-p", `${pid}`] })
    .output();
  return Number(new TextDecoder().decode(stdout)) / 1024;
}

/**
 * Serves one session and measures it once it has answered and is quiet. With `emulator`, a seeded
 * Google lives in the same process and its mail is searched; without, that call is refused.
 */
export async function measureIdleMemory({ emulator }: { emulator: boolean }): Promise<number> {
  const home = await Deno.makeTempDir({ prefix: "gum-memory-" });
  const main = new URL("../main.ts", import.meta.url).pathname;
  const choice = emulator ? ["--emulator"] : [];
  const server = new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "--no-prompt", "-P=gum", main, "mcp", "--stdio", ...choice],
    env: { XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = server.stdin.getWriter();
  try {
    const text = LINES.map((line) => JSON.stringify({ jsonrpc: "2.0", ...line }) + "\n").join("");
    await writer.write(new TextEncoder().encode(text));
    const answered = new Set<number>();
    const reader = server.stdout.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    while (answered.size < 4) {
      const { done, value } = await reader.read();
      if (done) throw new Error("the server ended early");
      const lines = (rest + value).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) answered.add(JSON.parse(line).id);
    }
    const resident = await residentMegabytes(server.pid);
    await reader.cancel();
    return resident;
  } finally {
    await writer.close().catch(() => {});
    await server.status;
    await Deno.remove(home, { recursive: true });
  }
}

if (import.meta.main) {
  const megabytes = await measureIdleMemory({ emulator: Deno.args.includes("--emulator") });
  const line = `idle MCP server: ${megabytes.toFixed(0)} MB resident (budget ${BUDGET_MB} MB)\n`;
  Deno.stdout.writeSync(new TextEncoder().encode(line));
  if (megabytes > BUDGET_MB) Deno.exit(1);
}
