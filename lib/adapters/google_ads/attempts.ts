/** How often a Keyword Planner call is tried: these POSTs only read (spec 02 §3.11.4). */

import type { Clock } from "../../clock/mod.ts";
import type { HttpAnswer, HttpClient, HttpRequest } from "../../http/mod.ts";
import { upstreamFailure } from "../upstream_failure.ts";

const ATTEMPTS = 4;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/**
 * Sends, and sends again after 429 and 5xx. Waits double, and are raised to what the service asks
 * for.
 *
 * @throws UpstreamFailure for the last refusal; otherwise what {@link HttpClient.send} throws.
 */
export async function sendKeywordCall(
  http: HttpClient,
  call: { request: HttpRequest; clock: Clock },
  signal: AbortSignal,
): Promise<HttpAnswer> {
  for (let attempt = 1;; attempt++) {
    const answer = await http.send(call.request, signal);
    if (answer.status >= 200 && answer.status < 300) return answer;
    const failure = upstreamFailure(answer, call.clock.now());
    const again = answer.status === 429 || answer.status >= 500;
    if (!again || attempt === ATTEMPTS) throw failure;
    const doubled = FIRST_WAIT_MS * 2 ** (attempt - 1);
    const wait = Math.max(doubled, failure.facts.retryAfterMs ?? 0);
    await call.clock.sleep(Math.min(wait, LONGEST_WAIT_MS), signal);
  }
}
