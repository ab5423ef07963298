/** A poll over a scripted peer, for the tests of the loop. */

import { createExplicitAuthResolver } from "../../auth/mod.ts";
import type { Op } from "../../catalog/types.ts";
import type { Clock } from "../../clock/mod.ts";
import { mapFailure } from "../../dispatch/mod.ts";
import { jumpingClock, op, snapshotOf, variant } from "../../dispatch/testdata/fixture.ts";
import { GumError } from "../../errors/mod.ts";
import { createHttpClient, type HttpClient } from "../../http/mod.ts";
import { json, type Script, type SeenRequest, startPeer } from "../../http/testdata/peer.ts";
import type { JsonObject } from "../../json/mod.ts";
import {
  createOperationMemory,
  type OperationStore,
  type PollDeps,
  pollOperation,
} from "../mod.ts";

/** The operation that the tests wait for. */
export const NAME = "projects/p/locations/l/operations/abc";
/** Never aborted. */
export const SIGNAL = new AbortController().signal;
/** It is still running. */
export const RUNNING = json({ name: NAME, done: false });
/** It is done. */
export const DONE = json({
  name: NAME,
  done: true,
  response: { ok: 1 },
  metadata: { m: 2 },
  extra: 3,
});

/** A variant that starts a long-running operation. */
export const EXPORT = op("cloudx.projects.export", [
  variant("cloudx.v3.rest.projects.export", [
    "write",
    "POST",
    "https://cloudx.googleapis.com/v3/{+name}:export",
  ], { capabilities: ["json_response", "lro_return"] }),
], {
  request_fields: [{ name: "name", location: "path", type: "string", required: true }],
});

/** A peer, a clock, a memory, and a poll over them. */
export interface Bench extends AsyncDisposable {
  http: HttpClient;
  requests: SeenRequest[];
  memory: OperationStore;
  clock: Clock & { advance(ms: number): void };
  poll(
    operationName: string,
    extra?: Partial<PollDeps> & {
      signal?: AbortSignal;
      onPending?: (seconds: number) => Promise<void>;
      handles?: { name: string; opId: string; variantId: string }[];
    },
  ): Promise<JsonObject>;
}

/** Opens a bench over a script. */
export function openBench(
  script: Script,
  options: { ops?: readonly Op[]; clock?: Clock & { advance(ms: number): void } } = {},
): Bench {
  const peer = startPeer(script);
  const http = createHttpClient({ rewriteOrigin: (url) => peer.rewrite(url) });
  const memory = createOperationMemory();
  const clock = options.clock ?? jumpingClock();
  return {
    http,
    requests: peer.requests,
    memory,
    clock,
    poll: (operationName, { signal = SIGNAL, ...extra } = {}) =>
      pollOperation({
        operationName,
        handles: [],
        onPending: () => Promise.resolve(),
        memory,
        http,
        auth: createExplicitAuthResolver({ bearer: "canary-poll-bearer" }),
        catalog: snapshotOf(options.ops ?? [EXPORT]),
        clock,
        version: "0",
        describeFailure: (thrown, resolved) => mapFailure(thrown, resolved).error,
        ...extra,
      }, signal),
    async [Symbol.asyncDispose]() {
      http.close();
      await peer[Symbol.asyncDispose]();
    },
  };
}

/** The error a poll ends with. */
export async function failureOf(call: Promise<unknown>): Promise<GumError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof GumError) return error;
    throw error;
  }
  throw new Error("the poll was expected to fail");
}

/** Host and path of each request. */
export function addresses(requests: readonly SeenRequest[]): string[] {
  return requests.map(({ host, target }) => `${host}${target}`);
}
