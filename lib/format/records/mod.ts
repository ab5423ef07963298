/**
 * Finding the record array of an answer; the encoders stay unloaded.
 *
 * @module
 */

export { RECORD_KEYS, recordArray, recordKey } from "../record_array.ts";
