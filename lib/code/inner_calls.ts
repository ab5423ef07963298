/** The gates in front of every call of a script (spec 09 §5, §9). Pure; nothing is sent here. */

import type { CatalogSnapshot, Op, RiskClass, Variant } from "../catalog/types.ts";
import type { Invocation } from "../dispatch/types.ts";
import { GumError } from "../errors/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/mod.ts";
import { lroRefusalInCode, opReturnsLro } from "../lro/mod.ts";

/** One call as a script asks for it. */
export interface InnerCall {
  opId: string;
  args: JsonObject;
  variantId?: string;
}

/** What the catalog says about a call; `undefined` parts are unknown. */
export interface ClassifiedCall extends InnerCall {
  op: Op | undefined;
  variant: Variant | undefined;
  riskClass: RiskClass | undefined;
  /** "" = never paused. */
  family: string;
}

/** Reads the arguments of `gum_call`. @throws GumError `INVALID_ARGS` that names the argument. */
export function innerCall(values: readonly JsonValue[], what = "gum_call"): InnerCall {
  const [opId, args = null, variantId = null] = values;
  if (typeof opId !== "string" || opId === "") {
    throw invalidArgument(what, "op_id", "must be a string that is not empty");
  }
  if (args !== null && !isJsonObject(args)) throw invalidArgument(what, "args", "must be a map");
  if (variantId !== null && (typeof variantId !== "string" || variantId === "")) {
    throw invalidArgument(what, "variant_id", "must be a string that is not empty");
  }
  return { opId, args: args ?? {}, ...(variantId === null ? {} : { variantId }) };
}

/** An argument of a host function that cannot be used. */
export function invalidArgument(what: string, field: string, problem: string): GumError {
  return new GumError("INVALID_ARGS", {
    message: `${what}: ${field} ${problem}`,
    details: { field, missing: [], unknown: [], type_errors: [] },
    userMessage: `An argument of ${what} is not valid.`,
    suggestion: `Correct ${field} in the script.`,
    retryable: false,
  });
}

/** Looks a call up. Without a catalog everything but its id stays unknown. */
export function classify(call: InnerCall, catalog: CatalogSnapshot | undefined): ClassifiedCall {
  const op = catalog?.findOp(call.opId);
  const wanted = call.variantId ?? op?.default_variant_id;
  const variant = op?.variants.find(({ variant_id }) => variant_id === wanted);
  return { ...call, op, variant, riskClass: variant?.risk_class, family: op?.service_family ?? "" };
}

/** The operation that runs scripts; a script cannot start another one. */
const CODE_OP = "gum.code";

/** Refuses what no script may call. @throws GumError */
export function refuseForScripts(call: ClassifiedCall): void {
  if (call.opId === CODE_OP || call.op?.op_id === CODE_OP) {
    throw new GumError("UNSUPPORTED_CAPABILITY", {
      message: "a script cannot run another script",
      details: { op_id: CODE_OP, unsupported_capabilities: ["code_execution"] },
      userMessage: "Scripts cannot start scripts.",
      suggestion: "Put the work into one script, or call gum.code twice.",
      retryable: false,
    });
  }
  const { op } = call;
  const refusal = lroRefusalInCode(
    op?.op_id ?? call.opId,
    op === undefined ? undefined : () => opReturnsLro(op),
  );
  if (refusal !== undefined) throw refusal;
}

/** The kernel's invocation of a call, before its class adds grants. */
export function invocationOf(
  call: InnerCall,
  around: Partial<Invocation>,
): Invocation {
  return {
    opId: call.opId,
    args: call.args,
    format: "json",
    caller: "risor",
    ...(call.variantId === undefined ? {} : { requestedVariantId: call.variantId }),
    ...around,
  };
}
