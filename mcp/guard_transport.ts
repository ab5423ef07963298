/**
 * The stdio transport: newline-delimited JSON-RPC over byte streams, with the guard in front of the
 * SDK (spec 01 §3.2). Lines never mix, nothing but messages is written, and at end of input the
 * requests in flight get up to two seconds to finish (spec 12 §9).
 */

import type { JSONRPCMessage, Transport, TransportSendOptions } from "@modelcontextprotocol/server";
import { isJsonObject, type JsonObject, type JsonValue } from "../lib/json/mod.ts";
import type { Logger } from "../lib/log/mod.ts";
import { createGuard, type Guard, type MessageId } from "./guard_rules.ts";
import { unencodable, withEnvelope } from "./jsonrpc_error.ts";

/** Longest accepted line. */
const MAX_LINE_BYTES = 10 * 1024 * 1024;
/** How long requests in flight may take after the input ended, and their answers to be read. */
export const DRAIN_MS = 2_000;
/** What a client has at least to take the next piece of an answer, of {@link DRAIN_MS}. */
const FLUSH_SHARE = 4;
/** Bytes written at once, so that a slow reader is told from one that has stopped. */
const PIECE_BYTES = 64 * 1024;

/** What a transport is built on. */
export interface GuardTransportOptions {
  input: ReadableStream<Uint8Array>;
  output: WritableStream<Uint8Array>;
  log: Logger;
  /** Default {@link DRAIN_MS}. */
  drainMs?: number;
}

interface Withheld {
  message: JsonObject;
  relatedTo?: MessageId;
}

/** One connection over byte streams. {@link finished} resolves when it is over. */
export class GuardTransport implements Transport {
  onmessage?: Transport["onmessage"];
  onclose?: () => void;
  onerror?: (error: Error) => void;
  /** Resolves when the input has ended and everything was written. */
  readonly finished: Promise<void>;

  readonly #guard: Guard = createGuard();
  readonly #options: GuardTransportOptions;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #unanswered = new Set<MessageId>();
  readonly #asked = new Set<MessageId>();
  #withheld: Withheld[] = [];
  #replies: JsonObject[] = [];
  #initialized = false;
  #closed = false;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #written: Promise<void> = Promise.resolve();
  #settle: () => void = () => {};
  /** When a client that reads nothing any more is given up. */
  #deadline: number | undefined;
  /** Pieces that the client has taken. */
  #taken = 0;
  #onQuiet: (() => void) | undefined;

