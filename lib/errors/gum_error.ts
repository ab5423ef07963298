/** The one error type that leaves the kernel, and its flat envelope (spec 02 §2.5). */

import type { JsonObject, JsonValue } from "../json/mod.ts";
import { ERROR_CODES, type ErrorCode } from "./table.ts";

/** What a throw site may add to a code. */
export interface GumErrorOptions {
  /** Text for logs and agents; defaults to the table's user message. */
  message?: string;
  /** Flat details, e.g. `op_id`; `error_code`, `message` and `retryable` here are ignored. */
  details?: JsonObject;
  /** One sentence for a person; default from the table. */
  userMessage?: string;
  /** One concrete next action; default from the table. */
  suggestion?: string;
  /** Overrides the table's default. */
  retryable?: boolean;
  /** What was caught, kept for logs and `isGumError`. */
  cause?: unknown;
}

const RESERVED = new Set(["error_code", "message", "retryable"]);

/**
 * An error with a stable code. Details are JSON and hold no secrets; {@link toEnvelope} gives the
 * flat object that every surface shows.
 */
export class GumError extends Error {
  /** Stable code of the table. */
  readonly code: ErrorCode;
  /** Flat details, without `user_message` and `suggestion`. */
  readonly details: Readonly<JsonObject>;
  /** Whether repeating the same call can help. */
  readonly retryable: boolean;
  /** One sentence for a person. */
  readonly userMessage: string;
  /** One concrete next action. */
  readonly suggestion: string;

  constructor(code: ErrorCode, options: GumErrorOptions = {}) {
    const entry = ERROR_CODES[code];
    const userMessage = options.userMessage ?? entry.userMessage ?? options.message ?? code;
    super(options.message ?? userMessage, { cause: options.cause });
    this.name = "GumError";
    this.code = code;
    this.details = { ...options.details };
    this.retryable = options.retryable ?? entry.retryable;
    this.userMessage = userMessage;
    this.suggestion = options.suggestion ?? entry.suggestion ?? "";
  }

  /** A copy with further details; given keys win over existing ones. */
  with(details: JsonObject): GumError {
    return this.restated({ details: { ...this.details, ...details } });
  }

  /** A copy that says some of it otherwise; what is not given stays as it is. */
  restated(changes: GumErrorOptions): GumError {
    return new GumError(this.code, {
      message: this.message,
      details: this.details,
      userMessage: this.userMessage,
      suggestion: this.suggestion,
      retryable: this.retryable,
      cause: this.cause,
      ...changes,
    });
  }

  /**
   * The flat envelope: `error_code`, `message`, every other key in ascending order, `retryable`
   * last. The key order is part of the contract.
   */
  toEnvelope(): JsonObject {
    const middle: Record<string, JsonValue> = {
      ...this.details,
      user_message: this.userMessage,
    };
    if (this.suggestion !== "") middle.suggestion = this.suggestion;
    const envelope: JsonObject = { error_code: this.code, message: this.message };
    for (const key of Object.keys(middle).sort()) {
      if (!RESERVED.has(key) && middle[key] !== undefined) envelope[key] = middle[key];
    }
    envelope.retryable = this.retryable;
    return envelope;
  }
}

/** True when `error`, or anything in its causes or aggregated errors, is a GumError (of `code`). */
export function isGumError(error: unknown, code?: ErrorCode): boolean {
  return findGumError(error, code) !== undefined;
}

/** The first GumError (of `code`, when given) among `error`, its causes and aggregated errors. */
export function findGumError(error: unknown, code?: ErrorCode): GumError | undefined {
  const seen = new Set<unknown>();
  const queue: unknown[] = [error];
  while (queue.length > 0) {
    const current = queue.shift();
    if (!(current instanceof Error) || seen.has(current)) continue;
    seen.add(current);
    if (current instanceof GumError && (code === undefined || current.code === code)) {
      return current;
    }
    if (current instanceof AggregateError) queue.push(...current.errors);
    queue.push(current.cause);
  }
  return undefined;
}
