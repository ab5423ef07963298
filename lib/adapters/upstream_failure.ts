/** From a complete answer to the failure the kernel maps. */

import { UpstreamFailure } from "../errors/wire/mod.ts";
import type { HttpAnswer } from "../http/mod.ts";

/** The failure an answer with a status other than success stands for; `now` dates `Retry-After`. */
export function upstreamFailure(
  answer: HttpAnswer,
  now: number,
  attempts: { priorAttemptUncertain?: boolean } = {},
): UpstreamFailure {
  return new UpstreamFailure({
    status: answer.status,
    statusText: answer.statusText,
    body: answer.body,
    contentType: answer.headers.get("content-type") ?? undefined,
    retryAfter: answer.headers.get("retry-after") ?? undefined,
    wwwAuthenticate: answer.headers.get("www-authenticate") ?? undefined,
    now,
  }, attempts);
}
