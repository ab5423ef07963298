/** The functions of a script that reach the kernel one call at a time (spec 09 §5). */

import type { RiskClass } from "../catalog/types.ts";
import type { Invocation, ShapedResponse } from "../dispatch/types.ts";
import { findGumError, GumError } from "../errors/mod.ts";
import type { JsonObject, JsonValue } from "../json/mod.ts";
import { valueOf } from "./answers.ts";
import type { Execution } from "./execution.ts";
import {
  type ClassifiedCall,
  classify,
  innerCall,
  invalidArgument,
  invocationOf,
  refuseForScripts,
} from "./inner_calls.ts";
import type { HostFunction } from "./types.ts";

/** `gum_call` and the read-only conveniences of one execution. */
export function singleCallFunctions(execution: Execution): Record<string, HostFunction> {
  return {
    async gum_call(values, signal) {
      const call = classify(innerCall(values), execution.deps.catalog);
      return await counted(
        execution,
        async () => valueOf(await runCall(execution, call, { signal })),
      );
    },
    gum_pages: (values, signal) => counted(execution, () => readPages(execution, values, signal)),
    gum_search: (values) => search(execution, values),
    gum_describe: (values) => describe(execution, values),
    gum_confirm_destructive([opId, resourceKey = null]) {
      if (typeof opId !== "string" || opId === "") {
        throw invalidArgument(
          "gum_confirm_destructive",
          "op_id",
          "must be a string that is not empty",
        );
      }
      if (resourceKey !== null && typeof resourceKey !== "string") {
        throw invalidArgument("gum_confirm_destructive", "resource_key", "must be a string");
      }
      execution.grants.arm(
        opId,
        resourceKey === null || resourceKey === "" ? undefined : resourceKey,
      );
      return true;
    },
  };
}

/** Runs one call that counts in the script's progress. */
export async function counted<T>(execution: Execution, run: () => Promise<T>): Promise<T> {
  execution.asked(1);
  try {
    return await run();
  } finally {
    execution.over();
  }
}

/** How one call of a script is made. */
export interface CallMode {
  signal: AbortSignal;
  /** Joins the invocation: format, batch linkage. */
  around?: Partial<Invocation>;
  /** An assertion cannot precede an element, so a batch destroys nothing. */
  inBatch?: boolean;
  /** Told when the service has answered. What is left of the call waits for the promise. */
  onAnswered?: () => Promise<void>;
}

/**
 * Runs one call through its gates and the kernel. A confirmation that the kernel asks for is
 * obtained and spent here: the person confirmed the script that makes the call.
 *
 * @throws GumError
 */
export async function runCall(
  execution: Execution,
  call: ClassifiedCall,
  mode: CallMode,
): Promise<ShapedResponse> {
  refuseForScripts(call);
  const { kernel } = execution.deps;
  if (kernel === undefined) throw notWired("gum_call");
  const grants = grantsFor(execution, call, mode);
  const response = await execution.running(async (leave) => {
    const onAnswered = () => {
      leave();
      return mode.onAnswered?.();
    };
    const around = { ...execution.around, ...grants, ...mode.around, onAnswered };
    const invocation = invocationOf(call, around);
    try {
      return await kernel.dispatch(invocation, mode.signal);
    } catch (error) {
      const refused = findGumError(error, "RISK_TOOL_MISMATCH");
      if (refused !== undefined) throw ungranted(refused, call.riskClass);
      const asked = findGumError(error, "REQUIRES_CONFIRMATION");
      const token = asked?.details.confirmation_token;
      const elevated = grants.allowWrite === true || grants.allowDestructive === true;
      if (!elevated || !execution.context.confirmed || typeof token !== "string") throw error;
      return await kernel.dispatch(
        { ...invocation, confirmed: true, confirmationToken: token },
        mode.signal,
      );
    }
  });
  execution.completed(response);
  return response;
}

/** Grants by the class of the variant that would run; without the flag the kernel refuses. */
function grantsFor(
  execution: Execution,
  call: ClassifiedCall,
  mode: CallMode,
): Pick<Invocation, "allowWrite" | "allowDestructive"> {
  const { request, context } = execution;
  const { op, riskClass } = call;
  if (op === undefined || riskClass === undefined || riskClass === "read") return {};
  if (riskClass === "write") {
    if (!request.allowWrite) return {};
    if (!context.confirmed) throw unconfirmed(op.op_id);
    return { allowWrite: true };
  }
  if (!request.allowDestructive) return {};
  if (mode.inBatch) throw destructiveElement(op.op_id);
  execution.grants.spend({ opId: call.opId, op, variantId: call.variantId, args: call.args });
  return { allowDestructive: true };
}

