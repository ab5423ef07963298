/** Making the routes of one service, which share a host, the start of their ids and of their paths. */

import type { EmulatedRoute } from "./service.ts";

/** Where a route stands below what its service's routes share. */
export interface RouteAddress {
  /** Rest of the Discovery method id, e.g. `calendars.get`. */
  id: string;
  method: string;
  /** Rest of the path template. */
  pattern: string;
}

/** Makes one route. */
export type RouteMaker = (at: RouteAddress, handle: EmulatedRoute["handle"]) => EmulatedRoute;

/** The route maker of a service. */
export function routesOf(
  { host, ids, base = "" }: { host: string; ids: string; base?: string },
): RouteMaker {
  return ({ id, method, pattern }, handle) => ({
    methodId: `${ids}.${id}`,
    method,
    host,
    pattern: `${base}${pattern}`,
    handle,
  });
}
