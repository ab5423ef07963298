/** Scripts through the whole kernel, against a scripted peer: what is counted is what was sent. */

import { createCodeAdapters } from "../../adapters/mod.ts";
import type { Op } from "../../catalog/types.ts";
import {
  FILES,
  type Fixture,
  type FixtureOptions,
  op,
  openFixture,
  variant,
} from "../../dispatch/testdata/fixture.ts";
import type { Invocation } from "../../dispatch/types.ts";
import type { JsonObject } from "../../json/mod.ts";
import { createBatchLedger } from "../ledger/mod.ts";
import { createCodeRunner } from "../mod.ts";
import type { CodeRunner, CodeRunnerDeps } from "../types.ts";

/** `gum.code` as the catalog declares it. */
export const CODE_OP: Op = op("gum.code", [
  variant("gum.code.v1.risor", ["read", "GET", "https://unused.invalid/"], {
    auth_strategy: "none",
    capabilities: ["code_execution"],
    execution_support: "full",
    binding: {
      binding_schema_version: 1,
      adapter_key: "code.risor",
      operation_key: "gum.code.risor.exec",
    },
  }),
], {
  service: "meta",
  service_family: "meta",
  request_fields: [
    {
      name: "language",
      location: "arg",
      type: "string",
      required: true,
      enum: ["risor", "javascript"],
    },
    { name: "source", location: "arg", type: "string", required: true },
    { name: "allow_write", location: "arg", type: "boolean" },
    { name: "allow_destructive", location: "arg", type: "boolean" },
    { name: "destructive_budget", location: "arg", type: "integer" },
    { name: "destructive_scope", location: "arg", type: "array", item_type: "object" },
  ],
});

/** A kernel that can run scripts. */
export interface KernelRig extends AsyncDisposable {
  fixture: Fixture;
  runner: CodeRunner;
}

/** Opens one; `ops` join the files of the kernel's own tests. */
export function openKernelRig(
  options: FixtureOptions & { runner?: Partial<CodeRunnerDeps> } = {},
): KernelRig {
  const { runner: runnerDeps, ...fixtureOptions } = options;
  const adapters = createCodeAdapters({ runner: () => Promise.resolve(runner) });
  const fixture = openFixture({
    ...fixtureOptions,
    ops: [...FILES, CODE_OP, ...options.ops ?? []],
    adapters: { ...options.adapters, ...adapters },
  });
  const ledger = createBatchLedger({ ...fixture.deps.gain });
  fixture.deps.gain = ledger;
  const runner = createCodeRunner({
    kernel: fixture.kernel,
    catalog: fixture.deps.catalog,
    gain: ledger,
    clock: fixture.clock,
    log: fixture.deps.log ?? { log() {} },
    ...runnerDeps,
  });
  return {
    fixture,
    runner,
    async [Symbol.asyncDispose]() {
      await runner.close();
      await fixture[Symbol.asyncDispose]();
    },
  };
}

/** The invocation a surface makes of a script. */
export function scriptCall(source: string, args: JsonObject = {}): Invocation {
  return {
    opId: "gum.code",
    args: { language: "risor", source, ...args },
    allowWrite: args.allow_write === true,
    allowDestructive: args.allow_destructive === true,
  };
}
