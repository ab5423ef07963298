/**
 * Starting a plugin of one's own.
 *
 * @module
 */
export { templateFiles, writeTemplate } from "./template.ts";
