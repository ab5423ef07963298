/** Capability atoms of a variant, recomputed from the operation record (spec 04 §2.8, §3.9). */
import type { ExecutionSupport, Op, Variant } from "../types.ts";
import { CAPABILITY_ORDER, GENERIC_CAPABILITIES } from "../validate/mod.ts";

/** Reviewed additions to the recomputed atoms. */
export interface CapabilityCuration {
  extra_capabilities?: string[];
  execution_support?: ExecutionSupport;
  unsupported_capabilities?: string[];
}

/** Atoms in canonical order, each once; unknown ones keep their place at the end. */
export function sortCapabilities(atoms: Iterable<string>): string[] {
  const position = (atom: string): number => {
    const index = (CAPABILITY_ORDER as readonly string[]).indexOf(atom);
    return index < 0 ? CAPABILITY_ORDER.length : index;
  };
  return [...new Set(atoms)].sort((a, b) =>
    position(a) - position(b) || (a < b ? -1 : a > b ? 1 : 0)
  );
}

/**
 * Recomputes the six generic atoms of every variant, keeps typed atoms that are already there,
 * then applies the curation. Running it twice changes nothing.
 */
export function applyCapabilities(op: Op, curation: CapabilityCuration = {}): void {
  for (const variant of op.variants) {
    const typed = variant.capabilities.filter((atom) => !GENERIC_CAPABILITIES.includes(atom));
    variant.capabilities = sortCapabilities([
      ...genericCapabilities(op, variant),
      ...typed,
      ...(curation.extra_capabilities ?? []),
    ]);
    if (curation.execution_support !== undefined && curation.execution_support !== "full") {
      variant.execution_support = curation.execution_support;
    }
    if ((curation.unsupported_capabilities ?? []).length > 0) {
      variant.unsupported_capabilities = sortCapabilities(curation.unsupported_capabilities ?? []);
    }
  }
}

function genericCapabilities(op: Op, variant: Variant): string[] {
  const http = variant.binding?.http;
  const plugin = variant.binding?.plugin_name !== undefined;
  if (http === undefined && !plugin) return [];
  const fields = op.request_fields ?? [];
  const atoms: string[] = [];
  if (plugin || ["POST", "PUT", "PATCH"].includes(http?.method ?? "")) atoms.push("json_request");
  atoms.push("json_response");
  if (fields.some((field) => field.location === "query")) atoms.push("query_params");
  if (http?.path.includes("{") === true) atoms.push("path_params");
  if (fields.some((field) => field.name === "pageToken" || field.name === "page_token")) {
    atoms.push("pagination");
  }
  const headers = Object.values(http?.header_params ?? {});
  if (http?.method === "GET" || headers.includes("X-Goog-FieldMask")) atoms.push("field_mask");
  return atoms;
}

/**
 * Adds `lro_return` to the HTTP variants of an operation whose method starts a long-running
 * operation. Running it twice changes nothing.
 */
export function stampLROReturn(op: Op, returnsOperation: boolean): void {
  if (!returnsOperation) return;
  for (const variant of op.variants) {
    if (variant.binding?.http === undefined) continue;
    variant.capabilities = sortCapabilities([...variant.capabilities, "lro_return"]);
  }
}
