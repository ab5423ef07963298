/**
 * What the gain ledger is told of batches.
 *
 * @module
 */
export { createBatchLedger } from "./batch_ledger.ts";
