/** Gates 1 and 2: deny and allow lists, and the named policy modes (spec 02 §3.4, 11 §7). */

import type { Effect } from "../../catalog/types.ts";
import { GumError } from "../../errors/mod.ts";
import type { Call } from "../call.ts";
import type { JudgedCall } from "./judged.ts";

/** Refuses what the profile's lists refuse; deny beats allow. */
export function checkLists(call: Call, judged: JudgedCall): void {
  const { denyOps = [], allowOps = [], invalidPolicyKey } = call.deps.settings;
  const opId = judged.op.op_id;
  if (invalidPolicyKey !== undefined) throw invalidPolicy(call, { opId, key: invalidPolicyKey });
  const listedIn = (patterns: readonly string[]) => patterns.some((one) => matches(one, opId));
  const reason = listedIn(denyOps)
    ? "op_id in deny_ops"
    : allowOps.length > 0 && !listedIn(allowOps)
    ? "op_id not in allow_ops"
    : undefined;
  if (reason === undefined) return;
  const key = reason === "op_id in deny_ops" ? "policy.deny_ops" : "policy.allow_ops";
  throw new GumError("POLICY_DENIED", {
    message: `${opId} is blocked: ${reason}`,
    details: { op_id: opId, reason, rule: key, profile: call.deps.settings.profileName },
    userMessage: `The profile's ${key} setting does not let this operation run.`,
    suggestion: `An operator can change ${key} with \`gum config\`.`,
  });
}

/** An entry is an operation id; a `*` in it stands for any part. */
function matches(pattern: string, opId: string): boolean {
  if (!pattern.includes("*")) return pattern === opId;
  const [head = "", ...rest] = pattern.split("*");
  const tail = rest.pop() ?? "";
  if (!opId.startsWith(head) || opId.length < head.length + tail.length) return false;
  if (!opId.endsWith(tail)) return false;
  let from = head.length;
  const end = opId.length - tail.length;
  for (const part of rest) {
    const at = opId.indexOf(part, from);
    if (at < 0 || at + part.length > end) return false;
    from = at + part.length;
  }
  return true;
}

function invalidPolicy(call: Call, refused: { opId: string; key: string }): GumError {
  const { profileName } = call.deps.settings;
  return new GumError("POLICY_DENIED", {
    message: `${refused.opId} is blocked: the value of ${refused.key} cannot be used`,
    details: {
      op_id: refused.opId,
      reason: "policy config invalid",
      rule: refused.key,
      profile: profileName,
    },
    userMessage: `Profile ${profileName} has a policy that cannot be read, so nothing may run.`,
    suggestion: `An operator can correct ${refused.key} with \`gum config set\`.`,
  });
}

type PolicyMode = NonNullable<Call["deps"]["settings"]["policyMode"]>;

/** Refuses what the policy mode refuses. Nothing in a call can change the mode. */
export function checkPolicyMode(call: Call, judged: JudgedCall): void {
  const mode = call.deps.settings.policyMode ?? "full";
  const why = modeRefusal(mode, { call, judged });
  if (why === undefined) return;
  const opId = judged.op.op_id;
  throw new GumError("POLICY_DENIED", {
    message: `${opId} is blocked by policy.mode = ${mode}: ${why}`,
    details: {
      op_id: opId,
      variant_id: judged.variant.variant_id,
      reason: `policy.mode ${mode}`,
      rule: "policy.mode",
      profile: call.deps.settings.profileName,
    },
    userMessage: `Policy mode ${mode} of profile ${call.deps.settings.profileName}: ${why}.`,
    suggestion:
      "An operator can change it with `gum config set policy.mode=…`, or start the server without its restriction.",
  });
}

function modeRefusal(
  mode: PolicyMode,
  asked: { call: Call; judged: JudgedCall },
): string | undefined {
  if (mode === "full") return undefined;
  const { variant, op } = asked.judged;
  const { allowWrite, allowDestructive } = asked.call.invocation;
  // A script may write only through grants of its own call; its inner calls are judged again.
  const risk = op.op_id !== "gum.code"
    ? variant.risk_class
    : allowDestructive
    ? "destructive"
    : allowWrite
    ? "write"
    : "read";
  const effects: readonly Effect[] = variant.effects ?? [];
  switch (mode) {
    case "read_only":
      return risk === "read" && effects.length === 0 ? undefined : "only reads are allowed";
    case "no_delete":
      return risk === "destructive" || effects.includes("deletes")
        ? "nothing may be deleted"
        : undefined;
    case "draft_only":
      if (risk === "destructive") return "only reads and drafts are allowed";
      if (effects.length > 0) return `it ${effects.map(describeEffect).join(" and ")}`;
      // Nobody declared what this write does outside the account, so it counts as outward.
      return risk === "write" && variant.effects === undefined && isPlugin(asked.judged)
        ? "its outward effects are not known"
        : undefined;
  }
}

function isPlugin(judged: JudgedCall): boolean {
  return judged.variant.binding?.plugin_name !== undefined;
}

function describeEffect(effect: Effect): string {
  const texts: Record<Effect, string> = {
    sends_mail: "sends mail",
    shares: "shares data with others",
    publishes: "publishes",
    deletes: "deletes",
    moves_money: "moves money",
    admin: "administers accounts",
  };
  return texts[effect];
}
