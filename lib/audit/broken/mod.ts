/**
 * Whether rows of the audit log were lost, for whoever asks no more than that: the log itself, its
 * rotation and its reading stay unloaded.
 *
 * @module
 */
export { isAuditBroken, sentinelText } from "../sentinel.ts";
