/** Which Discovery methods the overrides select, and the operations derived from them. */
import { CatalogError } from "../lib/catalog/validate/mod.ts";
import {
  type DerivedOperation,
  deriveOperation,
  type DiscoveryDocument,
  indexMethods,
  methodIdOf,
  projectResponse,
} from "../lib/catalog/derive/mod.ts";
import type { ProjectionTree } from "../lib/catalog/validate/mod.ts";
import { apiContext, type ApiTable, type Overrides } from "./overrides.ts";

/** A derived operation with the skeleton of its response. */
export interface SelectedOperation extends DerivedOperation {
  projection: ProjectionTree;
}

/** Service key of a curated operation: the table whose prefix fits, longest first. */
export function serviceOf(overrides: Overrides, opId: string): string | undefined {
  const fitting = Object.entries(overrides.apis)
    .map(([service, api]) => ({ service, prefix: api.op_prefix ?? `${service}.` }))
    .filter(({ prefix }) => opId.startsWith(prefix))
    .sort((a, b) => b.prefix.length - a.prefix.length);
  return fitting[0]?.service;
}

/** Method id behind a curated operation. */
function methodIdFor(
  opId: string,
  context: { service: string; api: ApiTable; overrides: Overrides },
): string | undefined {
  const { service, api, overrides } = context;
  return overrides.ops?.[opId]?.method_id ?? methodIdOf(opId, {
    service,
    api: api.api,
    methodPrefix: api.method_prefix,
    opPrefix: api.op_prefix,
  });
}

/** Method ids that a service's curated operations use. */
export function selectedMethods(overrides: Overrides, service: string): string[] {
  const api = overrides.apis[service];
  if (api === undefined) return [];
  return Object.keys(overrides.ops ?? {})
    .filter((opId) => serviceOf(overrides, opId) === service)
    .map((opId) => methodIdFor(opId, { service, api, overrides }))
    .filter((id) => id !== undefined);
}

/** Derives every curated operation; a missing method is an error, never a silent gap. */
export function selectOperations(
  overrides: Overrides,
  documents: ReadonlyMap<string, DiscoveryDocument>,
): SelectedOperation[] {
  const methods = new Map(
    [...documents].map(([service, document]) => [service, indexMethods(document)]),
  );
  const selected: SelectedOperation[] = [];
  for (const [opId, curation] of Object.entries(overrides.ops ?? {})) {
    const service = serviceOf(overrides, opId);
    const api = service === undefined ? undefined : overrides.apis[service];
    const document = service === undefined ? undefined : documents.get(service);
    if (service === undefined || api === undefined || document === undefined) {
      throw new CatalogError("DISCOVERY_METHOD_NOT_FOUND", "no [apis] table fits", { opId });
    }
    const methodId = methodIdFor(opId, { service, api, overrides });
    const method = methodId === undefined ? undefined : methods.get(service)?.get(methodId);
    if (method === undefined) {
      throw new CatalogError(
        "DISCOVERY_METHOD_NOT_FOUND",
        `${methodId} is not in ${api.api} ${api.version}`,
        { opId },
      );
    }
    const derived = deriveOperation(opId, {
      document,
      method,
      api: apiContext(service, api),
      curation,
    });
    selected.push({ ...derived, projection: projectResponse(document, method) });
  }
  return selected;
}
