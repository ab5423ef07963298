/**
 * A small MCP server over standard input and output: one JSON-RPC message a line, tools only.
 *
 * Copy it into a plugin as it is. It imports nothing, because a `deno-script` plugin may load no
 * code but its own.
 */

/** A tool and what it does. What `run` returns becomes the answer. */
export interface Tool {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
  run(args: Record<string, unknown>): unknown;
}

/** A failure that the caller is meant to understand; every other one is reported as a fault. */
export class ToolFailure extends Error {
  /** How GUM should treat it. */
  readonly code: "RATE_LIMIT" | "AUTH_EXPIRED" | "PARSE_FAILURE" | "SERVICE_DOWN" | "INVALID_INPUT";
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ToolFailure["code"],
    message: string,
    options: { retryable?: boolean; retryAfterMs?: number } = {},
  ) {
    super(message);
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}

interface Message {
  id?: string | number;
  method: string;
  params?: { name?: string; arguments?: Record<string, unknown>; protocolVersion?: string };
}

/** Serves until the input ends. */
export async function serve(
  info: { name: string; version: string },
  tools: readonly Tool[],
): Promise<void> {
  let rest = "";
  for await (const piece of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      // Not awaited: a slow call must not keep the next one waiting.
      if (line.trim() !== "") void answer(JSON.parse(line), { info, tools });
    }
  }
}

async function answer(
  message: Message,
  served: { info: { name: string; version: string }; tools: readonly Tool[] },
): Promise<void> {
  const { id, method, params = {} } = message;
  if (id === undefined) return;
  const { info, tools } = served;
  if (method === "initialize") {
    const protocolVersion = params.protocolVersion ?? "2025-06-18";
    return send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo: info } });
  }
  if (method === "ping") return send({ id, result: {} });
  if (method === "tools/list") {
    const listed = tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    }));
    return send({ id, result: { tools: listed } });
  }
  const tool = method === "tools/call" ? tools.find(({ name }) => name === params.name) : undefined;
  if (tool === undefined) {
    return send({ id, error: { code: -32601, message: `unknown: ${method}` } });
  }
  try {
    send({ id, result: textResult(await tool.run(params.arguments ?? {})) });
  } catch (error) {
    send({ id, result: { ...textResult(failureBody(error)), isError: true } });
  }
}

function failureBody(error: unknown): Record<string, unknown> {
  const known = error instanceof ToolFailure ? error : undefined;
  return {
    success: false,
    error_code: known?.code ?? "SERVICE_DOWN",
    error: error instanceof Error ? error.message : String(error),
    retryable: known?.retryable ?? false,
    ...(known?.retryAfterMs === undefined ? {} : { retry_after_ms: known.retryAfterMs }),
  };
}

function textResult(value: unknown): { content: { type: "text"; text: string }[] } {
  return { content: [{ type: "text", text: JSON.stringify(value) }] };
}

function send(message: Record<string, unknown>): void {
  const bytes = new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
  for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
}
