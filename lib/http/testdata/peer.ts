/** A scripted HTTP/1.1 peer on loopback, for tests of what really goes over the wire. */

/** One request the peer saw, complete with its body. */
export interface SeenRequest {
  method: string;
  /** Google host the request was meant for, from the rewriter's path prefix; "" without one. */
  host: string;
  /** Path and query as sent. */
  target: string;
  headers: Headers;
  body: string;
  /** Number of the TCP connection it came on, from 1. */
  connection: number;
}

/** What the peer does with one request. */
export type Reply =
  | {
    kind: "answer";
    status: number;
    headers?: Record<string, string>;
    body?: string | Uint8Array;
  }
  /** Closes the connection without a byte. */
  | { kind: "drop" }
  | { kind: "half_status_line" }
  /** Declares more bytes than it sends, then closes. */
  | { kind: "short_body"; status?: number; body?: string }
  /** Sends bytes that are not the gzip they are declared to be. */
  | { kind: "bad_gzip" }
  /** Sends headers and then bytes without end. */
  | { kind: "endless_body"; status?: number }
  /** Never answers. */
  | { kind: "hang" }
  /** Sends the header and then nothing. */
  | { kind: "stall_body"; declared?: number };

/** Decides what happens to the n-th request, counted from 0. */
export type Script = (request: SeenRequest, index: number) => Reply | Promise<Reply>;

/** A running peer. */
export interface Peer extends AsyncDisposable {
  readonly origin: string;
  /** Every request, oldest first. */
  readonly requests: SeenRequest[];
  /** Connections whose client went away while an answer was due. */
  readonly abandoned: () => number;
  /** Bytes of body written in all. */
  readonly bytesSent: () => number;
  /** For `rewriteOrigin`: keeps the Google host in a path prefix. */
  rewrite(url: URL): URL;
}

/** A successful JSON answer. */
export function json(
  value: unknown,
  extra: { status?: number; headers?: Record<string, string> } = {},
): Reply {
  return {
    kind: "answer",
    status: extra.status ?? 200,
    headers: { "content-type": "application/json; charset=UTF-8", ...extra.headers },
    body: JSON.stringify(value),
  };
}

/** A Google error body. */
export function googleError(
  status: number,
  error: {
    message?: string;
    reason?: string;
    legacy?: boolean;
    details?: unknown[];
    retryAfter?: string;
    headers?: Record<string, string>;
  } = {},
): Reply {
  const { reason, message = "refused" } = error;
  const details = [
    ...(reason !== undefined && !error.legacy
      ? [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: "googleapis.com" }]
      : []),
    ...error.details ?? [],
  ];
  return json({
    error: {
      code: status,
      message,
      ...(reason !== undefined && error.legacy ? { errors: [{ reason, message }] } : {}),
      ...(details.length > 0 ? { details } : {}),
    },
  }, {
    status,
    headers: {
      ...error.headers,
      ...(error.retryAfter === undefined ? {} : { "retry-after": error.retryAfter }),
    },
  });
}

/** Replies in order; the last one repeats. */
export function sequence(...replies: Reply[]): Script {
  return (_request, index) => {
    const reply = replies[Math.min(index, replies.length - 1)];
    if (reply === undefined) throw new RangeError("a sequence needs at least one reply");
    return reply;
  };
}

/** Starts a peer. */
export function startPeer(script: Script): Peer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const requests: SeenRequest[] = [];
  const open = new Set<Deno.TcpConn>();
  const counts = { connections: 0, abandoned: 0, bytesSent: 0 };
  const origin = `http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}`;
  const serveConnection = async (connection: Deno.TcpConn) => {
    const number = ++counts.connections;
    open.add(connection);
    const reader = new RequestReader(connection);
    try {
      for (;;) {
        const request = await reader.next(number);
        if (request === undefined) return;
        const index = requests.push(request) - 1;
        const reply = await script(request, index);
        if (!await deliver({ connection, reply, counts, reader })) return;
      }
    } catch (error) {
      if (!isDisconnect(error)) throw error;
    } finally {
      open.delete(connection);
      close(connection);
    }
  };
  const serving: Promise<void>[] = [];
  const accepting = (async () => {
    try {
      for await (const connection of listener) serving.push(serveConnection(connection));
    } catch (error) {
      if (!isDisconnect(error)) throw error;
    }
  })();
  return {
    origin,
    requests,
    abandoned: () => counts.abandoned,
    bytesSent: () => counts.bytesSent,
    rewrite: (url) => new URL(`${origin}/_host/${url.host}${url.pathname}${url.search}`),
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const connection of open) close(connection);
      await accepting;
      await Promise.all(serving);
    },
  };
}

