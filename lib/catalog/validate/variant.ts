/** Rules of one variant, in the order of spec 04 §3.2 (rows 8–14, 17, 18, 20, 21). */
import type { JsonObject } from "../../json/mod.ts";
import type { Op, Variant } from "../types.ts";
import { checkBinding } from "./binding.ts";
import { CatalogError, type CatalogErrorCode } from "./catalog_error.ts";
import {
  AUTH_COMPONENT_KINDS,
  AUTH_STRATEGY_ALIAS,
  AUTH_STRATEGY_VALUES,
  BACKEND_KINDS,
  BLAST_RADII,
  CAPABILITY_ORDER,
  EFFECT_ORDER,
  EXECUTION_SUPPORTS,
  INTERFACE_KINDS,
  isExperimental,
  isKnownOrExperimental,
  RISK_CLASSES,
  STABILITIES,
} from "./enums.ts";
import { parseMask, type ProjectionTree, unknownSelectors } from "./masks.ts";
import { checkRoutingHeaders } from "./routing_headers.ts";

/** What the variant rules need from outside the variant. */
export interface VariantContext {
  op: Op;
  requestSchema: (ref: string) => JsonObject | undefined;
  /** Response skeleton of the operation; masks are only checked for grammar without one. */
  projection?: ProjectionTree;
}

type Fail = (code: CatalogErrorCode, detail: string) => never;

/** True unless the variant is a declaration only. */
export function isExecutable(variant: Variant): boolean {
  return variant.execution_support !== "schema_only";
}

/** Checks one variant; the first broken rule is thrown. */
export function checkVariant(variant: Variant, context: VariantContext): void {
  const fail: Fail = (code, detail) => {
    throw new CatalogError(code, detail, {
      opId: context.op.op_id,
      variantId: variant.variant_id,
    });
  };
  checkEnums(variant, fail);
  checkAuth(variant, fail);
  checkAdminPolicy(variant, { op: context.op, fail });
  checkExperimental(variant, fail);
  checkCapabilities(variant, fail);
  checkExecutionSupport(variant, fail);
  checkBinding(variant, { opId: context.op.op_id, executable: isExecutable(variant) });
  checkRoutingHeaders(variant, {
    opId: context.op.op_id,
    requestSchema: context.requestSchema,
  });
  if (variant.service_root_template !== undefined && variant.service_root_template !== "") {
    fail("SERVICE_ROOT_TEMPLATE_DEFERRED", "service_root_template is reserved");
  }
  checkPolicy(variant, fail);
}

function checkEnums(variant: Variant, fail: Fail): void {
  if (!(STABILITIES as readonly string[]).includes(variant.stability)) {
    fail("UNKNOWN_STABILITY", JSON.stringify(variant.stability));
  }
  if (!isKnownOrExperimental(variant.interface_kind, INTERFACE_KINDS)) {
    fail("UNKNOWN_INTERFACE_KIND", unknownKind(variant.interface_kind));
  }
  if (!isKnownOrExperimental(variant.backend_kind, BACKEND_KINDS)) {
    fail("UNKNOWN_BACKEND_KIND", unknownKind(variant.backend_kind));
  }
  if (!(RISK_CLASSES as readonly string[]).includes(variant.risk_class)) {
    fail("UNKNOWN_RISK_CLASS", JSON.stringify(variant.risk_class));
  }
  const strategy: unknown = variant.auth_strategy;
  const known = strategy === undefined || strategy === "" || strategy === AUTH_STRATEGY_ALIAS ||
    (AUTH_STRATEGY_VALUES as readonly unknown[]).includes(strategy);
  if (!known) fail("UNKNOWN_AUTH_STRATEGY", JSON.stringify(strategy));
}

function unknownKind(value: unknown): string {
  return `${JSON.stringify(value)}; an experimental kind is x-<name> with schema_only`;
}

