/** Errors of the TOON readers. */

/** Why a TOON text could not be read (spec 03 §4). */
export type ToonDecodeReason =
  | "missing_separator"
  | "malformed_header"
  | "missing_header"
  | "bad_format_version"
  | "bad_count"
  | "count_zero_body"
  | "count_mismatch"
  | "fields_mismatch"
  | "unterminated_quote"
  | "bad_json"
  | "schema_mismatch";

/** A TOON text that is not well formed. A version GUM does not know is a GumError instead. */
export class ToonDecodeError extends Error {
  /** What was wrong, as a stable word. */
  readonly reason: ToonDecodeReason;

  constructor(reason: ToonDecodeReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ToonDecodeError";
    this.reason = reason;
  }
}
