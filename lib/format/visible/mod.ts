/**
 * Making invisible characters visible, for commands that format nothing else.
 *
 * @module
 */

export { visibleText } from "../visible_text.ts";
