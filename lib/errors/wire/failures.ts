/**
 * What an adapter throws when the wire failed it. The kernel turns both into a GumError
 * (spec 02 §3.9); nothing outside `lib/` ever sees them.
 */

import { type FailedAnswer, type GoogleErrorFacts, readGoogleError } from "./google_error.ts";

/** A complete HTTP answer that is not a success. */
export class UpstreamFailure extends Error {
  /** Status of the answer. */
  readonly status: number;
  /** Body bytes, capped at 1 MiB, for the failure artifact. */
  readonly body: Uint8Array;
  /** `Content-Type` of the body. */
  readonly contentType: string | undefined;
  /** What the answer says about itself. */
  readonly facts: GoogleErrorFacts;
  /** An earlier attempt of the same request ended without an answer, so it may have acted. */
  readonly priorAttemptUncertain: boolean;
  /** Success status of an earlier attempt whose answer broke off: that attempt did act. */
  readonly priorSuccessStatus: number | undefined;

  constructor(
    answer: FailedAnswer,
    options: { priorAttemptUncertain?: boolean; priorSuccessStatus?: number } = {},
  ) {
    const facts = readGoogleError(answer);
    super(facts.message);
    this.name = "UpstreamFailure";
    this.status = answer.status;
    this.body = answer.body;
    this.contentType = answer.contentType;
    this.facts = facts;
    this.priorAttemptUncertain = options.priorAttemptUncertain ?? false;
    this.priorSuccessStatus = options.priorSuccessStatus;
  }
}

/** How a request ended without a complete answer. */
export type TransportReason =
  | "timeout"
  | "dns"
  | "connect"
  | "tls"
  | "reset"
  | "truncated_body"
  | "decode"
  | "redirect";

/** No complete answer came. */
export class TransportFailure extends Error {
  /** What broke. */
  readonly reason: TransportReason;
  /** False only when the request certainly never left: a write did not happen. */
  readonly requestStarted: boolean;
  /** Status line seen before the body broke. */
  readonly status: number | undefined;

  constructor(
    reason: TransportReason,
    options: { message: string; requestStarted: boolean; status?: number; cause?: unknown },
  ) {
    super(options.message, { cause: options.cause });
    this.name = "TransportFailure";
    this.reason = reason;
    this.requestStarted = options.requestStarted;
    this.status = options.status;
  }
}

/** The body passed the size cap; the answer was dropped. */
export class OversizeFailure extends Error {
  constructor(readonly capBytes: number, readonly status: number) {
    super(`the answer is larger than ${capBytes} bytes`);
    this.name = "OversizeFailure";
  }
}
