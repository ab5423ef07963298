/**
 * Finding the record array of an answer, and carrying an answer; the encoders stay unloaded.
 *
 * @module
 */

export { answerPayload } from "../answer_payload.ts";
export { RECORD_KEYS, recordArray, recordKey } from "../record_array.ts";
