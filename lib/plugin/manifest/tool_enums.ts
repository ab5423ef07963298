/** Closed enums of a tool, with the codes that embedded operations get too (gate 5). */

import {
  BACKEND_KINDS,
  CAPABILITY_ORDER,
  INTERFACE_KINDS,
  isExperimental,
  SUPPORTED_SCHEMA_VERSIONS,
} from "../../catalog/validate/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import { attempt, invalidManifest, type Refusals, refused, thrown } from "./refusals.ts";

const HINT = "an experimental value is x-<name> on a schema_only tool";

/** Refuses with `UNKNOWN_…`, `SERVICE_ROOT_TEMPLATE_DEFERRED` or `BINDING_SCHEMA_UNSUPPORTED`. */
export function checkToolEnums(tool: JsonObject, to: Refusals = thrown): void {
  const schemaOnly = tool.execution_support === "schema_only";
  const backend = tool.backend_kind ?? "mcp-plugin";
  if (!isAllowed(backend, { values: BACKEND_KINDS, schemaOnly })) {
    to(refused("UNKNOWN_BACKEND_KIND", `backend_kind ${JSON.stringify(backend)}; ${HINT}`, {
      backend_kind: backend,
    }));
  }
  const kind = tool.interface_kind ?? "plugin-mcp";
  if (!isAllowed(kind, { values: INTERFACE_KINDS, schemaOnly })) {
    to(refused("UNKNOWN_INTERFACE_KIND", `interface_kind ${JSON.stringify(kind)}; ${HINT}`, {
      interface_kind: kind,
    }));
  }
  for (const atom of Array.isArray(tool.capabilities) ? tool.capabilities : []) {
    if (isAllowed(atom, { values: CAPABILITY_ORDER, schemaOnly })) continue;
    to(refused("UNKNOWN_CAPABILITY", `capability ${JSON.stringify(atom)}; ${HINT}`, {
      capability: atom,
    }));
  }
  if (Object.hasOwn(tool, "service_root_template")) {
    to(refused("SERVICE_ROOT_TEMPLATE_DEFERRED", "service_root_template is reserved", {
      service_root_template: tool.service_root_template ?? null,
    }));
  }
  const binding = isJsonObject(tool.binding) ? tool.binding : {};
  for (const place of [tool, binding]) {
    if (Object.hasOwn(place, "binding_schema_version")) {
      attempt(to, () => checkBindingVersion(place.binding_schema_version));
    }
  }
  // Known kinds of embedded operations reach Google, not a plugin.
  if (isKnown(backend, BACKEND_KINDS) && backend !== "mcp-plugin") {
    to(invalidManifest("/tools", `backend_kind ${String(backend)} is not a plugin's`));
  }
  if (isKnown(kind, INTERFACE_KINDS) && kind !== "plugin-mcp") {
    to(invalidManifest("/tools", `interface_kind ${String(kind)} is not a plugin's`));
  }
}

function isKnown(value: JsonValue, values: readonly string[]): boolean {
  return typeof value === "string" && values.includes(value);
}

function isAllowed(
  value: JsonValue,
  { values, schemaOnly }: { values: readonly string[]; schemaOnly: boolean },
): boolean {
  if (typeof value !== "string") return false;
  return values.includes(value) || (schemaOnly && isExperimental(value));
}

function checkBindingVersion(version: JsonValue | undefined): void {
  if (typeof version === "number" && SUPPORTED_SCHEMA_VERSIONS.includes(version)) return;
  throw refused(
    "BINDING_SCHEMA_UNSUPPORTED",
    `binding_schema_version ${JSON.stringify(version ?? null)} is not supported`,
    { found: version ?? null, supported: [...SUPPORTED_SCHEMA_VERSIONS] },
  );
}
