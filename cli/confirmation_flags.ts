/** The flags of a confirmable command, apart from the code that acts on them. */

import type { FlagSpec } from "./types.ts";

/** Flags of every command that can meet a confirmation. */
export const CONFIRMATION_FLAGS: readonly FlagSpec[] = [
  { name: "yes", type: "bool", help: "confirm without being asked" },
  { name: "confirmed", type: "bool", help: "this is the confirming second call; needs --token" },
  { name: "token", type: "string", help: "confirmation token of an earlier, unconfirmed call" },
];
