/** Step 2: every local gate, in the order of spec 02 §3.4. Nothing has left the machine yet. */

import type { Call } from "../call.ts";
import { checkAdminFixtures } from "../policy/admin.ts";
import { checkCapability } from "../policy/capability.ts";
import { checkConfirmation } from "../policy/confirmation.ts";
import { checkLists, checkPolicyMode } from "../policy/lists.ts";
import { checkDualFetch } from "../policy/dual_fetch.ts";
import { checkRisk } from "../policy/risk.ts";
import { checkGrantedScopes } from "../policy/scopes.ts";
import type { Confirmation, ParsedCall } from "../stages.ts";

/** Runs step 2. Without a variant there is nothing to judge: step 3 raises the selection error. */
export async function evaluatePolicy(call: Call, parsed: ParsedCall): Promise<Confirmation> {
  if (parsed.selection.kind === "failed") return undefined;
  const judged = { ...parsed, variant: parsed.selection.variant };
  checkLists(call, judged);
  checkPolicyMode(call, judged);
  checkCapability(judged, call.invocation.media);
  checkRisk(call, judged);
  checkGrantedScopes(call, judged);
  checkAdminFixtures(call, judged);
  checkDualFetch(judged);
  return await checkConfirmation(call, judged);
}