  constructor(options: GuardTransportOptions) {
    this.#options = options;
    this.#writer = options.output.getWriter();
    this.finished = new Promise((resolve) => this.#settle = resolve);
  }

  /** Level of the last valid `logging/setLevel`. */
  get logLevel(): string | undefined {
    return this.#guard.logLevel;
  }

  start(): Promise<void> {
    this.#reader = this.#options.input.getReader();
    this.#readLines(this.#reader).catch((error) => this.#fail(error));
    return Promise.resolve();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const outgoing = message as unknown as JsonObject;
    const { id } = outgoing;
    if (typeof outgoing.method !== "string") {
      const failed = Object.hasOwn(outgoing, "error");
      this.#guard.answered(id ?? null, failed);
      this.#answered(id ?? null);
      const written = this.#write(failed ? withEnvelope(outgoing) : outgoing);
      if (!this.#guard.opening) this.#flushReplies();
      return written;
    }
    const relatedTo = options?.relatedRequestId;
    if (this.#guard.phase === "handshake" && !this.#initialized) {
      this.#withheld.push(
        relatedTo === undefined ? { message: outgoing } : { message: outgoing, relatedTo },
      );
      if (id !== undefined) this.#asked.add(id);
      return Promise.resolve();
    }
    if (id !== undefined) this.#asked.add(id);
    return this.#write(outgoing);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#reader?.cancel().catch((error) => this.#report(error));
    this.onclose?.();
    await this.#flush();
    this.#writer.releaseLock();
    this.#settle();
  }

  /** Waits for what was written to be taken, but not for a client that has stopped reading. */
  async #flush(): Promise<void> {
    const allowed = this.#options.drainMs ?? DRAIN_MS;
    const left = this.#deadline === undefined ? allowed : this.#deadline - performance.now();
    const patience = Math.max(left, allowed / FLUSH_SHARE);
    for (let taken = -1; taken !== this.#taken;) {
      taken = this.#taken;
      const { promise: over, resolve } = Promise.withResolvers<boolean>();
      const timer = setTimeout(() => resolve(false), patience);
      const everything = await Promise.race([over, this.#written.then(() => true)]);
      clearTimeout(timer);
      if (everything) return;
    }
    this.#options.log.log("warn", "mcp: the client does not read, closing");
  }

  async #readLines(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    const splitter = new LineSplitter();
    while (!this.#closed) {
      const { done, value } = await reader.read();
      if (done) break;
      for (const line of splitter.push(value)) this.#receive(line);
      if (splitter.pendingBytes > MAX_LINE_BYTES) {
        this.#options.log.log("error", "mcp: line too long, closing", { limit: MAX_LINE_BYTES });
        return await this.close();
      }
    }
    if (this.#closed) return;
    const rest = splitter.end();
    if (rest.text !== "") this.#receive(rest);
    await this.#drain();
    this.#flushReplies();
    await this.close();
  }

  #receive(line: Line): void {
    if (this.#closed) return;
    if (line.text.length > MAX_LINE_BYTES) {
      this.#options.log.log("error", "mcp: line too long, closing", { limit: MAX_LINE_BYTES });
      this.close().catch((error) => this.#report(error));
      return;
    }
    const verdict = this.#guard.inbound(line.text, line);
    switch (verdict.kind) {
      case "ignore":
        if (verdict.reason !== undefined) {
          this.#options.log.log("debug", `mcp: ignored a ${verdict.reason}`);
        }
        return;
      case "reply":
        this.#replies.push(verdict.message);
        if (!this.#guard.opening) this.#flushReplies();
        return;
      case "deliver":
        this.#deliver(verdict.message);
        if (verdict.initialized) this.#release();
    }
  }

  #deliver(message: JsonObject): void {
    const { id, method, params } = message;
    if (method !== undefined && id !== undefined) this.#unanswered.add(id);
    if (method === undefined && id !== undefined) this.#asked.delete(id);
    if (method === "notifications/cancelled" && isJsonObject(params)) {
      this.#answered(params.requestId ?? null);
    }
    this.onmessage?.(message as unknown as JSONRPCMessage);
  }

  /** The client is ready: send what waited, except what belongs to a finished request. */
  #release(): void {
    this.#initialized = true;
    const waiting = this.#withheld;
    this.#withheld = [];
    for (const { message, relatedTo } of waiting) {
      if (relatedTo !== undefined && !this.#unanswered.has(relatedTo)) continue;
      this.#write(message).catch((error) => this.#fail(error));
    }
  }

  #flushReplies(): void {
    const waiting = this.#replies;
    this.#replies = [];
    for (const reply of waiting) this.#write(reply).catch((error) => this.#fail(error));
  }

  #answered(id: MessageId): void {
    this.#unanswered.delete(id);
    if (this.#unanswered.size === 0) this.#onQuiet?.();
  }

  /** Nobody will answer the server's own questions any more; requests in flight may still finish. */
  async #drain(): Promise<void> {
    this.#deadline = performance.now() + (this.#options.drainMs ?? DRAIN_MS);
    for (const id of this.#asked) {
      const answer: JsonValue = {
        jsonrpc: "2.0",
        id,
        error: { code: -32000, message: "Connection closed" },
      };
      this.onmessage?.(answer as unknown as JSONRPCMessage);
    }
    this.#asked.clear();
    // The SDK takes messages off its queue in later microtasks; the answered set says when it did.
    if (this.#unanswered.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#options.drainMs ?? DRAIN_MS);
      this.#onQuiet = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #write(message: JsonObject): Promise<void> {
    // Nobody is left to read what comes after the end.
    if (this.#closed) return Promise.resolve();
    const line = new TextEncoder().encode(this.#encoded(message) + "\n");
    this.#written = this.#written.then(() => this.#put(line)).catch((error) => this.#fail(error));
    return this.#written;
  }

  async #put(line: Uint8Array): Promise<void> {
    for (let at = 0; at < line.length; at += PIECE_BYTES) {
      await this.#writer.write(line.subarray(at, at + PIECE_BYTES));
      this.#taken++;
    }
  }

  #encoded(message: JsonObject): string {
    try {
      return JSON.stringify(message);
    } catch (error) {
      if (message.method !== undefined) throw error;
      this.#report(error);
      return JSON.stringify(unencodable(message.id ?? null));
    }
  }

  #fail(error: unknown): void {
    this.#report(error);
    this.close().catch((again) => this.#report(again));
  }

  #report(error: unknown): void {
    const cause = error instanceof Error ? error : new Error(String(error));
    this.#options.log.log("warn", "mcp: transport error", { error: cause.message });
    this.onerror?.(cause);
  }
}

/** A line without its end. */
interface Line {
  text: string;
  /** Whether its bytes are no UTF-8; what could not be read is U+FFFD in the text. */
  damaged: boolean;
}

/** Cuts a byte stream into lines without their ends; LF and CRLF both end a line. */
class LineSplitter {
  readonly #exact = new TextDecoder("utf-8", { fatal: true });
  readonly #lenient = new TextDecoder();
  #chunks: Uint8Array[] = [];
  pendingBytes = 0;

  push(bytes: Uint8Array): Line[] {
    const lines: Line[] = [];
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      this.#keep(bytes.subarray(start, end));
      lines.push(this.end());
      start = end + 1;
    }
    this.#keep(bytes.subarray(start));
    return lines;
  }

  /** What has come in since the last line end. */
  end(): Line {
    const joined = new Uint8Array(this.pendingBytes);
    let offset = 0;
    for (const chunk of this.#chunks) {
      joined.set(chunk, offset);
      offset += chunk.length;
    }
    this.#chunks = [];
    this.pendingBytes = 0;
    const { text, damaged } = this.#decoded(joined);
    return { text: text.endsWith("\r") ? text.slice(0, -1) : text, damaged };
  }

  #decoded(bytes: Uint8Array): Line {
    try {
      return { text: this.#exact.decode(bytes), damaged: false };
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      return { text: this.#lenient.decode(bytes), damaged: true };
    }
  }

  #keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#chunks.push(bytes.slice());
    this.pendingBytes += bytes.length;
  }
}
