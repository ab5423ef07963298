/** Gate 4: the risk class of the variant against what the surface granted (spec 02 §3.4). */

import { GumError } from "../../errors/mod.ts";
import type { Call } from "../call.ts";
import type { JudgedCall } from "./judged.ts";

/** The operation that runs scripts; it alone may be granted more than its own class. */
export const CODE_OP = "gum.code";

/** Refuses a call whose grants do not match the class. Confirmations never stand in for a grant. */
export function checkRisk(call: Call, judged: JudgedCall): void {
  const { allowWrite = false, allowDestructive = false } = call.invocation;
  if (judged.op.op_id === CODE_OP) checkScriptGrants(call, judged);
  const riskClass: string = judged.variant.risk_class;
  const rule = RULES[riskClass];
  const granted = rule?.passes({ allowWrite, allowDestructive }) ||
    (riskClass === "read" && judged.op.op_id === CODE_OP);
  if (granted) return;
  throw new GumError("RISK_TOOL_MISMATCH", {
    message: `${judged.op.op_id} is a ${riskClass} operation`,
    details: {
      op_id: judged.op.op_id,
      variant_id: judged.variant.variant_id,
      variant_risk_class: riskClass,
      ...(rule === undefined ? {} : { required_tool: rule.tool }),
    },
    ...(rule === undefined ? {} : {
      userMessage: `This is a ${riskClass} operation; it runs through ${rule.tool} only.`,
      suggestion: `Call ${rule.tool} instead.`,
    }),
  });
}

/**
 * What a script asks for in its arguments must be what the surface granted: the confirmation and
 * every policy look at the grants, the script runs by its arguments.
 */
function checkScriptGrants(call: Call, judged: JudgedCall): void {
  const { allowWrite, allowDestructive } = call.invocation;
  const { allow_write: asksWrite, allow_destructive: asksDestructive } = judged.args;
  const refused = asksDestructive === true && !allowDestructive
    ? "allow_destructive"
    : asksWrite === true && !allowWrite
    ? "allow_write"
    : undefined;
  if (refused === undefined) return;
  throw new GumError("RISK_TOOL_MISMATCH", {
    message: `${CODE_OP} was asked for ${refused} without the grant for it`,
    details: {
      op_id: judged.op.op_id,
      variant_id: judged.variant.variant_id,
      variant_risk_class: judged.variant.risk_class,
      required_tool: CODE_OP,
    },
    userMessage: "A script that changes anything runs through its own tool only.",
    suggestion: "Call gum.code, or run `gum code` with --allow-write or --allow-destructive.",
  });
}

interface Grants {
  allowWrite: boolean;
  allowDestructive: boolean;
}

/** An unknown class has no rule, so nothing can grant it. */
const RULES: Readonly<
  Record<string, { tool: string; passes: (grants: Grants) => boolean } | undefined>
> = {
  read: { tool: "gum.read", passes: (grants) => !grants.allowWrite && !grants.allowDestructive },
  write: { tool: "gum.write", passes: (grants) => grants.allowWrite },
  destructive: { tool: "gum.destructive", passes: (grants) => grants.allowDestructive },
};
