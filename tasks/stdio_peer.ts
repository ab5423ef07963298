/**
 * A client transport over a spawned server: one JSON-RPC message a line, both ways.
 *
 * Serves the demo and the tests with either line of the official client. The packages' own stdio
 * transports leave timers behind after `close()`, which the test sanitizers rightly refuse.
 */

/** The transport interface both client lines expect. */
export interface ClientTransport {
  start(): Promise<void>;
  send(message: unknown): Promise<void>;
  close(): Promise<void>;
  // deno-lint-ignore no-explicit-any -- each client line has its own message type; both are JSON
  onmessage?: (message: any) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
}

/** A spawned server: its transport, the lines it wrote to stderr, and its exit. */
export interface StdioPeer {
  transport: ClientTransport;
  /** Everything the server wrote to stderr so far. */
  stderr(): string;
  /** Resolves with the exit code once the process has ended. */
  exited: Promise<number>;
}

/** How to start a server. */
export interface StdioPeerOptions {
  env?: Record<string, string>;
  cwd?: string;
  /** Changes a line on its way out, e.g. to open an older revision. */
  outbound?: (line: string) => string;
}

/** Starts `command` and speaks newline-delimited JSON-RPC with it. `close()` ends its stdin. */
export function spawnStdioPeer(
  command: readonly string[],
  options: StdioPeerOptions = {},
): StdioPeer {
  const [program, ...args] = command;
  if (program === undefined) throw new TypeError("command: must name a program");
  const child = new Deno.Command(program, {
    args,
    env: options.env,
    cwd: options.cwd,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  let stderr = "";
  const readErrors = collect(child.stderr, (text) => stderr += text);
  const exited = child.status.then((status) => status.code);
  let ended: Promise<void> | undefined;
  const transport: ClientTransport = {
    start() {
      const readMessages = collect(
        child.stdout,
        lineSplitter((line) => deliver(transport, line)),
      );
      // A server that dies ends the connection: whoever waits for an answer is told.
      ended = Promise.all([exited, readMessages, readErrors]).then(() => transport.onclose?.());
      return Promise.resolve();
    },
    async send(message) {
      const line = JSON.stringify(message);
      await writer.write(new TextEncoder().encode((options.outbound?.(line) ?? line) + "\n"));
    },
    async close() {
      await writer.close().catch(() => {
        // The server was gone already: there is no stdin left to close.
      });
      await ended;
    },
  };
  return { transport, stderr: () => stderr, exited };
}

function deliver(transport: ClientTransport, line: string): void {
  try {
    transport.onmessage?.(JSON.parse(line));
  } catch (error) {
    transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
  }
}

async function collect(stream: ReadableStream<Uint8Array>, take: (text: string) => void) {
  const decoder = new TextDecoder();
  for await (const chunk of stream) take(decoder.decode(chunk, { stream: true }));
}

function lineSplitter(take: (line: string) => void): (text: string) => void {
  let rest = "";
  return (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") take(line);
  };
}
