/** Sizes that a composed message keeps to. */

/** Largest composed message in bytes: what Gmail accepts outside its upload path. */
export const MAX_MESSAGE_BYTES = 25 * 1024 * 1024;

/** Most addresses in one field; far above Gmail's own limit of recipients a message. */
export const MAX_ADDRESSES = 2_000;

/** Longest list of message ids in `References`; the first and the newest are kept. */
export const MAX_REFERENCES = 20;
