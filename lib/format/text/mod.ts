/**
 * Text as a terminal or a table cell shows it; the encoders stay unloaded.
 *
 * @module
 */

export { jsonText } from "../cell_text.ts";
export { visibleText } from "../visible_text.ts";
export { envelopeInTools } from "../tool_words.ts";
export { characterWidth, cutToWidth, textWidth } from "../text_width.ts";
