/** How long an answer may be served without asking again (spec 07 §3.3). */

const SECOND = 1000;

/** Milliseconds for operations that differ from {@link DEFAULT_TTL_MS}, by canonical operation id. */
export const TTL_TABLE: Readonly<Record<string, number>> = {
  "calendar.events.list": 60 * SECOND,
  "calendar.events.get": 60 * SECOND,
  "drive.files.list": 300 * SECOND,
  "gmail.users.getProfile": 3_600 * SECOND,
  "calendar.colors.get": 86_400 * SECOND,
};

/** Milliseconds for every other cacheable operation. */
export const DEFAULT_TTL_MS = 60 * SECOND;

/** Where a lifetime may come from besides the table. */
export interface TtlSources {
  /** `cache.ttl.<op_id>`, in milliseconds; 0 = that operation is never stored. */
  configured?: Readonly<Record<string, number>>;
  /** What a plugin declares for its own operations; undefined for operations that are not its own. */
  declared?: (opId: string) => number | undefined;
}

/** Milliseconds by operation: configuration first, then the plugin's word, the table, the default. */
export type TtlPolicy = (opId: string) => number;

/** Builds the policy. */
export function ttlPolicy(sources: TtlSources = {}): TtlPolicy {
  const { configured = {}, declared } = sources;
  return (opId) => {
    if (Object.hasOwn(configured, opId)) return configured[opId] ?? DEFAULT_TTL_MS;
    const own = declared?.(opId);
    if (own !== undefined) return own;
    return Object.hasOwn(TTL_TABLE, opId) ? TTL_TABLE[opId] ?? DEFAULT_TTL_MS : DEFAULT_TTL_MS;
  };
}
