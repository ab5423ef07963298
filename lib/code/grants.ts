/** What a confirmed script may destroy: budget, scope and the armed assertion (spec 09 §6.2). */

import type { Op } from "../catalog/types.ts";
import { GumError } from "../errors/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import type { CodeRequest, ScopeEntry } from "./types.ts";

/** State of one execution. */
export interface DestructiveGrants {
  /** Arms the next destructive call. @throws GumError `REQUIRES_CONFIRMATION` */
  arm(opId: string, resourceKey?: string): void;
  /** Takes the assertion and one unit, or refuses; nothing was sent in either case. */
  spend(call: DestructiveCall): void;
}

/** A destructive call that wants to run. */
export interface DestructiveCall {
  /** The id as the script wrote it. */
  opId: string;
  op: Op;
  variantId?: string;
  args: JsonObject;
}

interface Assertion {
  opId: string;
  resourceKey: string | undefined;
}

/** The grants of a script. */
export function openGrants(request: CodeRequest, confirmed: boolean): DestructiveGrants {
  let budget = request.destructiveBudget;
  let pending: Assertion | undefined;
  return {
    arm(opId, resourceKey) {
      if (!request.allowDestructive || !confirmed) {
        throw new GumError("REQUIRES_CONFIRMATION", {
          message: `${opId} cannot be asserted: the script was not confirmed for destructive calls`,
          details: { op_id: opId },
          userMessage: "The script may not delete anything.",
          suggestion: "Run it with allow_destructive and a destructive_budget, and confirm that.",
          retryable: false,
        });
      }
      pending = { opId, resourceKey };
    },
    spend(call) {
      const asserted = pending;
      pending = undefined;
      const id = call.op.op_id;
      if (asserted === undefined || !namesOp(asserted.opId, call)) throw unasserted(id, asserted);
      if (budget <= 0) throw exhausted(id);
      checkScope(call, { asserted, scope: request.destructiveScope });
      budget--;
    },
  };
}

function namesOp(opId: string, call: DestructiveCall): boolean {
  return opId === call.op.op_id || opId === call.opId;
}

function unasserted(opId: string, asserted: Assertion | undefined): GumError {
  return new GumError("REQUIRES_CONFIRMATION", {
    message: `${opId} needs gum_confirm_destructive(${JSON.stringify(opId)}, …) right before it`,
    details: {
      op_id: opId,
      ...(asserted === undefined ? {} : { confirmed_op_id: asserted.opId }),
    },
    userMessage: "A destructive call was not asserted by the script.",
    suggestion: "Call gum_confirm_destructive with the operation and the resource first.",
    retryable: false,
  });
}

function exhausted(opId: string): GumError {
  return new GumError("DESTRUCTIVE_BUDGET_EXCEEDED", {
    message: `${opId} was not run: the destructive budget is used up`,
    details: { op_id: opId, destructive_budget: 0 },
    userMessage: "The script has used up its destructive budget.",
    suggestion: "Run the rest with a larger destructive_budget, which needs a new confirmation.",
    retryable: false,
  });
}

function checkScope(
  call: DestructiveCall,
  bounds: { asserted: Assertion; scope: readonly ScopeEntry[] },
): void {
  const { asserted, scope } = bounds;
  if (scope.length === 0) return;
  const matching = scope.filter((entry) =>
    namesOp(entry.op_id, call) &&
    (entry.resource_key === undefined || entry.resource_key === asserted.resourceKey)
  );
  if (matching.length === 0) throw outside(call, asserted);
  // An entry without a key already allows every resource of the operation.
  const keys = matching.flatMap((entry) => entry.resource_key ?? []);
  if (keys.length < matching.length) return;
  const named = namedResources(call);
  if (keys.some((key) => named.includes(key))) return;
  throw outside(call, asserted).with({ reason: "resource_key_not_in_args" });
}

function outside(call: DestructiveCall, asserted: Assertion): GumError {
  return new GumError("DESTRUCTIVE_SCOPE_MISMATCH", {
    message: `${call.op.op_id} was not run: the resource lies outside the destructive scope`,
    details: {
      op_id: call.op.op_id,
      ...(asserted.resourceKey === undefined ? {} : { resource_key: asserted.resourceKey }),
    },
    userMessage: "The script tried to change something outside its scope.",
    suggestion: "Add the resource to destructive_scope, which needs a new confirmation.",
    retryable: false,
  });
}

/** Values in the call's own arguments that name what it touches. */
function namedResources(call: DestructiveCall): string[] {
  const variant = call.op.variants.find(({ variant_id }) =>
    variant_id === (call.variantId ?? call.op.default_variant_id)
  );
  const path = variant?.binding?.http?.path ?? "";
  const inPath = [...path.matchAll(/\{\+?([^}]+)\}/g)].map((match) => match[1] ?? "");
  const declared = (call.op.request_fields ?? [])
    .filter((field) => field.location === "path").map((field) => field.name);
  const parameters = [...new Set([...inPath, ...declared])];
  // Names that every operation takes (`quotaUser`, `fields`) name no resource.
  const names = parameters.length > 0
    ? parameters
    : call.op.request_fields?.map((field) => field.name) ?? Object.keys(call.args);
  return names.flatMap((name) => {
    const value = Object.hasOwn(call.args, name) ? call.args[name] : undefined;
    return typeof value === "string" || (parameters.length > 0 && typeof value === "number")
      ? [String(value)]
      : [];
  });
}
