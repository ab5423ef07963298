/** How often a request is tried (spec 02 §3.11.3). */

import { type Clock, systemClock } from "../clock/mod.ts";
import { RATE_REASONS, TransportFailure, UpstreamFailure } from "../errors/wire/mod.ts";
import type { HttpAnswer, HttpRequest } from "./client.ts";

const RETRIES = 3;
const FIRST_DELAY_MS = 500;
const GROWTH = 1.5;
const LONGEST_TOTAL_MS = 60_000;
const LONGEST_RATE_WAIT_MS = 30_000;

/** A request and what may be done when it fails. */
export interface AttemptPlan {
  request: HttpRequest;
  /** Repeating cannot act twice. False: sent once, plus once more after "slow down". */
  repeatable: boolean;
  /** 304 is a success: an `If-None-Match` was sent. */
  conditional?: boolean;
  clock?: Clock;
  /** In [0, 1); spreads the delays. */
  random?: () => number;
  /** Asked before each retry after a 5xx or a broken connection; false ends the attempts. */
  mayRetry?: () => boolean;
}

/** Makes one attempt: an `HttpClient`, or its streaming half. */
export interface Attempter<A extends HttpAnswer> {
  send(request: HttpRequest, signal: AbortSignal): Promise<A>;
}

/**
 * Sends until something final happens. A 429 or a rate 403 was not executed, so any method gets one
 * more try; a 5xx or a broken connection is tried again only when repeating cannot act twice.
 *
 * @throws UpstreamFailure for every status but 2xx (and 304 when conditional); otherwise what
 * `send` throws.
 */
export async function sendWithAttempts<A extends HttpAnswer = HttpAnswer>(
  client: Attempter<A>,
  plan: AttemptPlan,
  signal: AbortSignal,
): Promise<A> {
  const clock = plan.clock ?? systemClock;
  const jitter = () => 0.5 + (plan.random ?? Math.random)();
  const startedAt = clock.now();
  let retries = 0;
  let rateRetryLeft = true;
  const before: Before = { uncertain: false, successStatus: undefined };
  for (;;) {
    const outcome: A | UpstreamFailure | TransportFailure = await attempt(
      client,
      { ...plan, clock, before },
      signal,
    );
    if (!isFailure(outcome)) return outcome;
    if (slowDown(outcome)) {
      const wait = outcome.facts.retryAfterMs ?? FIRST_DELAY_MS * jitter();
      if (!rateRetryLeft || wait > LONGEST_RATE_WAIT_MS) throw outcome;
      rateRetryLeft = false;
      await clock.sleep(wait, signal);
      continue;
    }
    const asked = outcome instanceof UpstreamFailure ? outcome.facts.retryAfterMs ?? 0 : 0;
    const delay = Math.max(asked, FIRST_DELAY_MS * GROWTH ** retries * jitter());
    const elapsed = clock.now() - startedAt;
    const retry = plan.repeatable && retries < RETRIES && worthRepeating(outcome) &&
      elapsed + delay <= LONGEST_TOTAL_MS && (plan.mayRetry?.() ?? true);
    if (!retry) throw outcome;
    retries++;
    remember(before, outcome);
    await clock.sleep(delay, signal);
  }
}

/** What earlier attempts of the same request may have done; the last one alone does not tell. */
interface Before {
  /** One of them left, and its end is not known. */
  uncertain: boolean;
  /** One of them was answered with success before its answer broke. */
  successStatus: number | undefined;
}

function remember(before: Before, outcome: UpstreamFailure | TransportFailure): void {
  before.uncertain ||= !(outcome instanceof TransportFailure) || outcome.requestStarted;
  const { status } = outcome;
  if (status !== undefined && status >= 200 && status < 300) before.successStatus = status;
}

/** One attempt: the answer, or the failure that decides what happens next. */
async function attempt<A extends HttpAnswer>(
  client: Attempter<A>,
  plan: AttemptPlan & { clock: Clock; before: Before },
  signal: AbortSignal,
): Promise<A | UpstreamFailure | TransportFailure> {
  const { before, clock } = plan;
  let answer: A;
  try {
    answer = await client.send(plan.request, signal);
  } catch (error) {
    if (error instanceof TransportFailure) return afterOthers(error, before);
    throw error;
  }
  if (answer.status >= 200 && answer.status < 300) return answer;
  if (answer.status === 304 && plan.conditional) return answer;
  return new UpstreamFailure({
    status: answer.status,
    statusText: answer.statusText,
    body: answer.body,
    contentType: answer.headers.get("content-type") ?? undefined,
    retryAfter: answer.headers.get("retry-after") ?? undefined,
    wwwAuthenticate: answer.headers.get("www-authenticate") ?? undefined,
    // The moment of the answer: a date in `Retry-After` says nothing of how long it took.
    now: clock.now(),
  }, { priorAttemptUncertain: before.uncertain, priorSuccessStatus: before.successStatus });
}

/** A last attempt that never left does not undo those that did. */
function afterOthers(failure: TransportFailure, before: Before): TransportFailure {
  const status = failure.status ?? before.successStatus;
  const requestStarted = failure.requestStarted || before.uncertain;
  if (status === failure.status && requestStarted === failure.requestStarted) return failure;
  const { reason, message } = failure;
  return new TransportFailure(reason, { message, requestStarted, status, cause: failure });
}

function isFailure(
  outcome: HttpAnswer | UpstreamFailure | TransportFailure,
): outcome is UpstreamFailure | TransportFailure {
  return outcome instanceof Error;
}

function slowDown(outcome: Error): outcome is UpstreamFailure {
  return outcome instanceof UpstreamFailure &&
    (outcome.status === 429 ||
      (outcome.status === 403 && outcome.facts.reasons.some((reason) => RATE_REASONS.has(reason))));
}

function worthRepeating(outcome: UpstreamFailure | TransportFailure): boolean {
  return outcome instanceof TransportFailure
    ? outcome.reason !== "redirect"
    : outcome.status >= 500;
}
