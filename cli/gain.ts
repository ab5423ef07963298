/** `gum gain`: what shaping and the cache have saved (spec 07 §3.14, 08 §4.7). */

import type { CommandSpec } from "./types.ts";

const FORMATS = ["text", "json", "csv", "toon"] as const;

const gain: CommandSpec = {
  name: "gain",
  group: "admin",
  summary: "Report the tokens that calls saved",
  description: "Adds up the profile's local ledger. Nothing leaves this machine.",
  examples: [
    "gum gain",
    "gum gain --by-op --since 2026-05-01T00:00:00Z",
    "gum gain --session 1a2b3c4d --format csv",
    "gum gain --report savings.html",
  ],
  args: [],
  flags: [
    { name: "session", type: "string", help: "one session, by its 8 hex digits" },
    { name: "since", type: "string", help: "calls from this time on (RFC 3339 with zone)" },
    { name: "until", type: "string", help: "calls up to this time (RFC 3339 with zone)" },
    { name: "history", type: "bool", help: "a row for each session and operation family" },
    { name: "by-op", type: "bool", help: "a row for each operation" },
    { name: "exclude-retries", type: "bool", help: "leave out repeated calls" },
    {
      name: "format",
      type: "string",
      help: "text, json or csv (with --fixture-replay: toon or json)",
      complete: () => ({ candidates: FORMATS.map((value) => ({ value })) }),
    },
    { name: "report", type: "string", help: "write a self-contained HTML page to this file" },
    {
      name: "fixture-replay",
      type: "bool",
      help: "measure the recorded calls instead of the ledger",
    },
  ],
  children: [],
  permissions: ["read", "write", "env"],
  run: async (context) => (await import("./gain_run.ts")).runGain(context),
};

/** Commands of this group. */
export const commands: readonly CommandSpec[] = [gain];
