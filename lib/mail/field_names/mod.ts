/**
 * Which operations take a mail in plain fields, and which fields those are; composing one stays
 * unloaded. For flags and help.
 *
 * @module
 */

export { isMailOperation, type MailField } from "../operations.ts";
