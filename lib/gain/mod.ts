/**
 * Token accounting behind the kernel's `GainSink`.
 *
 * @module
 */
import type { GainSink } from "../dispatch/types.ts";

/** Counts nothing; for sessions whose accounting is off. */
export const disabledGainSink: GainSink = { record() {} };
