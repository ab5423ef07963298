/**
 * Google Maps web services without a REST binding (spec 02 §3.11.5).
 *
 * @module
 */
export { createMapsAdapters, type MapsOptions } from "./directions.ts";
