/** Waiting for a long-running operation (spec 02 §3.12). */

import { upstreamFailure } from "../adapters/mod.ts";
import { GumError } from "../errors/mod.ts";
import { RATE_REASONS, TransportFailure, UpstreamFailure } from "../errors/wire/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { type FoundOperation, readOperation } from "./operation.ts";
import { type PollCredentials, pollCredentials } from "./principal.ts";
import { pollRoutes, serviceHome } from "./routes.ts";
import type { OperationOrigin, PollDeps, PollRequest, PollRoute, ServiceHome } from "./types.ts";

/** Milliseconds a poll may take in all. */
export const POLL_TOTAL_MS = 600_000;

const FIRST_INTERVAL_MS = 2_000;
const INTERVAL_GROWTH = 1.5;
const LONGEST_INTERVAL_MS = 60_000;
const FETCH_TIMEOUT_MS = 30_000;
const RESPONSE_CAP = 4 * 1024 * 1024;
const TOLERATED_FAILURES = 3;

/**
 * Asks until the operation is done; resolves with `{name, done, response?, metadata?}`.
 *
 * @throws GumError `LRO_FAILED`, `LRO_TIMEOUT`, `LRO_UNROUTABLE`, `CANCELLED`, `INVALID_ARGS`, or
 * what a failed call maps to.
 */
export async function pollOperation(
  poll: PollRequest & PollDeps,
  signal: AbortSignal,
): Promise<JsonObject> {
  try {
    return await waitUntilDone(poll, signal);
  } catch (thrown) {
    if (signal.aborted) throw cancelled(poll.operationName, signal.reason);
    throw thrown;
  }
}

/** What one fetch found. */
type Fetched =
  | FoundOperation
  | { kind: "elsewhere" }
  | { kind: "transient"; failure: UpstreamFailure | TransportFailure };

async function waitUntilDone(
  poll: PollRequest & PollDeps,
  signal: AbortSignal,
): Promise<JsonObject> {
  const { clock, operationName } = poll;
  const startedAt = clock.now();
  const deadline = startedAt + POLL_TOTAL_MS;
  const routes = pollRoutes(operationName, {
    origin: originOf(poll),
    lastAnswered: poll.memory.lastAnswered(),
  });
  const credentials = pollCredentials(poll);
  let routeIndex = 0;
  let interval = FIRST_INTERVAL_MS;
  let failuresInARow = 0;
  for (;;) {
    signal.throwIfAborted();
    const route = routes[routeIndex];
    if (route === undefined) throw unroutable(operationName);
    const left = deadline - clock.now();
    if (left <= 0) throw timedOut(operationName);
    const fetched = await fetchOnce({ poll, route, credentials, left }, signal);
    if (isGuessWithoutHost(fetched, route) && routeIndex + 1 < routes.length) {
      routeIndex++;
      continue;
    }
    if (fetched.kind === "done") return finished(operationName, fetched);
    if (fetched.kind === "elsewhere") {
      routeIndex++;
      failuresInARow = 0;
      continue;
    }
    failuresInARow = fetched.kind === "transient" ? failuresInARow + 1 : 0;
    if (fetched.kind === "transient" && failuresInARow > TOLERATED_FAILURES) {
      throw credentials.describe(fetched.failure, route);
    }
    if (clock.now() >= deadline) throw timedOut(operationName);
    await orAborted(poll.onPending((clock.now() - startedAt) / 1000), signal);
    const wait = Math.max(interval, askedWait(fetched));
    await clock.sleep(Math.min(wait, Math.max(0, deadline - clock.now())), signal);
    interval = Math.min(interval * INTERVAL_GROWTH, LONGEST_INTERVAL_MS);
  }
}

/** A host of the table that does not exist must not keep a service that does from being asked. */
function isGuessWithoutHost(fetched: Fetched, route: PollRoute): boolean {
  return fetched.kind === "transient" && fetched.failure instanceof TransportFailure &&
    fetched.failure.reason === "dns" && route.origin === undefined;
}

