/**
 * The Gemini API (spec 02 §3.11.5).
 *
 * @module
 */
export { createGenAiAdapters, type GenAiOptions } from "./generate_content.ts";
