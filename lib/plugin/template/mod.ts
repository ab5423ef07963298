/**
 * Starting a plugin of one's own.
 *
 * @module
 */
export { writeTemplate } from "./template.ts";
