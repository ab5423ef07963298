/** Flags that several credential commands share. No imports: help and completion read them. */

import type { FlagSpec } from "./types.ts";

/** Flags of a command that takes one secret. */
export const SECRET_FLAGS: readonly FlagSpec[] = [
  { name: "stdin", type: "bool", help: "read it from standard input (the default)" },
  { name: "from-file", type: "string", help: "read it from this file" },
];
