/** Puts a faulty answer on the wire. */

import type { RelayedConnection } from "./connection_relay.ts";
import { concatBytes, utf8 } from "./encoding.ts";
import { brokenChunkBytes, rawHead, type WireAnswer } from "./faults.ts";
import type { FaultEffect } from "./types.ts";

/** What a delivery may touch. */
export interface DeliveryContext {
  connection: RelayedConnection | undefined;
  /** Aborted when the client leaves or the emulator closes. */
  signal: AbortSignal;
  /** Called when the client leaves while a body is still being sent. */
  abandoned(): void;
  /** Called before the emulator itself cuts the connection. */
  cut(): void;
  /** Called with the status once the answer is complete. */
  finished(status?: number): void;
}

const CHUNK = utf8(" ".repeat(16 * 1024));

/** Delivers `wire` the way `effect` says. */
export async function deliverFault(
  effect: FaultEffect,
  wire: WireAnswer,
  context: DeliveryContext,
): Promise<Response> {
  switch (effect.kind) {
    case "drop_before_headers":
      return await cutAfter(new Uint8Array(), context);
    case "half_status_line":
      return await cutAfter(utf8("HTTP/1.1 20"), context);
    case "drop_mid_body": {
      const head = rawHead(wire, { "content-length": String(wire.bytes.length) });
      return await cutAfter(
        concatBytes([head, wire.bytes.subarray(0, effect.afterBytes)]),
        context,
      );
    }
    case "short_content_length": {
      const head = rawHead(wire, { "content-length": String(wire.bytes.length + effect.missing) });
      return await cutAfter(concatBytes([head, wire.bytes]), context);
    }
    case "broken_chunk":
      return await cutAfter(brokenChunkBytes(wire), context);
    case "truncated_gzip": {
      const packed = await gzip(wire.bytes);
      const headers = new Headers(wire.headers);
      headers.set("content-encoding", "gzip");
      context.finished(wire.status);
      return new Response(packed.subarray(0, Math.floor(packed.length / 2)), {
        status: wire.status,
        headers,
      });
    }
    case "hang":
      await aborted(context.signal);
      context.finished();
      return new Response(null, { status: 499 });
    case "slow_body":
      return slowBody(effect, wire, context);
    case "endless_body":
      return new Response(endless(context), { headers: { "content-type": "application/json" } });
    case "large_body":
      return new Response(padded(effect.bytes, context), {
        headers: { "content-type": "application/json", "content-length": String(effect.bytes) },
      });
    default:
      context.finished(wire.status);
      return new Response(
        wire.status === 204 || wire.status === 304 ? null : wire.bytes,
        { status: wire.status, headers: wire.headers },
      );
  }
}

async function cutAfter(bytes: Uint8Array, context: DeliveryContext): Promise<Response> {
  context.cut();
  await context.connection?.takeOver(bytes);
  // Never reaches the client: its connection is gone.
  return new Response(null, { status: 499 });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

function slowBody(
  effect: FaultEffect & { kind: "slow_body" },
  wire: WireAnswer,
  context: DeliveryContext,
): Response {
  let offset = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const step = Math.max(1, effect.bytesPerTick);
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const stop = () => {
        if (timer === undefined) return;
        clearTimeout(timer);
        timer = undefined;
        try {
          controller.close();
        } catch (error) {
          // The client cancelled the stream already.
          if (!(error instanceof TypeError)) throw error;
        }
      };
      context.signal.addEventListener("abort", stop, { once: true });
      const tick = () => {
        controller.enqueue(wire.bytes.slice(offset, offset + step));
        offset += step;
        if (offset < wire.bytes.length) {
          timer = setTimeout(tick, effect.tickMs);
          return;
        }
        timer = undefined;
        context.signal.removeEventListener("abort", stop);
        context.finished(wire.status);
        controller.close();
      };
      tick();
    },
    cancel() {
      clearTimeout(timer);
      timer = undefined;
      context.abandoned();
    },
  });
  const headers = new Headers(wire.headers);
  headers.set("content-length", String(wire.bytes.length));
  return new Response(stream, { status: wire.status, headers });
}

function endless(context: DeliveryContext): ReadableStream<Uint8Array> {
  let begun = false;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (context.signal.aborted) {
        context.finished(200);
        controller.close();
        return;
      }
      controller.enqueue(begun ? CHUNK.slice() : utf8('{"padding":"'));
      begun = true;
    },
    cancel: () => context.abandoned(),
  });
}

function padded(total: number, context: DeliveryContext): ReadableStream<Uint8Array> {
  const head = utf8('{"padding":"');
  const tail = utf8('"}');
  let left = Math.max(0, total - head.length - tail.length);
  let begun = false;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (!begun) {
        begun = true;
        controller.enqueue(head);
      } else if (left > 0 && !context.signal.aborted) {
        const size = Math.min(left, CHUNK.length);
        left -= size;
        controller.enqueue(CHUNK.slice(0, size));
      } else {
        if (!context.signal.aborted) controller.enqueue(tail);
        context.finished(200);
        controller.close();
      }
    },
    cancel: () => context.abandoned(),
  });
}
