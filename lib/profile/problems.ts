/** What validation found, and the error it becomes (spec 03 §3.2, §4). */

import { type ErrorCode, GumError } from "../errors/mod.ts";
import type { JsonObject } from "../json/mod.ts";

/** One finding about a profile or a binding. */
export interface ProfileProblem {
  code: ErrorCode;
  severity: "error" | "warning";
  rule?: string;
  profile?: string;
  field?: string;
  line?: number;
  column?: number;
  /** Path of what is wrong in the file's envelope form; line and column are looked up by it. */
  at?: readonly string[];
  message: string;
  /** Further details of the code, e.g. `length` and `limit`. */
  details?: JsonObject;
}

/** The error that a finding is when it stops something. */
export function problemError(problem: ProfileProblem, path?: string): GumError {
  const details: JsonObject = { ...problem.details };
  if (path !== undefined) details.path = path;
  for (const key of ["rule", "profile", "field", "line", "column"] as const) {
    const value = problem[key];
    if (value !== undefined) details[key] = value;
  }
  const where = path === undefined ? "" : `${path}: `;
  return new GumError(problem.code, {
    message: where + problem.message,
    details,
    userMessage: `An output profile is not valid: ${problem.message}`,
    suggestion: SUGGESTIONS[problem.code] ??
      (path === undefined ? "Correct the profile." : `Run gum profile validate ${path}.`),
  });
}

const SUGGESTIONS: Partial<Record<ErrorCode, string>> = {
  ON_EMPTY_TOO_LONG: "Shorten on_empty to 500 characters.",
  PROFILE_TEE_MODE_CONFLICT: 'Use tee_mode = "always", or another recovery.',
  PROFILE_STRIP_NULLS_UNSAFE:
    "Keep only fields that the variant declares as safe to leave out, or turn strip_nulls off.",
};
