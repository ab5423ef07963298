/** Methods of the long tail, so that generic answers reach every API of the pack. */

import { embeddedSource, type LongTailMethod, longTailMethods } from "../catalog/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import type { DiscoveryMethod } from "./discovery.ts";
import { bySpecificity, compilePattern } from "./route_match.ts";

/** Methods that a host serves in the shipped pack, most specific first; none without a pack. */
export function longTailOf(host: string): DiscoveryMethod[] {
  const [service = ""] = host.split(".");
  try {
    return longTailMethods(embeddedSource(), service.replaceAll("-", ""))
      .filter((method) => method.host === host)
      .map(asDiscoveryMethod)
      .sort(bySpecificity);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

function asDiscoveryMethod(method: LongTailMethod): DiscoveryMethod {
  return {
    id: method.id,
    httpMethod: method.httpMethod,
    host: method.host,
    pattern: compilePattern(method.path),
    collections: [],
    scopes: method.scopes,
    requiredQuery: method.requiredQuery,
    schemas: method.schemas as unknown as JsonObject,
    service: method.service,
    ...(method.request === undefined ? {} : { request: method.request }),
    ...(method.response === undefined ? {} : { response: method.response }),
  };
}
