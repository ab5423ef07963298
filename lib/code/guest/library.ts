/**
 * The one program that runs in every sandbox before the script: the library of both languages.
 * The worker takes its face from a global that is gone before the script starts.
 */

import type { HostBridge, LibraryApi, RunSettings } from "./host.ts";
import { closeGlobals, deliver, follow, openGlobals, outcome } from "./javascript_run.ts";
import { counters } from "./runtime.ts";
import { runScript } from "./script_run.ts";

declare const globalThis: Record<string, unknown>;

globalThis.__gum = (
  call: HostBridge["call"],
  start: HostBridge["start"],
  halt: HostBridge["halt"],
  tell: HostBridge["tell"],
): LibraryApi => {
  delete globalThis.__gum;
  const bridge: HostBridge = { call, start, halt, tell };
  let settings: RunSettings = { maxSteps: 0, allowWrite: false, allowDestructive: false };
  counters.halt = halt;
  closeGlobals();
  return {
    configure(text) {
      settings = JSON.parse(text);
      counters.maxSteps = settings.maxSteps;
    },
    runProgram: (program) => JSON.stringify(runScript(program, { bridge, settings })),
    openGlobals: () => openGlobals(bridge, settings),
    follow: (completion) => follow(completion as Promise<unknown>),
    deliver,
    outcome: () => JSON.stringify(outcome()),
  };
};
