/** Printing: the script goes on while the host takes what it wrote. */

import type { HostBridge } from "./host.ts";

/** Prints that may be under way; then one is waited for, so that no flood piles up outside. */
const MAX_UNDER_WAY = 64;

let printed = 0;

/** Hands a print over; `args` is the JSON of its arguments. */
export function print(bridge: HostBridge, args: string): void {
  printed++;
  if (printed % MAX_UNDER_WAY === 0) bridge.call("gum_print", args);
  else bridge.tell("gum_print", args);
}
