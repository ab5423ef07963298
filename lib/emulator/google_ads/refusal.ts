/** How Google Ads refuses. */

import type { JsonObject } from "../../json/mod.ts";
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
  const { errorCode, message, fieldPath } = failure;
  const item: JsonObject = { errorCode, message };
  if (fieldPath !== undefined) {
    item.location = { fieldPathElements: fieldPath.map((fieldName) => ({ fieldName })) };
  }
  const text = status === 403
    ? "The caller does not have permission"
    : "Request contains an invalid argument.";
  return new EmulatedError(status, text, {
    details: [{
      "@type": "type.googleapis.com/google.ads.googleads.v24.errors.GoogleAdsFailure",
      errors: [item],
      requestId: "hQ7uR2nVt5XcA9dKe0Jm4w",
    }],
  });
}
