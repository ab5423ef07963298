/** Auth, confirmation and effects of long-tail operations (spec 04 §10 "What must differ"). */

import { methodWords } from "../derive/mod.ts";
import type { AuthComponent, AuthStrategy, Effect, RiskClass } from "../types.ts";

const CLOUD_PLATFORM = "https://www.googleapis.com/auth/cloud-platform";

/** Services that reach a whole tenant, its money or its identities: every write is confirmed. */
const SENSITIVE_SERVICE =
  /^(?:admin|adminreports|alertcenter|androidmanagement|cloudidentity|cloudbilling|billingbudgets|iam[a-z]*|iap|orgpolicy|accesscontextmanager|accessapproval|cloudresourcemanager|serviceusage|serviceconsumermanagement|reseller|cloudchannel|licensing|groupssettings|chromemanagement|chromepolicy|cloudkms|privateca|secretmanager|identitytoolkit|sts|vault|paymentsresellersubscription|policysimulator|securitycenter|workloadmanager|beyondcorp)$/;

/** True when a mistake in the service can lock people out, cost money or leak secrets. */
export function isSensitiveService(service: string): boolean {
  return SENSITIVE_SERVICE.test(service);
}

/** Method verbs behind which something leaves the account, is charged or runs elsewhere. */
const CONFIRMED_VERBS: ReadonlySet<string> = new Set(
  ("send publish unpublish share unshare transfer approve reject purchase charge refund capture " +
    "deploy undeploy execute import failover switchover rollback revert restore sign invite notify " +
    "grant submit promote demote pay cancel consume acquire decrypt enable disable suspend " +
    "deactivate finalize release broadcast mutate custombatch replace relocate recreate reimage " +
    "withdraw detach close end expire unenroll unregister archive block abort lock " +
    "unsubscribe unbind unapprove")
    .split(" "),
);
const CONFIRMED_NAMES =
  /^(?:setIamPolicy|makeAdmin|generateAccessToken|generateIdToken|signBlob|signJwt|sendOobCode|sendVerificationCode|getOobConfirmationCode|access|asymmetricSign|macSign|decrypt|rawDecrypt|asymmetricDecrypt|updateBillingInfo|renewDomain|exchangeToken|token)$/;

/** Older APIs run the words of a name together (`cancellineitem`), so none of them can be told. */
const RUN_TOGETHER = /^[a-z]{9,}$/;
const MONEY = /refund|charge(?!back)|purchase|capture|payment/;
const CONFIRMED_RUN_TOGETHER = new RegExp(
  `${MONEY.source}|cancel|publish|transfer|approve|reject|revoke|invite|return`,
);

/** What the call does depends on a statement among its arguments. */
const CONFIRMED_IDS =
  /^bigquery\.jobs\.(?:query|insert)$|\.(?:executeSql|executeBatchDml|updateDdl)$/;

/** True when a call must be confirmed although its class is only `write`. */
export function needsConfirmation(
  operation: { service: string; methodId: string; riskClass: RiskClass },
): boolean {
  if (operation.riskClass !== "write") return false;
  if (isSensitiveService(operation.service)) return true;
  const name = operation.methodId.slice(operation.methodId.lastIndexOf(".") + 1);
  if (CONFIRMED_NAMES.test(name) || CONFIRMED_IDS.test(operation.methodId)) return true;
  return RUN_TOGETHER.test(name) && CONFIRMED_RUN_TOGETHER.test(name) ||
    methodWords(operation.methodId).some((word) => CONFIRMED_VERBS.has(word));
}

/** Outward effects that the method's name and service announce; a read has none. */
export function longTailEffects(
  operation: { service: string; methodId: string; riskClass: RiskClass; cloud: boolean },
): Effect[] {
  if (operation.riskClass === "read") return [];
  const words = methodWords(operation.methodId);
  const has = (...names: string[]): boolean => names.some((name) => words.includes(name));
  const effects: Effect[] = [];
  if (has("send", "notify", "invite", "broadcast")) effects.push("sends_mail");
  if (has("share", "grant", "invite") || words.join(" ") === "set iam policy") {
    effects.push("shares");
  }
  if (has("publish", "deploy", "submit", "release", "promote")) effects.push("publishes");
  if (operation.riskClass === "destructive") effects.push("deletes");
  const name = words.join("");
  if (
    has("purchase", "charge", "refund", "capture", "pay", "acquire") || name === "renewdomain" ||
    words.length === 1 && RUN_TOGETHER.test(name) && MONEY.test(name)
  ) effects.push("moves_money");
  // Whatever changes a cloud project changes what others run on, and what it costs.
  if (operation.cloud || isSensitiveService(operation.service)) effects.push("admin");
  return effects;
}

/**
 * Streaming atoms that the path alone does not show: answers that arrive piece by piece, and two-way
 * streams that Discovery lists as if they were requests.
 */
export function streamingAtoms(method: { id: string; httpMethod: string }): string[] {
  const name = method.id.slice(method.id.lastIndexOf(".") + 1);
  if (/documents\.(?:listen|write)$|entries\.tail$/.test(method.id)) return ["bidi_streaming"];
  const streams =
    /^(?:server)?stream(?:ing)?(?:[A-Z]|$)|Streaming|^(?:get|create)Stream$/.test(name) ||
    name === "subscribe" && method.httpMethod === "GET";
  return streams ? ["server_streaming"] : [];
}

/** How a method's caller is identified, from the scopes it accepts. */
export function longTailAuth(
  scopes: readonly string[],
): { strategy: AuthStrategy; components?: AuthComponent[] } {
  if (scopes.length === 0) return { strategy: "api_key" };
  return scopes.includes(CLOUD_PLATFORM)
    ? { strategy: "adc", components: [{ kind: "quota_project", optional: true }] }
    : { strategy: "byo_oauth" };
}