async function deliver(
  turn: {
    connection: Deno.TcpConn;
    reply: Reply;
    counts: { abandoned: number; bytesSent: number };
    reader: RequestReader;
  },
): Promise<boolean> {
  const { connection, reply, counts, reader } = turn;
  switch (reply.kind) {
    case "answer": {
      const body = typeof reply.body === "string"
        ? new TextEncoder().encode(reply.body)
        : reply.body ?? new Uint8Array();
      const noBody = reply.status === 204 || reply.status === 304;
      const length: Record<string, string> = noBody ? {} : { "content-length": `${body.length}` };
      // One write, or the client's delayed acknowledgement costs 40 ms.
      const header = head(reply.status, { ...length, ...reply.headers });
      const whole = new Uint8Array(header.length + (noBody ? 0 : body.length));
      whole.set(header);
      if (!noBody) whole.set(body, header.length);
      await writeAll(connection, whole);
      counts.bytesSent += body.length;
      return true;
    }
    case "drop":
      return false;
    case "half_status_line":
      await writeAll(connection, new TextEncoder().encode("HTTP/1.1 20"));
      return false;
    case "short_body": {
      const body = new TextEncoder().encode(reply.body ?? '{"cut');
      await writeAll(
        connection,
        head(reply.status ?? 200, {
          "content-type": "application/json",
          "content-length": `${body.length + 50}`,
        }),
      );
      await writeAll(connection, body);
      return false;
    }
    case "bad_gzip": {
      const body = new TextEncoder().encode("this is not gzip");
      await writeAll(
        connection,
        head(200, { "content-encoding": "gzip", "content-length": `${body.length}` }),
      );
      await writeAll(connection, body);
      return false;
    }
    case "endless_body": {
      await writeAll(
        connection,
        head(reply.status ?? 200, { "content-type": "application/json", connection: "close" }),
      );
      const block = new Uint8Array(64 * 1024).fill(32);
      try {
        for (;;) {
          await writeAll(connection, block);
          counts.bytesSent += block.length;
        }
      } catch (error) {
        if (!isDisconnect(error)) throw error;
        counts.abandoned++;
        return false;
      }
    }
    case "stall_body":
      await writeAll(connection, head(200, { "content-length": `${reply.declared ?? 10}` }));
      await reader.untilClosed();
      counts.abandoned++;
      return false;
    case "hang":
      await reader.untilClosed();
      counts.abandoned++;
      return false;
  }
}

function head(status: number, headers: Record<string, string>): Uint8Array {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return new TextEncoder().encode(`HTTP/1.1 ${status} Status\r\n${lines.join("")}\r\n`);
}

async function writeAll(connection: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  let sent = 0;
  while (sent < bytes.length) sent += await connection.write(bytes.subarray(sent));
}

/** Reads requests from one connection. */
class RequestReader {
  #buffer = new Uint8Array();
  constructor(readonly connection: Deno.TcpConn) {}

  /** The next request, or undefined when the client closed. */
  async next(number: number): Promise<SeenRequest | undefined> {
    let end = -1;
    while ((end = this.#headEnd()) < 0) if (!await this.#fill()) return undefined;
    const text = new TextDecoder("latin1").decode(this.#buffer.subarray(0, end));
    this.#buffer = this.#buffer.slice(end + 4);
    const [line = "", ...rest] = text.split("\r\n");
    const [method = "", path = ""] = line.split(" ");
    const headers = new Headers(rest.map((entry): [string, string] => {
      const colon = entry.indexOf(":");
      return [entry.slice(0, colon), entry.slice(colon + 1).trim()];
    }));
    const body = new TextDecoder().decode(await this.#body(headers));
    const routed = /^\/_host\/([^/]+)(\/.*)$/.exec(path);
    return {
      method,
      host: routed?.[1] ?? "",
      target: routed?.[2] ?? path,
      headers,
      body,
      connection: number,
    };
  }

  async untilClosed(): Promise<void> {
    while (await this.#fill()) { /* only its end matters */ }
  }

  async #body(headers: Headers): Promise<Uint8Array> {
    if (headers.get("transfer-encoding") === "chunked") return await this.#chunked();
    const length = Number(headers.get("content-length") ?? "0");
    while (this.#buffer.length < length) if (!await this.#fill()) break;
    return this.#take(length);
  }

  async #chunked(): Promise<Uint8Array> {
    const parts: number[] = [];
    for (;;) {
      let end = -1;
      while ((end = this.#lineEnd()) < 0) if (!await this.#fill()) return Uint8Array.from(parts);
      const size = parseInt(new TextDecoder().decode(this.#take(end)), 16);
      this.#take(2);
      while (this.#buffer.length < size + 2) if (!await this.#fill()) return Uint8Array.from(parts);
      parts.push(...this.#take(size));
      this.#take(2);
      if (size === 0) return Uint8Array.from(parts);
    }
  }

  #take(length: number): Uint8Array {
    const taken = this.#buffer.slice(0, length);
    this.#buffer = this.#buffer.slice(length);
    return taken;
  }

  #headEnd(): number {
    for (let index = 0; index + 3 < this.#buffer.length; index++) {
      if (
        this.#buffer[index] === 13 && this.#buffer[index + 1] === 10 &&
        this.#buffer[index + 2] === 13 && this.#buffer[index + 3] === 10
      ) return index;
    }
    return -1;
  }

  #lineEnd(): number {
    for (let index = 0; index + 1 < this.#buffer.length; index++) {
      if (this.#buffer[index] === 13 && this.#buffer[index + 1] === 10) return index;
    }
    return -1;
  }

  async #fill(): Promise<boolean> {
    const chunk = new Uint8Array(16 * 1024);
    const count = await this.connection.read(chunk);
    if (count === null) return false;
    const joined = new Uint8Array(this.#buffer.length + count);
    joined.set(this.#buffer);
    joined.set(chunk.subarray(0, count), this.#buffer.length);
    this.#buffer = joined;
    return true;
  }
}

function isDisconnect(error: unknown): boolean {
  return error instanceof Deno.errors.ConnectionReset || error instanceof Deno.errors.BrokenPipe ||
    error instanceof Deno.errors.BadResource || error instanceof Deno.errors.Interrupted ||
    error instanceof Deno.errors.ConnectionAborted || error instanceof Deno.errors.NotConnected;
}

function close(connection: Deno.TcpConn): void {
  try {
    connection.close();
  } catch (error) {
    if (!isDisconnect(error)) throw error;
  }
}
