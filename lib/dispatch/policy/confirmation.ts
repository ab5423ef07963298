/** Gate 8, the last: nothing that cannot be undone runs on one contact (spec 02 §3.5). */

import { GumError } from "../../errors/mod.ts";
import { jcs } from "../../format/jcs.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import type { Call } from "../call.ts";
import { sha256Hex } from "../../digest/mod.ts";
import type { Confirmation } from "../stages.ts";
import type { ConfirmationBinding } from "../types.ts";
import { needsAdminConfirmation } from "./admin.ts";
import type { JudgedCall } from "./judged.ts";
import { consequence, pendingFacts } from "./pending_facts.ts";
import { CODE_OP } from "./risk.ts";

/** What the call is asked to confirm, and how the envelope names its class. */
interface Demand {
  purpose: ConfirmationBinding["purpose"];
  riskClass: "destructive" | "high_stakes_write" | "gum.code";
}

/**
 * First contact answers `REQUIRES_CONFIRMATION` with a token; second contact verifies it. Spending
 * comes later, right before the request, so that nothing local burns a token.
 */
export async function checkConfirmation(call: Call, judged: JudgedCall): Promise<Confirmation> {
  const demand = demandOf(call, judged);
  // A dry run performs nothing: it neither issues nor uses a token.
  if (demand === undefined || call.invocation.dryRun) return undefined;
  if (call.media?.kind === "upload" && call.media.source === "-") throw unboundContent(judged);
  const pendingCode = judged.op.op_id === CODE_OP ? await pendingScript(call, judged) : undefined;
  const binding: ConfirmationBinding = {
    purpose: demand.purpose,
    opId: judged.op.op_id,
    variantId: judged.variant.variant_id,
    argsHash: pendingCode === undefined ? judged.argsHash : await sha256Hex(jcs(pendingCode)),
    scope: demand.purpose === "gum_confirm_write"
      ? ""
      : canonicalScope(judged.args.destructive_scope),
  };
  if (call.invocation.confirmed === true) {
    return await call.deps.confirm.verify(call.invocation.confirmationToken, binding);
  }
  throw await firstContact(call, {
    binding,
    demand,
    judged,
    pendingRequest: pendingCode ?? pendingRequest(call, judged),
  });
}

/** A stream is read once, so no token can bind what it will hold. */
function unboundContent(judged: JudgedCall): GumError {
  return new GumError("INVALID_ARGS", {
    message: "content from standard input cannot be confirmed before it is sent",
    details: {
      op_id: judged.op.op_id,
      field: "upload",
      reason: "stream_cannot_be_confirmed",
      missing: [],
      unknown: [],
      type_errors: [],
    },
    userMessage: "This operation needs a confirmation, and standard input cannot be confirmed.",
    suggestion: "Save the content to a file and upload that.",
  });
}

/** Whether, and under which purpose, this call must be confirmed. */
export function demandOf(call: Call, judged: JudgedCall): Demand | undefined {
  const { allowWrite, allowDestructive, requireWriteConfirmation } = call.invocation;
  if (judged.op.op_id === CODE_OP) {
    if (allowDestructive) return { purpose: "gum_code_destructive", riskClass: "gum.code" };
    return allowWrite ? { purpose: "gum_code_write", riskClass: "gum.code" } : undefined;
  }
  const { variant } = judged;
  if (variant.risk_class === "destructive") {
    return { purpose: "gum_confirm_destructive", riskClass: "destructive" };
  }
  const highStakes = variant.risk_class === "write" &&
    (variant.confirmation_policy === "high_stakes_write" || requireWriteConfirmation === true ||
      needsAdminConfirmation(call, judged));
  return highStakes ? { purpose: "gum_confirm_write", riskClass: "high_stakes_write" } : undefined;
}

async function firstContact(
  call: Call,
  contact: {
    binding: ConfirmationBinding;
    demand: Demand;
    judged: JudgedCall;
    pendingRequest: JsonObject;
  },
): Promise<GumError> {
  const { binding, demand, judged } = contact;
  const shared: JsonObject = {
    op_id: binding.opId,
    variant_id: binding.variantId,
    args_hash: binding.argsHash,
    risk_class: demand.riskClass,
    confirmation_purpose: demand.purpose,
    pending_request: contact.pendingRequest,
  };
  let issued: { token: string; expiresAt: string };
  try {
    issued = await call.deps.confirm.issue(binding);
  } catch (error) {
    if (error instanceof GumError) return error.with(shared);
    throw error;
  }
  return new GumError("REQUIRES_CONFIRMATION", {
    message: `${binding.opId} needs a confirmation; nothing was done`,
    details: {
      ...shared,
      confirmation_token: issued.token,
      confirmation_expires_at: issued.expiresAt,
    },
    userMessage: describePending(call, { judged, demand }),
    suggestion: "Re-invoke with confirmed=true and this confirmation_token.",
  });
}

function describePending(
  call: Call,
  pending: { judged: JudgedCall; demand: Demand },
): string {
  const sentence = call.invocation.preview?.sentence;
  const text = describeDemand(call, pending);
  return sentence === undefined ? text : `${sentence} ${text}`;
}

