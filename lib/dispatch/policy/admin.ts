/** Gate 6: guard rails of administrator writes (spec 02 §3.4, amended by 11 §12). */

import type { AdminPolicy } from "../../catalog/types.ts";
import { GumError } from "../../errors/mod.ts";
import { isJsonObject, type JsonObject } from "../../json/mod.ts";
import type { Call } from "../call.ts";
import type { JudgedCall } from "./judged.ts";

const DEFAULT_MARKER = "gum-fixture-";

/**
 * Under `fixture_only` every named resource must carry the test marker; under `off` no
 * administrator write runs; under `confirm`, the default, the confirmation gate takes over.
 */
export function checkAdminFixtures(call: Call, judged: JudgedCall): void {
  const policy = judged.variant.admin_policy;
  if (policy === undefined || judged.variant.risk_class === "read") return;
  const mode = call.deps.settings.adminWrites ?? "confirm";
  if (mode === "confirm") return;
  if (mode === "off") throw refusal(judged, { policy, reason: "policy.admin_writes off" });
  const marker = policy.fixture_marker_prefix ?? DEFAULT_MARKER;
  const keys = policy.fixture_resource_keys ?? [];
  const owned = keys.length > 0 &&
    keys.every((key) => isFixtureOwned(valueOf(judged.args, key), marker));
  if (!owned) throw refusal(judged, { policy, reason: "resource is not fixture-owned" });
}

/** True when an administrator write must be confirmed like any high-stakes write. */
export function needsAdminConfirmation(call: Call, judged: JudgedCall): boolean {
  return judged.variant.admin_policy !== undefined && judged.variant.risk_class !== "read" &&
    (call.deps.settings.adminWrites ?? "confirm") === "confirm";
}

function valueOf(args: JsonObject, key: string): unknown {
  if (Object.hasOwn(args, key)) return args[key];
  return isJsonObject(args.body) && Object.hasOwn(args.body, key) ? args.body[key] : undefined;
}

/** The marker may start the value, its part before `@`, or its last path segment; never the domain. */
function isFixtureOwned(value: unknown, marker: string): boolean {
  if (typeof value !== "string") return false;
  const text = value.trim().toLowerCase();
  const at = text.lastIndexOf("@");
  const local = at < 0 ? text : text.slice(0, at);
  const segment = local.slice(local.lastIndexOf("/") + 1);
  return [local, segment].some((part) => part.startsWith(marker));
}

function refusal(
  judged: JudgedCall,
  found: { policy: AdminPolicy; reason: string },
): GumError {
  const { policy, reason } = found;
  return new GumError("POLICY_DENIED", {
    message: `${judged.op.op_id} is blocked: ${reason}`,
    details: {
      op_id: judged.op.op_id,
      variant_id: judged.variant.variant_id,
      reason,
      rule: "policy.admin_writes",
      blast_radius: policy.blast_radius,
      fixture_marker_prefix: policy.fixture_marker_prefix ?? DEFAULT_MARKER,
      fixture_resource_keys: [...policy.fixture_resource_keys ?? []],
    },
    userMessage: "The profile's policy.admin_writes setting does not let this change run.",
    suggestion: "An operator can change policy.admin_writes with `gum config`.",
  });
}
