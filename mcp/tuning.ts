/** Admin tuning of the meta-tools (spec 01 §3.8.1, §3.8.2): clamped, never refused. */

import type { MetaToolTuning } from "./types.ts";

/** Effective values. */
export interface Tuning {
  /** Default of `gum.search_apis` `k`. */
  searchK: number;
  /** Cap on search rows; undefined = the call's `k`. */
  searchMaxItems?: number;
  /** Cut of search cells other than the summary. */
  searchTruncateChars: number;
  /** Variants shown by `gum.describe_op`. */
  describeMaxVariants: number;
}

type Warn = (message: string, fields: Record<string, unknown>) => void;

interface Bounds {
  key: string;
  minimum: number;
  maximum: number;
}

/** Reads configured values; a value out of range or no integer costs one warning. */
export function resolveTuning(configured: MetaToolTuning, warn: Warn): Tuning {
  const read = (value: unknown, bounds: Bounds): number | undefined => {
    if (value === undefined) return undefined;
    const { key, minimum, maximum } = bounds;
    if (typeof value !== "number" || !Number.isInteger(value)) {
      warn("configuration value is not an integer; the default is used", { key });
      return undefined;
    }
    const clamped = Math.min(maximum, Math.max(minimum, value));
    if (clamped !== value) {
      warn("configuration value is out of range and was clamped", { key, value, used: clamped });
    }
    return clamped;
  };
  const search = "meta_tools.search_apis";
  const searchMaxItems = read(configured.searchMaxItems, {
    key: `${search}.collapse_arrays.max_items`,
    minimum: 1,
    maximum: 50,
  });
  return {
    searchK: read(configured.searchK, { key: `${search}.k`, minimum: 1, maximum: 20 }) ?? 5,
    ...(searchMaxItems === undefined ? {} : { searchMaxItems }),
    searchTruncateChars: read(configured.searchTruncateChars, {
      key: `${search}.truncate_strings.default_chars`,
      minimum: 60,
      maximum: 400,
    }) ?? 120,
    describeMaxVariants: read(configured.describeMaxVariants, {
      key: "meta_tools.describe_op.max_variants",
      minimum: 1,
      maximum: 50,
    }) ?? 5,
  };
}