/** The kernel's refusal with advice for a script: another tool is no way out of one. */
function ungranted(refused: GumError, riskClass: RiskClass | undefined): GumError {
  const flags = riskClass === "destructive"
    ? "allow_destructive and a destructive_budget (--allow-destructive --destructive-budget)"
    : "allow_write (--allow-write)";
  return refused.restated({
    userMessage: `This script may not make a ${riskClass ?? "changing"} call.`,
    suggestion: `Run the script again with ${flags}, and confirm that.`,
    retryable: false,
    cause: refused,
  });
}

function unconfirmed(opId: string): GumError {
  return new GumError("REQUIRES_CONFIRMATION", {
    message: `${opId} was not run: the script was not confirmed`,
    details: { op_id: opId },
    userMessage: "The script was not confirmed.",
    suggestion: "Call gum.code again with confirmed=true and its confirmation_token.",
    retryable: false,
  });
}

function destructiveElement(opId: string): GumError {
  return new GumError("REQUIRES_CONFIRMATION", {
    message: `${opId} is destructive and cannot be an element of gum_parallel`,
    details: { op_id: opId },
    userMessage: "A batch cannot delete anything.",
    suggestion: "Use gum_confirm_destructive and gum_call, one resource at a time.",
    retryable: false,
  });
}

/** A host function that this session cannot serve. */
export function notWired(capability: string): GumError {
  return new GumError("UNSUPPORTED_CAPABILITY", {
    message: `${capability} is not available here`,
    details: { capability },
    userMessage: `This session cannot serve ${capability}.`,
    suggestion: "Use the tools instead of a script.",
    retryable: false,
  });
}

async function readPages(
  execution: Execution,
  values: readonly JsonValue[],
  signal: AbortSignal,
): Promise<JsonValue> {
  const { pages, catalog } = execution.deps;
  if (pages === undefined) throw notWired("gum_pages");
  const [opId, args, options = null] = values;
  const call = classify(innerCall([opId ?? null, args ?? null], "gum_pages"), catalog);
  refuseForScripts(call);
  const bounds = pageBounds(options);
  // Nothing but a read has pages, so no grant is ever given here.
  const invocation = invocationOf(call, execution.around);
  const { response, error } = await execution.running(
    () => pages(invocation, { ...bounds, signal }),
  );
  execution.completed(response);
  return {
    data: valueOf(response),
    pagination: response.pagination ?? {},
    // Pages that came before a failure are worth having; that they are not all is said here.
    ...(error === undefined ? {} : { error: execution.envelopeOf(error) }),
  };
}

function pageBounds(options: JsonValue): { maxPages?: number; maxItems?: number } {
  if (options === null) return {};
  if (typeof options !== "object" || Array.isArray(options)) {
    throw invalidArgument("gum_pages", "options", "must be a map");
  }
  const { max_pages: maxPages, max_items: maxItems, ...others } = options as JsonObject;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw invalidArgument("gum_pages", unknown, "is not an option");
  const count = (name: string, value: JsonValue | undefined) => {
    if (value === undefined || value === null) return undefined;
    if (typeof value === "number" && Number.isInteger(value) && value > 0) return value;
    throw invalidArgument("gum_pages", name, "must be a positive integer");
  };
  return { maxPages: count("max_pages", maxPages), maxItems: count("max_items", maxItems) };
}

const MAX_HITS = 50;
const DEFAULT_HITS = 10;

function search(execution: Execution, values: readonly JsonValue[]): JsonValue {
  const [query, topK = null] = values;
  if (typeof query !== "string" || query.trim() === "") {
    throw invalidArgument("gum_search", "query", "must be a text that is not empty");
  }
  const valid = topK === null ||
    (typeof topK === "number" && Number.isInteger(topK) && topK >= 1 && topK <= MAX_HITS);
  if (!valid) throw invalidArgument("gum_search", "top_k", `must be 1 to ${MAX_HITS}`);
  const index = execution.deps.search;
  if (index === undefined) throw notWired("gum_search");
  return index.search(query, typeof topK === "number" ? topK : DEFAULT_HITS)
    .map(({ op_id, score, summary, risk_class, auth_strategy }) => ({
      op_id,
      score,
      summary,
      risk_class,
      auth_strategy,
    }));
}

function describe(execution: Execution, values: readonly JsonValue[]): JsonValue {
  const { opId } = innerCall(values.slice(0, 1), "gum_describe");
  const contract = execution.deps.describe;
  if (contract === undefined) throw notWired("gum_describe");
  return contract(opId);
}
