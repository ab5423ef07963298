/** What is wrong with a message, said so that a model can mend it. */

import { GumError } from "../errors/mod.ts";
import type { JsonObject } from "../json/mod.ts";

/** Raised about one field of a message. */
export function fieldError(
  field: string,
  problem: { message: string; reason?: string; suggestion?: string; details?: JsonObject },
): GumError {
  return new GumError("INVALID_ARGS", {
    message: `${field}: ${problem.message}`,
    userMessage: `The message cannot be written: ${field}: ${problem.message}.`,
    suggestion: problem.suggestion ?? "Fix the named field and call again.",
    details: {
      field,
      missing: [],
      unknown: [],
      type_errors: [],
      ...(problem.reason === undefined ? {} : { reason: problem.reason }),
      ...problem.details,
    },
    retryable: false,
  });
}

/** Raised for a value of the wrong type. */
export function typeError(field: string, expected: string): GumError {
  return fieldError(field, {
    message: `must be ${expected}`,
    details: { type_errors: [`${field}: expected ${expected}`] },
  });
}

/** Raised when a message is larger than can be sent. */
export function tooLarge(bytes: number, limit: number): GumError {
  return fieldError("attachments", {
    message: `make the message larger than ${Math.floor(limit / 1_048_576)} MB`,
    reason: "message_too_large",
    suggestion: "Leave attachments out, or share the files with drive_share and send links.",
    details: { size_bytes: bytes, limit_bytes: limit },
  });
}

/** Raised when mail is to be sent and there is none. */
export function messageMissing(): GumError {
  return fieldError("to", {
    message: "is required",
    suggestion: "Give to, subject and text (and attachments), or a whole message in raw.",
    details: { missing: ["to"] },
  });
}
