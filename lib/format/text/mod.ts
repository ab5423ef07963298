/**
 * Text as a terminal or a table cell shows it; the encoders stay unloaded.
 *
 * @module
 */

export { cellText, jsonText, plainNumber } from "../cell_text.ts";
export { visibleText } from "../visible_text.ts";
export { commandsAsTools, envelopeInTools } from "../tool_words.ts";
export { characterWidth, cutToWidth, textWidth } from "../text_width.ts";
