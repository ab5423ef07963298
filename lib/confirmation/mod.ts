/**
 * Confirmation tokens: nothing that cannot be undone runs without one (spec 02 §3.5).
 *
 * @module
 */
export { type ConfirmationOptions, createConfirmationService } from "./service.ts";
