/** The refusal of files and programs that are not what they should be (spec 06 §4). */

import { GumError } from "../errors/mod.ts";
import type { JsonObject } from "../json/mod.ts";

/** Why a plugin's files or program are not trusted. */
export type UntrustedReason =
  | "absolute"
  | "archive_unreadable"
  | "artifact_missing"
  | "binding_incomplete"
  | "checksum_mismatch"
  | "deno_not_found"
  | "deno_too_old"
  | "digest_mismatch"
  | "executable_missing"
  | "git_failed"
  | "git_not_found"
  | "head_mismatch"
  | "interpreter"
  | "manifest_digest_mismatch"
  | "manifest_mismatch"
  | "not_declared_executable"
  | "outside_install_root"
  | "path_only"
  | "python_failed"
  | "python_not_found"
  | "runtime_changed"
  | "special_file"
  | "symlink"
  | "traversal"
  | "tree_digest_mismatch"
  | "tree_limit"
  | "unpinned_ref"
  | "unsafe_archive_entry"
  | "wrapper";

/** Builds the refusal; the suggestion names the way out of a quarantine too (spec 11 §14). */
export function untrusted(
  reason: UntrustedReason,
  options: { message: string; details?: JsonObject; suggestion?: string; cause?: unknown },
): GumError {
  return new GumError("PLUGIN_EXECUTABLE_UNTRUSTED", {
    message: options.message,
    details: { reason, ...options.details },
    userMessage: options.message,
    suggestion: options.suggestion,
    cause: options.cause,
  });
}
