/** A runner over a scripted kernel, for tests of scripts. */

import type { CatalogSnapshot, Op } from "../../catalog/types.ts";
import { createSnapshot } from "../../catalog/mod.ts";
import { systemClock } from "../../clock/mod.ts";
import type { Invocation, ShapedResponse } from "../../dispatch/types.ts";
import { GumError } from "../../errors/mod.ts";
import type { JsonObject, JsonValue } from "../../json/mod.ts";
import { codeRequest, createCodeRunner } from "../mod.ts";
import type { CodeResult, CodeRunner, CodeRunnerDeps } from "../types.ts";

/** What a rig is made from. */
export interface RigOptions extends Partial<CodeRunnerDeps> {
  ops?: readonly Op[];
  /** Answers an inner call: a value, or a GumError to throw. */
  answer?: (invocation: Invocation, signal?: AbortSignal) => JsonValue | Promise<JsonValue>;
}

/** A runner and what reached the kernel. */
export interface Rig extends AsyncDisposable {
  runner: CodeRunner;
  calls: Invocation[];
  /** Runs a script; `args` are further arguments of `gum.code`. */
  run(source: string, args?: JsonObject, signal?: AbortSignal): Promise<CodeResult>;
  /** The output of a script. */
  output(source: string, args?: JsonObject): Promise<string>;
  /** The error a script ends with; fails when it succeeds. */
  failure(source: string, args?: JsonObject, signal?: AbortSignal): Promise<GumError>;
}

const silent = { log() {} };

/** A catalog over some operations. */
export function catalogOf(ops: readonly Op[]): CatalogSnapshot {
  return createSnapshot({
    catalog_schema_version: 1,
    generated_at: "2026-01-01T00:00:00Z",
    generator_version: "test",
    ops: [...ops],
  }, { requestSchema: () => undefined });
}

/** A shaped answer as the kernel gives it. */
export function shaped(invocation: Invocation, value: JsonValue): ShapedResponse {
  const text = JSON.stringify(value);
  const textual = invocation.format !== "json" && typeof value === "string";
  const body = new TextEncoder().encode(textual ? value : text);
  const variantId = invocation.requestedVariantId ?? `${invocation.opId}.v1`;
  return {
    body,
    format: invocation.format === "json" || !textual ? "json" : invocation.format ?? "json",
    structuredContent: value,
    expression: {
      profile: "_default",
      op_id: invocation.opId,
      variant_id: variantId,
      lossy: false,
      result_count: 1,
    },
    opId: invocation.opId,
    variantId,
    notice: { cli: "", mcp: "" },
    validationWarnings: [],
    droppedPaths: [],
    dedupedRows: 0,
    limitedRows: 0,
    annotationPaths: [],
  };
}

/** Opens a rig; close it with `await using`. */
export function openRig(options: RigOptions = {}): Rig {
  const { ops = [], answer, ...deps } = options;
  const calls: Invocation[] = [];
  const runner = createCodeRunner({
    kernel: {
      async dispatch(invocation, signal) {
        calls.push(invocation);
        return shaped(invocation, await (answer?.(invocation, signal) ?? null));
      },
    },
    catalog: catalogOf(ops),
    clock: systemClock,
    log: silent,
    ...deps,
  });
  const run: Rig["run"] = (source, args = {}, signal = new AbortController().signal) => {
    const { confirmed = true, ...others } = args;
    const request = codeRequest({ language: "risor", source, ...others });
    return runner.run(request, { confirmed: confirmed === true, requestId: "req-outer" }, signal);
  };
  return {
    runner,
    calls,
    run,
    output: async (source, args) => (await run(source, args)).output,
    async failure(source, args, signal) {
      try {
        await run(source, args, signal);
      } catch (error) {
        if (error instanceof GumError) return error;
        throw error;
      }
      throw new Error(`the script was expected to fail: ${source.slice(0, 80)}`);
    },
    [Symbol.asyncDispose]: () => runner.close(),
  };
}
