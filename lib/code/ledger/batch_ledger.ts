/** Knows which elements of a batch have left a row, so that none is counted twice (spec 09 §10). */

import type { GainRecord, GainSink } from "../../dispatch/types.ts";
import type { BatchLedger } from "../types.ts";

/** Watches the rows that go into `sink`; a batch is forgotten with its outer row. */
export function createBatchLedger(sink: GainSink): BatchLedger {
  const open = new Map<string, Set<number>>();
  return {
    record(entry: GainRecord) {
      const { batch } = entry;
      if (batch !== undefined) {
        const indexes = open.get(batch.batchId) ?? new Set();
        open.set(batch.batchId, indexes.add(batch.index));
      }
      sink.record(entry);
    },
    recordBatch(batch) {
      open.delete(batch.batchId);
      sink.recordBatch?.(batch);
    },
    recorded: (batchId) => open.get(batchId) ?? new Set(),
  };
}
