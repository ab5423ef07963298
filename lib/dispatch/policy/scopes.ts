/** Gate 5: recorded grants against the scopes the variant needs (spec 02 §3.4). */

import { GumError } from "../../errors/mod.ts";
import type { Call } from "../call.ts";
import { authDetails, authUserMessage, setupCommand } from "../failures/auth_details.ts";
import type { JudgedCall } from "./judged.ts";

const RECORDED_STRATEGIES: ReadonlySet<string> = new Set(["byo_oauth", "gum_oauth"]);

/** Refuses a call whose login covers too little. With no record at all step 4 answers instead. */
export function checkGrantedScopes(call: Call, judged: JudgedCall): void {
  const { variant, op } = judged;
  if (!RECORDED_STRATEGIES.has(variant.auth_strategy)) return;
  const granted = call.deps.settings.grantedScopes?.();
  if (granted === undefined) return;
  const missing = (variant.scopes ?? []).filter((scope) => !granted.includes(scope));
  const [first] = missing;
  if (first === undefined) return;
  const command = setupCommand(variant, op.op_id);
  throw new GumError("SCOPE_MISSING", {
    message: `the login does not cover ${first}`,
    details: {
      ...authDetails(variant, {
        opId: op.op_id,
        components: ["oauth_scopes"],
        profileName: call.deps.settings.profileName,
      }),
      required_scope: first,
      have_scopes: [...granted].sort(),
      scopes_missing: [...missing].sort(),
    },
    userMessage: authUserMessage(variant, {
      opId: op.op_id,
      because: "The login does not cover what this operation needs.",
    }),
    suggestion: `Run \`${command}\`.`,
  });
}
