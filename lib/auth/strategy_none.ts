/** `none`: the operation needs no credential. */

import type { StrategyResolver } from "./types.ts";

/** Always undefined: the call goes out without one. */
export const noneStrategy: StrategyResolver = { resolve: () => Promise.resolve(undefined) };
