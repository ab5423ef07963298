/**
 * Google Ads Keyword Planner: ideas, historical metrics and forecasts (spec 02 §3.11.4).
 *
 * @module
 */
export { createGoogleAdsAdapters, type GoogleAdsOptions } from "./google_ads.ts";