function checkAuth(variant: Variant, fail: Fail): void {
  const strategy: string | undefined = variant.auth_strategy;
  if (isExecutable(variant) && (strategy === undefined || strategy === "")) {
    fail("AUTH_STRATEGY_REQUIRED", "an executable variant needs an auth_strategy");
  }
  for (const component of variant.auth_components ?? []) {
    if (!isKnownOrExperimental(component.kind, AUTH_COMPONENT_KINDS)) {
      fail("AUTH_COMPONENT_UNKNOWN", unknownKind(component.kind));
    }
  }
  if (strategy === "compound" && (variant.auth_components ?? []).length === 0) {
    fail("AUTH_COMPONENT_UNKNOWN", "compound needs at least one component");
  }
}

/**
 * Admin SDK writes say how far they reach. Reversible and high-blast writes run behind a
 * confirmation (spec 11 §12, which amends 04 §3.8), so a write among them must be high-stakes.
 */
function checkAdminPolicy(variant: Variant, context: { op: Op; fail: Fail }): void {
  const { op, fail } = context;
  const policy = variant.admin_policy;
  if (op.service !== "admin" || variant.risk_class === "read") {
    if (policy !== undefined) fail("ADMIN_POLICY_INVALID", "admin_policy on a variant without one");
    return;
  }
  if (policy === undefined) return fail("ADMIN_POLICY_INVALID", "admin_policy is missing");
  if (!(BLAST_RADII as readonly string[]).includes(policy.blast_radius)) {
    fail("ADMIN_POLICY_INVALID", `blast_radius ${JSON.stringify(policy.blast_radius)}`);
  }
  const owned = policy.blast_radius === "admin_fixture_write" ||
    policy.fixture_ownership_required === true;
  if (policy.blast_radius === "admin_fixture_write" && policy.fixture_ownership_required !== true) {
    fail("ADMIN_POLICY_INVALID", "fixture writes require fixture ownership");
  }
  const hasMarkers = (policy.fixture_marker_prefix ?? "") !== "" &&
    (policy.fixture_resource_keys ?? []).length > 0;
  if (owned && !hasMarkers) {
    fail("ADMIN_POLICY_INVALID", "fixture ownership needs a marker prefix and resource keys");
  }
  if (policy.blast_radius === "admin_fixture_write") return;
  // `policy.admin_writes = "fixture_only"` applies the markers to every shipped Admin write.
  if (!hasMarkers) fail("ADMIN_POLICY_INVALID", "fixture markers are missing");
  if (variant.risk_class === "write" && variant.confirmation_policy !== "high_stakes_write") {
    fail("ADMIN_POLICY_INVALID", "an unguarded Admin write must be high_stakes_write");
  }
  // A lost membership can be given back; a deleted user or group takes its content along.
  const whole = variant.risk_class === "destructive" && !/\.members\.delete$/.test(op.op_id);
  if (whole && policy.blast_radius !== "admin_high_blast_write") {
    fail("ADMIN_POLICY_INVALID", "deleting a user or group is a high-blast write");
  }
}

function checkExperimental(variant: Variant, fail: Fail): void {
  if (variant.execution_support === "schema_only") return;
  if (isExperimental(variant.backend_kind)) {
    fail("UNKNOWN_BACKEND_KIND", `${variant.backend_kind} needs execution_support schema_only`);
  }
  if (isExperimental(variant.interface_kind)) {
    fail("UNKNOWN_INTERFACE_KIND", `${variant.interface_kind} needs execution_support schema_only`);
  }
  const atom = variant.capabilities?.find(isExperimental);
  if (atom !== undefined) {
    fail("UNKNOWN_CAPABILITY", `${atom} needs execution_support schema_only`);
  }
}

function checkCapabilities(variant: Variant, fail: Fail): void {
  const atoms: unknown = variant.capabilities;
  if (!Array.isArray(atoms) || atoms.length === 0) {
    return fail("UNKNOWN_CAPABILITY", "a variant declares at least one capability");
  }
  let last = -1;
  const seen = new Set<string>();
  for (const atom of atoms as unknown[]) {
    if (!isKnownOrExperimental(atom, CAPABILITY_ORDER)) {
      return fail("UNKNOWN_CAPABILITY", unknownKind(atom));
    }
    if (seen.has(atom)) fail("UNKNOWN_CAPABILITY", `${atom} is listed twice`);
    seen.add(atom);
    const index = (CAPABILITY_ORDER as readonly string[]).indexOf(atom);
    const position = index < 0 ? CAPABILITY_ORDER.length : index;
    if (position < last) fail("UNKNOWN_CAPABILITY", `${atom} is out of order`);
    last = position;
  }
}

