/**
 * The listener in front of `Deno.serve`.
 *
 * It relays bytes, so that ordinary traffic keeps the real server's framing, and lets a request
 * handler take a connection over: write raw bytes and cut it. The handler finds its connection by
 * the relay's source port, hence no second HTTP parser and no difference between a fresh and a
 * reused connection (spec 12 §6.3).
 */

/** A client connection that a handler may take over. */
export interface RelayedConnection {
  /** Stops relaying, writes `bytes` to the client and closes the connection. */
  takeOver(bytes: Uint8Array): Promise<void>;
}

/** A running relay. */
export interface ConnectionRelay {
  readonly port: number;
  /** The client connection whose relayed side has this source port. */
  connectionOf(sourcePort: number): RelayedConnection | undefined;
  /** Closes the listener and every connection; resolves when the last byte loop has ended. */
  close(): Promise<void>;
}

const LOOPBACK = "127.0.0.1";
const BUFFER_BYTES = 64 * 1024;

/** Listens on `port` (0 = any) and relays to the server on `targetPort`. */
export function startConnectionRelay(
  options: { port: number; targetPort: number },
): ConnectionRelay {
  const listener = Deno.listen({ hostname: LOOPBACK, port: options.port });
  const bySourcePort = new Map<number, Relay>();
  const open = new Set<Relay>();
  const loops = new Set<Promise<void>>();
  let closed = false;

  const accept = async () => {
    for (;;) {
      let client: Deno.TcpConn;
      try {
        client = await listener.accept();
      } catch (error) {
        if (closed || error instanceof Deno.errors.BadResource) return;
        // A connection that died in the accept queue is nobody's loss.
        continue;
      }
      const loop = serveConnection(client);
      loops.add(loop);
      loop.finally(() => loops.delete(loop));
    }
  };

  const serveConnection = async (client: Deno.TcpConn) => {
    let server: Deno.TcpConn;
    try {
      client.setNoDelay(true);
      server = await Deno.connect({ hostname: LOOPBACK, port: options.targetPort });
      server.setNoDelay(true);
    } catch {
      // The inner server is closing; the client sees a closed connection.
      closeQuietly(client);
      return;
    }
    const relay = new Relay(client, server);
    const sourcePort = server.localAddr.port;
    bySourcePort.set(sourcePort, relay);
    open.add(relay);
    if (closed) relay.close();
    await relay.run();
    open.delete(relay);
    if (bySourcePort.get(sourcePort) === relay) bySourcePort.delete(sourcePort);
  };

  const accepting = accept();
  return {
    port: (listener.addr as Deno.NetAddr).port,
    connectionOf: (sourcePort) => bySourcePort.get(sourcePort),
    async close() {
      if (!closed) {
        closed = true;
        listener.close();
        for (const relay of open) relay.close();
      }
      await accepting;
      await Promise.all(loops);
    },
  };
}

class Relay implements RelayedConnection {
  #takenOver = false;
  #closed = false;
  #ending: Promise<void> | undefined;

  constructor(readonly client: Deno.TcpConn, readonly server: Deno.TcpConn) {}

  async run(): Promise<void> {
    await Promise.all([
      this.#pump(this.client, this.server, () => !this.#takenOver),
      this.#pump(this.server, this.client, () => !this.#takenOver),
    ]);
    await this.#ending;
    this.close();
  }

  takeOver(bytes: Uint8Array): Promise<void> {
    this.#takenOver = true;
    this.#ending = (async () => {
      try {
        await writeAll(this.client, bytes);
      } catch {
        // The client left first: there is nobody to write to.
      }
      this.close();
    })();
    return this.#ending;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeQuietly(this.client);
    closeQuietly(this.server);
  }

  /** Copies until either side ends; then both are closed, unless a take-over still writes. */
  async #pump(from: Deno.TcpConn, to: Deno.TcpConn, relaying: () => boolean): Promise<void> {
    const buffer = new Uint8Array(BUFFER_BYTES);
    try {
      for (;;) {
        const read = await from.read(buffer);
        if (read === null || !relaying()) break;
        await writeAll(to, buffer.subarray(0, read));
      }
    } catch {
      // Reset or closed underneath: the same end as an orderly one.
    }
    if (relaying()) this.close();
  }
}

async function writeAll(connection: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  let written = 0;
  while (written < bytes.length) written += await connection.write(bytes.subarray(written));
}

function closeQuietly(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // Already closed by the other direction.
  }
}
