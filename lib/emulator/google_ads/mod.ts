/**
 * Emulated Google Ads Keyword Planner: ideas, historical metrics with close variants folded into
 * one row, and forecasts (spec 00 §10).
 *
 * @module
 */

import type { EmulatedService, ServiceSeed } from "../service.ts";
import { keywordRoutes } from "./keyword_routes.ts";

/** Makes the service; it keeps no state, because none of its methods changes anything. */
export function createGoogleAds(seed: ServiceSeed): EmulatedService {
  const metrics = seed.random.fork("keyword metrics");
  return {
    name: "google_ads",
    routes: keywordRoutes(metrics),
    inspect: () => ({}),
  };
}
