/** What came back from the authorization page, judged (spec 05 §3.6 step 8). */

import type { AuthStrategy } from "../../catalog/types.ts";
import { AuthError } from "../errors.ts";
import { redacted } from "../redact.ts";
import { sameText } from "./random_values.ts";

/** How a flow ended at the redirect. */
export type CallbackResult = { kind: "code"; code: string } | { kind: "refused"; error: AuthError };

/** Judges the parameters of a redirect. The state comes first: nothing else is read without it. */
export function judgeCallback(
  parameters: URLSearchParams,
  expected: { state: string; strategy: AuthStrategy },
): CallbackResult {
  const { strategy } = expected;
  const refuse = (fields: Omit<ConstructorParameters<typeof AuthError>[0], "strategy">) => (
    { kind: "refused" as const, error: new AuthError({ strategy, ...fields }) }
  );
  if (!sameText(parameters.get("state") ?? "", expected.state)) {
    return refuse({
      code: "AUTH_LOOPBACK_STATE_MISMATCH",
      remediation: "the answer does not belong to this sign-in (state mismatch); start again",
      nextCommand: "gum login",
    });
  }
  const error = parameters.get("error");
  if (error !== null) return refuse(refusal(error, parameters.get("error_description") ?? ""));
  const code = parameters.get("code");
  if (code === null || code === "") {
    return refuse({
      code: "GUM_OAUTH_CALLBACK_INVALID",
      remediation: "the answer carries neither a code nor an error; start again",
      nextCommand: "gum login",
    });
  }
  return { kind: "code", code };
}

function refusal(
  error: string,
  description: string,
): Omit<ConstructorParameters<typeof AuthError>[0], "strategy"> {
  const said = redacted(description === "" ? error : `${error}: ${description}`);
  if (error === "admin_policy_enforced") {
    return {
      code: "AUTH_REQUIRED",
      remediation: `the organisation's administrator does not allow this app (${said})`,
      missingComponents: ["workspace_admin_trust"],
      userMessage: "The administrator of this Google Workspace has not allowed the app. Ask them " +
        "to trust its client id in the Admin console (Security, API controls).",
    };
  }
  if (error === "org_internal") {
    return {
      code: "AUTH_REQUIRED",
      remediation: `the app is for members of its own organisation only (${said})`,
      missingComponents: ["org_policy_exception"],
      userMessage: "The app's consent screen is Internal: only accounts of its own organisation " +
        "can sign in. Use such an account, or make the consent screen External.",
    };
  }
  return {
    code: "GUM_OAUTH_USER_DENIED",
    remediation: `the sign-in was refused (${said})`,
    nextCommand: "gum login",
    userMessage: "The sign-in was refused or cancelled. If Google showed that the app is blocked " +
      "or not verified: an app in Testing admits only the test users listed on its consent " +
      "screen, and an unverified app can hold about 25 scopes; ask for fewer with " +
      "`gum login --service <name>`.",
  };
}
