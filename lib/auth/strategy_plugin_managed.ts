/** `plugin_managed`: the plugin has credentials of its own, given to it when it is started. */

import { noneStrategy } from "./strategy_none.ts";
import type { StrategyResolver } from "./types.ts";

/** Nothing for the kernel to attach. */
export const pluginManagedStrategy: StrategyResolver = noneStrategy;
