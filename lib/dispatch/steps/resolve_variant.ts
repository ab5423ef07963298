/** Step 3: publish the selection or raise its error, and decide on the upstream mask. */

import type { Variant } from "../../catalog/types.ts";
import { sha256Hex } from "../../digest/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import type { ResolvedProfile } from "../../profile/types.ts";
import { copyObject } from "../arguments/values.ts";
import type { Call } from "../call.ts";
import { canonicalArgs } from "../canonical.ts";
import { maskKeeping } from "../page_mask.ts";
import type { MaskDecision, ParsedCall, RoutedCall } from "../stages.ts";

const MASKED_BACKENDS: ReadonlySet<string> = new Set([
  "typed-rest-sdk",
  "discovery-rest",
  "raw-http",
]);

/** Runs step 3. */
export async function resolveVariant(call: Call, parsed: ParsedCall): Promise<RoutedCall> {
  const { selection } = parsed;
  if (selection.kind === "failed") throw selection.error;
  const { variant, deprecated, supersededBy } = selection;
  call.known.variantId = variant.variant_id;
  call.known.riskClass = variant.risk_class;
  const mask = decideMask(variant, {
    profile: parsed.profile,
    callerMask: Object.hasOwn(parsed.args, "fields"),
    // A mask would cut the very field, or the bytes, that the caller asked for.
    suppressed: call.invocation.suppressFieldMask === true || call.media?.kind === "download",
  });
  const wireArgs = copyObject(parsed.args);
  if (mask.injected !== undefined) wireArgs.fields = mask.injected;
  const asked = askedMask(call, variant);
  if (asked !== undefined) mask.asked = asked;
  const extended = extendMask(call, { variant, wireArgs, mask });
  const wireCanonical = canonicalArgs(wireArgs, call.deps.settings);
  const wireHash = mask.injected === undefined && !extended
    ? parsed.argsHash
    : await sha256Hex(wireCanonical);
  const adapterKey = variant.binding?.adapter_key ?? "";
  return {
    ...parsed,
    resolved: { op: parsed.op, variant, adapterKey, deprecated, supersededBy },
    wireArgs,
    wireCanonical,
    wireHash,
    mask,
  };
}

/** Page loops need the token of every answer, whatever mask is in force (spec 02 §8.3). */
function extendMask(
  call: Call,
  routed: { variant: Variant; wireArgs: JsonObject; mask: MaskDecision },
): boolean {
  const { shaping } = call.invocation;
  if (shaping?.kind !== "page") return false;
  const { variant, wireArgs, mask } = routed;
  const headers = Object.entries(variant.binding?.http?.header_params ?? {});
  const names = ["fields", ...headers.filter(isMaskHeader).map(([name]) => name)];
  let extended = false;
  for (const name of names) {
    const given = wireArgs[name];
    if (typeof given !== "string") continue;
    const kept = maskKeeping(given, shaping.tokenField);
    if (kept === given) continue;
    wireArgs[name] = kept;
    extended = true;
  }
  if (mask.injected !== undefined && typeof wireArgs.fields === "string") {
    mask.injected = wireArgs.fields;
  }
  return extended;
}

/** The mask of the caller's own: the query parameter, or the argument that becomes the header. */
function askedMask(call: Call, variant: Variant): string | undefined {
  if (!MASKED_BACKENDS.has(variant.backend_kind)) return undefined;
  const headers = Object.entries(variant.binding?.http?.header_params ?? {}).filter(isMaskHeader);
  const given = ["fields", ...headers.map(([name]) => name)]
    .map((name) => call.invocation.args[name])
    .filter((mask) => typeof mask === "string" && mask !== "");
  return given.length === 0 ? undefined : given.join(",");
}

function isMaskHeader([, header]: [string, string]): boolean {
  return header.toLowerCase() === "x-goog-fieldmask";
}

/** Whether GUM narrows the answer at the source, and with which mask (spec 02 §3.6). */
function decideMask(
  variant: Variant,
  asked: {
    profile: ResolvedProfile | undefined;
    callerMask: boolean;
    suppressed: boolean;
  },
): MaskDecision {
  const mask = asked.profile?.field_mask ?? variant.default_fields;
  const headers = Object.values(variant.binding?.http?.header_params ?? {});
  const hasMaskHeader = headers.some((header) => header.toLowerCase() === "x-goog-fieldmask");
  if (mask === undefined || !MASKED_BACKENDS.has(variant.backend_kind) || hasMaskHeader) {
    return { status: "not_applicable" };
  }
  const vetoed = asked.callerMask || asked.suppressed || asked.profile?.field_mask_mode === "none";
  return vetoed ? { status: "skipped" } : { status: "applied", injected: mask };
}
