/** The `_expression` envelope (spec 03 §2.3, 11 §5, 11 §8). */

import type { ExpressionFacts, ExpressionMeta } from "../dispatch/types.ts";
import type { JsonObject } from "../json/mod.ts";
import { tokenSkipText } from "./notice.ts";

/** How many paths the envelope names. */
const PATHS_NAMED = 8;

/** Builds the envelope of one result. */
export function expressionOf(facts: ExpressionFacts): ExpressionMeta {
  const { shape } = facts;
  if (shape.format === "raw") {
    return {
      profile: "_raw",
      op_id: facts.opId,
      variant_id: facts.variantId,
      lossy: false,
      result_count: 0,
    };
  }
  const meta: JsonObject = {
    profile: facts.profileName,
    op_id: facts.opId,
    variant_id: facts.variantId,
    lossy: shape.lossy,
    result_count: shape.resultCount,
    omitted_count: shape.omittedCount,
    result_kind: shape.resultKind,
  };
  if (shape.onEmptyMessage !== undefined) {
    meta.on_empty_message = shape.onEmptyMessage;
    if (shape.intentionalZero) meta.intentional_zero_max_items = true;
  }
  if (facts.artifact?.advertised) {
    meta.full_result_path = facts.artifact.path;
    meta.full_result_size = facts.artifact.size;
    meta.artifact_expires_at = facts.artifact.expiresAt;
    if (facts.artifact.resource !== undefined) meta.full_result_resource = facts.artifact.resource;
  }
  if (facts.projectRootUri !== undefined) meta.project_root_uri = facts.projectRootUri;
  if (facts.profileSource === "project-local" || facts.profileSource === "user-global") {
    meta.profile_source = facts.profileSource;
  }
  if (facts.fieldMask !== undefined) meta.field_mask = facts.fieldMask;
  if (shape.dedupedRows > 0) meta.deduped_rows = shape.dedupedRows;
  if (shape.limitedRows > 0) meta.limited_rows = shape.limitedRows;
  if (shape.droppedPaths.length > 0) {
    meta.dropped_paths = shape.droppedPaths.slice(0, PATHS_NAMED);
    meta.dropped_paths_total = shape.droppedPaths.length;
  }
  if (shape.bigIntegerPaths?.length) {
    meta.big_integer_paths = shape.bigIntegerPaths.slice(0, PATHS_NAMED);
  }
  if (shape.untrustedPaths?.length) {
    meta.untrusted_fields = shape.untrustedPaths.slice(0, PATHS_NAMED);
    // A table names the tag in its own header.
    if (shape.untrustedMark !== undefined && shape.format !== "toon") {
      meta.untrusted_mark = shape.untrustedMark;
    }
  }
  // Not every client shows its model the notice, and a lost row is not noticed later.
  const warnings = facts.tokenSkips === undefined || facts.caller === "cli"
    ? facts.validationWarnings
    : [
      ...facts.validationWarnings,
      tokenSkipText(facts.tokenSkips, facts.caller === "risor" ? "script" : "mcp"),
    ];
  return {
    ...meta,
    ...(facts.unsupportedCapabilities?.length && {
      _unsupported_capabilities: [...facts.unsupportedCapabilities],
    }),
    ...(warnings.length > 0 && { _validation_warnings: [...warnings] }),
  } as ExpressionMeta;
}
