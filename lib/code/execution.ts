/** What the parts of one script execution share. */

import type { Invocation, ShapedResponse } from "../dispatch/types.ts";
import type { GumError } from "../errors/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import type { FamilyGate } from "./family_gate.ts";
import type { DestructiveGrants } from "./grants.ts";
import type { ScriptOutput } from "./output.ts";
import type { CodeLimits, CodeRequest, CodeRunnerDeps, RunContext } from "./types.ts";

/** One script on its way. Nothing of it is shared with another. */
export interface Execution {
  readonly deps: CodeRunnerDeps;
  readonly request: CodeRequest;
  readonly context: RunContext;
  readonly limits: CodeLimits;
  readonly output: ScriptOutput;
  readonly grants: DestructiveGrants;
  readonly gate: FamilyGate;
  /** What every inner invocation carries: parent, roots. */
  readonly around: Partial<Invocation>;
  /** The envelope of a failure, in the words of whoever reads the script's output. */
  envelopeOf(error: GumError): JsonObject;
  /** Counts calls the script asks for. */
  asked(count: number): void;
  /** Counts a call that is over. */
  over(): void;
  /** Counts an inner call that got its answer. */
  completed(response: ShapedResponse): void;
  /** Runs `call` when one of the execution's places is free; it may `leave` before it is done. */
  running<T>(call: (leave: () => void) => Promise<T>): Promise<T>;
}

/** At most `places` calls at a time, in the order they ask. */
export function openPlaces(places: number): Execution["running"] {
  let free = places;
  const queue: (() => void)[] = [];
  return async (call) => {
    if (free === 0) await new Promise<void>((resolve) => queue.push(resolve));
    else free--;
    let left = false;
    const leave = () => {
      if (left) return;
      left = true;
      const next = queue.shift();
      if (next === undefined) free++;
      else next();
    };
    try {
      return await call(leave);
    } finally {
      leave();
    }
  };
}
