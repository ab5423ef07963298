/** The document of `gum://plugin/{name}` and `gum plugin info --format json` (spec 06 §2.6). */

import type { JsonObject, JsonValue } from "../../json/mod.ts";
import type { LockRow, RegistrySnapshot } from "../types.ts";
import { resolveStatus, type StoredState } from "./resolve.ts";

/** The document; undefined when neither lock nor state knows the name. */
export function pluginRecord(
  name: string,
  at: { snapshot: RegistrySnapshot; sessionStartedAt?: number },
): JsonObject | undefined {
  const { snapshot } = at;
  const lock: Partial<LockRow> | undefined = snapshot.lock.plugins.find((row) => row.name === name);
  const state: StoredState | undefined = snapshot.state.plugins.find((row) => row.name === name);
  if (lock === undefined && state === undefined) return undefined;
  const variantIds = snapshot.catalog.variants
    .filter((row) => row.owner_plugin === name)
    .map((row) => row.variant_id)
    .sort();
  // A row that only the lock knows was never set up, so nothing says that it may run.
  const status = state === undefined
    ? "installed_pending_restart"
    : resolveStatus(state, at.sessionStartedAt);
  const record: JsonObject = {
    name,
    version: lock?.version ?? "",
    description: lock?.description ?? "",
    namespace_owner: lock?.namespace_owner ?? "",
    shape: lock?.shape ?? "",
    tos: lock?.tos ?? "",
    risk: lock?.risk ?? "",
    status,
    variant_ids: variantIds,
    variant_count: variantIds.length,
    package: packageOf(lock),
    install_generation: snapshot.state.install_generation ?? snapshot.lock.install_generation ?? 0,
  };
  if (state?.installed_at) record.installed_at = state.installed_at;
  const executable = executableOf(lock);
  if (executable !== undefined) record.executable = executable;
  const declared = lock?.variant_count ?? 0;
  if (declared !== 0 && declared !== variantIds.length) {
    record.metadata_warning = "lock_catalog_mismatch";
  }
  return { ...record, ...statusFields(status, state ?? {}) };
}

function statusFields(status: string, state: StoredState): JsonObject {
  const fields: JsonObject = {};
  const { activated_at: activatedAt, reason } = state;
  if ((status === "active" || status === "installed_pending_restart") && activatedAt) {
    fields.activated_at = activatedAt;
  }
  if (status === "installed_pending_restart") fields.reason = reason || "restart_required";
  if (status === "needs_configuration") {
    fields.reason = reason || "missing_credentials";
    if (Array.isArray(state.credential_descriptors)) {
      fields.credential_descriptors = state.credential_descriptors.map(safeFields);
    }
    const { prerequisites } = state;
    if (Array.isArray(prerequisites) && prerequisites.length > 0) {
      fields.prerequisites = prerequisites.map((entry) => ({ ...entry }));
    }
  }
  if (status === "quarantined") {
    if (reason) fields.reason = reason;
    if (state.quarantined_at) fields.quarantined_at = state.quarantined_at;
    if (state.last_error_code) fields.last_error_code = state.last_error_code;
  }
  return fields;
}

const SAFE_KEYS = ["alias", "kind", "display_name", "setup_hint"] as const;

/** Whatever else a row holds stays where it is: it could be a variable's name. */
function safeFields(descriptor: Readonly<Record<string, unknown>>): JsonObject {
  const safe: JsonObject = {};
  for (const key of SAFE_KEYS) {
    const value = descriptor[key];
    if (typeof value === "string") safe[key] = value;
  }
  return safe;
}

function packageOf(lock: Partial<LockRow> | undefined): JsonObject {
  const known = lock?.package;
  if (known === undefined) return {};
  const shown: JsonObject = {};
  for (const key of ["source", "ref", "checksum"] as const) {
    if (typeof known[key] === "string") shown[key] = known[key];
  }
  return shown;
}

function executableOf(lock: Partial<LockRow> | undefined): JsonObject | undefined {
  const known = lock?.executable;
  if (known === undefined) return undefined;
  const shown: JsonObject = {};
  for (
    const key of [
      "executable_path",
      "executable_sha256",
      "argv_normalized",
      "install_root",
    ] as const
  ) {
    const value: JsonValue | undefined = known[key];
    if (value !== undefined) shown[key] = value;
  }
  return shown;
}
