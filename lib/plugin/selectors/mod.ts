/**
 * The names by which a plugin's tools are called: the same rule for a manifest and for what is
 * stored, so that a call loads no manifest reader.
 *
 * @module
 */

export { badSelector, checkPluginSelectors, isToolSelector } from "./selectors.ts";
