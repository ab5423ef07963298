/**
 * The result definitions (spec 01 §2.4, JSON Schema 2020-12). Tests hold every real result against
 * them; the compact registered forms of {@link file://./output_schemas.ts} derive from them.
 *
 * @module
 */

import type { JsonObject } from "../lib/json/mod.ts";
import { BATCH_DEFS } from "./output_defs/batch.ts";
import { CONTRACT_DEFS } from "./output_defs/contract.ts";
import { LEDGER_DEFS } from "./output_defs/ledger.ts";
import { RESULT_DEFS } from "./output_defs/shaped_result.ts";

/** The whole document. */
export const OUTPUT_DEFS: { $schema: string; $id: string; $defs: Record<string, JsonObject> } = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: "gum.mcp.output_defs.v1",
  $defs: { ...RESULT_DEFS, ...CONTRACT_DEFS, ...LEDGER_DEFS, ...BATCH_DEFS } as Record<
    string,
    JsonObject
  >,
};
