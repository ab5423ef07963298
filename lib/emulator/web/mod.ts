/**
 * Builders for services outside Workspace whose answers carry figures that tests count on. What
 * they do not route is answered from the Discovery schema, like every other operation.
 *
 * @module
 */

export { createPlaces, createRoutes } from "./places_and_routes.ts";
export { createSearchAnalytics } from "./search_analytics.ts";
export { createVideos } from "./videos.ts";
export { createWebSearch } from "./web_search.ts";
