/** What one emulated Google service gives to the emulator's frame. */

import type { JsonObject, JsonValue } from "../json/mod.ts";

/** A request after routing, authentication and body parsing. */
export interface EmulatedCall {
  method: string;
  host: string;
  /** Path on the Google host, percent-encoded as sent. */
  path: string;
  /** Decoded path parameters by name. */
  params: Record<string, string>;
  query: URLSearchParams;
  headers: Headers;
  /** Parsed JSON body; undefined when there was none. */
  body: JsonValue | undefined;
  bodyBytes: Uint8Array;
  /** Address of the signed-in account. */
  accountEmail: string;
  /** Clock milliseconds. */
  now: number;
}

/** What a service answers. The frame adds `ETag` handling, `fields` filtering and framing. */
export interface EmulatedAnswer {
  /** Default 200; 204 with no body. */
  status?: number;
  /** JSON to send, or bytes with `contentType`. */
  body?: JsonValue | Uint8Array;
  contentType?: string;
  headers?: Record<string, string>;
}

/** One route. `pattern` is a path template: `{name}` one segment, `{+name}` the rest, `:verb` suffixes literal. */
export interface EmulatedRoute {
  /** Discovery method id, e.g. `gmail.users.messages.list`. */
  methodId: string;
  method: string;
  host: string;
  pattern: string;
  handle(call: EmulatedCall): EmulatedAnswer | Promise<EmulatedAnswer>;
}

/** A stateful service: its routes over its own part of the seeded world. */
export interface EmulatedService {
  name: string;
  routes: EmulatedRoute[];
  /** A copy of the state, for assertions. */
  inspect(): JsonObject;
}

/** How a service is made: seeded randomness, the clock's now, and the world's people. */
export interface ServiceSeed {
  random: SeededRandom;
  now: number;
  account: Person;
  /** Everyone in the world, the account's owner first; synthetic, reserved domains only. */
  people: readonly Person[];
  /**
   * Identity of the emulated world. Services made with the same object share what they both show
   * (a spreadsheet in Drive and in Sheets); without it each service stands alone.
   */
  world?: object;
}

/** A synthetic person. */
export interface Person {
  displayName: string;
  email: string;
}

/** Deterministic randomness (same seed, same sequence). */
export interface SeededRandom {
  /** In [0, 1). */
  next(): number;
  /** Integer in [min, max]. */
  int(min: number, max: number): number;
  pick<T>(items: readonly T[]): T;
  /** Lowercase hex of `length` characters. */
  hex(length: number): string;
  /** An independent generator for a named part, so that parts do not disturb each other. */
  fork(name: string): SeededRandom;
}

/** A Google error as a service raises it; the frame renders the body. */
export class EmulatedError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly info: {
      reason?: string;
      status?: string;
      details?: JsonValue[];
      /** The query parameter that is wrong, where the service names it. */
      parameter?: string;
    } = {},
  ) {
    super(message);
  }
}