function checkExecutionSupport(variant: Variant, fail: Fail): void {
  const support = variant.execution_support ?? "full";
  if (!(EXECUTION_SUPPORTS as readonly string[]).includes(support)) {
    fail("EXECUTION_SUPPORT_INVALID", JSON.stringify(support));
  }
  const unsupported = variant.unsupported_capabilities ?? [];
  const unique = new Set(unsupported);
  const undeclared = unsupported.find((atom) => !variant.capabilities.includes(atom));
  if (undeclared !== undefined) {
    fail("EXECUTION_SUPPORT_INVALID", `${undeclared} is not a declared capability`);
  }
  if (unique.size !== unsupported.length) {
    fail("EXECUTION_SUPPORT_INVALID", "unsupported_capabilities has duplicates");
  }
  const declared = variant.capabilities.length;
  const legal = support === "full"
    ? unique.size === 0
    : support === "partial"
    ? unique.size > 0 && unique.size < declared
    : unique.size === declared;
  if (!legal) {
    fail(
      "EXECUTION_SUPPORT_INVALID",
      `${support} does not go with ${unique.size} of ${declared} capabilities unsupported`,
    );
  }
}

function checkPolicy(variant: Variant, fail: Fail): void {
  if (variant.confirmation_policy === "high_stakes_write" && variant.risk_class !== "write") {
    fail("CONFIRMATION_POLICY_INVALID", "high_stakes_write belongs to risk class write");
  }
  const policies = [undefined, "none", "high_stakes_write"];
  if (!policies.includes(variant.confirmation_policy)) {
    fail("CONFIRMATION_POLICY_INVALID", JSON.stringify(variant.confirmation_policy));
  }
  const effects = variant.effects ?? [];
  const inOrder = EFFECT_ORDER.filter((effect) => effects.includes(effect));
  if (effects.length !== inOrder.length || inOrder.some((effect, at) => effects[at] !== effect)) {
    fail("EFFECTS_INVALID", "effects are unknown, repeated or out of order");
  }
  if (effects.length > 0 && variant.risk_class === "read") {
    fail("EFFECTS_INVALID", "a read has no outward effect");
  }
}

/** Row 20: masks parse, sit on reads, and name only what the response has. */
export function checkDefaultFields(variant: Variant, context: VariantContext): void {
  if (variant.default_fields === undefined) return;
  const fail: Fail = (code, detail) => {
    throw new CatalogError(code, detail, {
      opId: context.op.op_id,
      variantId: variant.variant_id,
    });
  };
  if (variant.risk_class !== "read") {
    fail("DEFAULT_FIELDS_INVALID", "mask on a variant that writes");
  }
  let mask;
  try {
    mask = parseMask(variant.default_fields);
  } catch (cause) {
    throw new CatalogError(
      "DEFAULT_FIELDS_INVALID",
      `${variant.default_fields}: ${cause instanceof Error ? cause.message : String(cause)}`,
      { opId: context.op.op_id, variantId: variant.variant_id, cause },
    );
  }
  if (context.projection === undefined) return;
  const unknown = unknownSelectors(mask, context.projection);
  if (unknown.length > 0) {
    fail("DEFAULT_FIELDS_INVALID", `not in the response: ${unknown.join(", ")}`);
  }
}

/** Row 21: an overridden risk class says why. */
export function checkRiskOverride(variant: Variant, opId: string): void {
  const reason = variant.risk_override_reason ?? "";
  if ((variant.risk_override === true) === (reason.trim() !== "")) return;
  throw new CatalogError(
    "RISK_OVERRIDE_INVALID",
    "risk_override and its reason go together",
    { opId, variantId: variant.variant_id },
  );
}