/** A pause the service asked for is kept, up to the longest interval. */
function askedWait(fetched: Fetched): number {
  const asked = fetched.kind === "transient" && fetched.failure instanceof UpstreamFailure
    ? fetched.failure.facts.retryAfterMs ?? 0
    : 0;
  return Math.min(asked, LONGEST_INTERVAL_MS);
}

/** The session's memory first, then what the surface remembers of this client. */
function originOf(poll: PollRequest & PollDeps): (OperationOrigin & ServiceHome) | undefined {
  const remembered = poll.memory.origin(poll.operationName);
  if (remembered !== undefined) return remembered;
  const handle = poll.handles.find(({ name }) => name === poll.operationName);
  const variant = handle && poll.catalog.findVariant(handle.variantId)?.variant;
  const home = variant && serviceHome(variant);
  return handle && home && { ...home, opId: handle.opId, variantId: handle.variantId };
}

async function fetchOnce(
  fetch: {
    poll: PollRequest & PollDeps;
    route: PollRoute;
    credentials: PollCredentials;
    left: number;
  },
  signal: AbortSignal,
): Promise<Fetched> {
  const { poll, route, credentials, left } = fetch;
  const send = async (headers: Record<string, string>) =>
    await poll.http.send({
      method: "GET",
      url: route.url,
      headers: {
        accept: "application/json",
        "user-agent": `gum/${poll.version} (gzip)`,
        ...headers,
      },
      credentialed: Object.keys(headers).length > 0,
      capBytes: RESPONSE_CAP,
      timeoutMs: Math.min(FETCH_TIMEOUT_MS, left),
    }, signal);
  try {
    let answer = await send(await credentials.headers(route, signal));
    if (answer.status === 401) {
      const refreshed = await credentials.refreshed(route, signal);
      if (refreshed !== undefined) answer = await send(refreshed);
    }
    if (answer.status >= 200 && answer.status < 300) {
      return readOperation(answer.body, poll.operationName) ?? { kind: "elsewhere" };
    }
    if (answer.status === 404) return { kind: "elsewhere" };
    const failure = upstreamFailure(answer, poll.clock.now());
    if (isTransient(failure)) return { kind: "transient", failure };
    throw failure;
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof TransportFailure) return { kind: "transient", failure: thrown };
    throw credentials.describe(thrown, route);
  }
}

function isTransient(failure: UpstreamFailure): boolean {
  return failure.status === 429 || failure.status >= 500 ||
    (failure.status === 403 && failure.facts.reasons.some((reason) => RATE_REASONS.has(reason)));
}

/** Settles as `pending` does, or rejects as soon as the caller gives up. */
async function orAborted(pending: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.race([pending, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
  signal.throwIfAborted();
}

function finished(
  operationName: string,
  found: Extract<FoundOperation, { kind: "done" }>,
): JsonObject {
  if (found.error === undefined) return found.operation;
  throw new GumError("LRO_FAILED", {
    message: `${operationName} ended with an error`,
    details: { operation_name: operationName, error: found.error },
    userMessage: "The long-running operation failed.",
    suggestion: "Read `error`; start the operation again once its cause is removed.",
  });
}

function timedOut(operationName: string): GumError {
  return new GumError("LRO_TIMEOUT", {
    message: `${operationName} was not done after ${POLL_TOTAL_MS / 1000} seconds`,
    details: { operation_name: operationName, resume_handle: operationName },
    userMessage: "The operation is still running.",
    suggestion: "Call gum.poll again with resume_handle.",
    retryable: true,
  });
}

function unroutable(operationName: string): GumError {
  return new GumError("LRO_UNROUTABLE", {
    message: `no service knows ${operationName}`,
    details: { operation_name: operationName },
    userMessage: "GUM does not know which service runs this operation.",
    suggestion:
      "Pass the name as the starting call returned it, in the same session, or its full https " +
      "address (selfLink, where there is one).",
  });
}

function cancelled(operationName: string, reason: unknown): GumError {
  return new GumError("CANCELLED", {
    message: "the call was cancelled",
    details: { cancelled: true, operation_name: operationName },
    retryable: false,
    cause: reason,
  });
}
