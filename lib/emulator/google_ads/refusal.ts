/** How Google Ads refuses. */

import { googleAdsFailure } from "../error_body.ts";
import { EmulatedError } from "../service.ts";

/** A `GoogleAdsFailure` to be thrown. */
export function adsError(
  status: number,
  failure: {
    /** `{"requestError": "REQUIRED_FIELD_MISSING"}`. */
    errorCode: Record<string, string>;
    message: string;
    fieldPath?: readonly string[];
  },
): EmulatedError {
  const text = status === 403
    ? "The caller does not have permission"
    : "Request contains an invalid argument.";
  return new EmulatedError(status, text, {
    details: [googleAdsFailure({ ...failure, requestId: "hQ7uR2nVt5XcA9dKe0Jm4w" })],
  });
}