function describeDemand(
  call: Call,
  { judged, demand }: { judged: JudgedCall; demand: Demand },
): string {
  const { variant, op } = judged;
  if (demand.riskClass === "gum.code") return describeScript(call, judged);
  const policy = variant.admin_policy;
  if (policy !== undefined) {
    const named = resourceNames(judged).join(", ");
    const radius = policy.blast_radius.replaceAll("_", " ");
    return `${op.title} changes the administered domain` +
      (named === "" ? "" : ` (${named})`) + `: ${radius}. Nothing was done yet.`;
  }
  // A preview says what the body means better than its values do.
  const facts = pendingFacts(judged, { body: call.invocation.preview === undefined });
  return `${op.title} ${consequence(judged)}` +
    (facts.length === 0 ? "" : `: ${facts.join(", ")}`) + ". Nothing was done yet.";
}

/** A script is judged by what it was allowed, not by what it may turn out to do. */
function describeScript(call: Call, { args }: JudgedCall): string {
  const { allowWrite, allowDestructive } = call.invocation;
  const budget = typeof args.destructive_budget === "number" ? args.destructive_budget : 0;
  const scope = scopeEntries(args.destructive_scope).flatMap((entry) =>
    isJsonObject(entry) ? [[entry.op_id, entry.resource_key].filter(Boolean).join(" ")] : []
  );
  const deletes = !allowDestructive
    ? ""
    : `make up to ${budget} destructive call${budget === 1 ? "" : "s"}` +
      (scope.length === 0 ? "" : ` (${scope.join(", ")} only)`);
  const may = [allowWrite ? "change data" : "", deletes].filter((part) => part !== "");
  return `The script may ${may.join(" and ")}. Nothing was run yet.`;
}

/** Values that name what an administrator write touches: tenant and resource. */
function resourceNames(judged: JudgedCall): string[] {
  const keys = judged.variant.admin_policy?.fixture_resource_keys ?? [];
  const placeholders = [...(judged.variant.binding?.http?.path ?? "").matchAll(/\{\+?([^}]+)\}/g)]
    .map((match) => match[1] ?? "");
  const body = isJsonObject(judged.args.body) ? judged.args.body : {};
  return [...new Set(["customer", "domain", ...placeholders, ...keys])].flatMap((key) => {
    const value = Object.hasOwn(judged.args, key) ? judged.args[key] : body[key];
    return typeof value === "string" ? [`${key} ${value}`] : [];
  });
}

/** What a person approves: method, target and size, without credentials. */
function pendingRequest(call: Call, judged: JudgedCall): JsonObject {
  const { variant, op } = judged;
  const adapterKey = variant.binding?.adapter_key ?? "";
  const preview = call.deps.adapters.find(adapterKey)?.preview?.({
    opId: op.op_id,
    args: judged.args,
    resolved: { op, variant, adapterKey, deprecated: false },
    requestId: call.requestId,
    caller: call.invocation.caller,
    media: call.media,
    grants: { allowWrite: false, allowDestructive: false, confirmed: false },
  });
  const facts = call.invocation.preview?.facts;
  if (preview === undefined) return { adapter_key: adapterKey, ...facts };
  const { method, url, body_bytes } = preview;
  const { _media: media } = judged.args;
  return method === undefined || url === undefined ? { ...preview, ...facts } : {
    method,
    target: url,
    body_bytes: body_bytes ?? 0,
    ...(media === undefined ? {} : { media }),
    ...facts,
  };
}

/** What a script's token binds: the source itself, recomputed on both contacts, and its grants. */
async function pendingScript(call: Call, judged: JudgedCall): Promise<JsonObject> {
  const { args } = judged;
  const source = typeof args.source === "string" ? args.source : "";
  return {
    language: args.language ?? "",
    source_sha256: await sha256Hex(source),
    allow_write: call.invocation.allowWrite ?? false,
    allow_destructive: call.invocation.allowDestructive ?? false,
    destructive_budget: args.destructive_budget ?? 0,
    destructive_scope: scopeEntries(args.destructive_scope),
  };
}

/** A destructive scope in one spelling: entries reduced, sorted, without duplicates. */
export function canonicalScope(value: JsonValue | undefined): string {
  return jcs(scopeEntries(value));
}

function scopeEntries(value: JsonValue | undefined): JsonValue[] {
  const entries = new Map<string, JsonObject>();
  for (const entry of Array.isArray(value) ? value : []) {
    if (!isJsonObject(entry) || typeof entry.op_id !== "string") continue;
    const { op_id: opId, resource_key: key } = entry;
    const named = typeof key === "string" && key !== "" ? key : undefined;
    entries.set(
      `${opId}\u0000${named ?? ""}`,
      named === undefined ? { op_id: opId } : { op_id: opId, resource_key: named },
    );
  }
  return [...entries.keys()].sort().flatMap((sortKey) => entries.get(sortKey) ?? []);
}
