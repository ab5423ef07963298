/**
 * Encoders: canonical JSON, TOON, CSV, markdown, terminal tables (spec 03 §3.12, §3.13, §3.16).
 * Pure functions over JSON values; nothing here keeps state.
 *
 * @module
 */

export { jcs, jcsBytes, JcsError, type JcsErrorCode, type JcsOptions } from "./jcs.ts";
export { cellText, jsonText, plainNumber } from "./cell_text.ts";
export { RECORD_KEYS, recordArray, recordKey } from "./record_array.ts";
export {
  documentBytes,
  encodeDocument,
  encodeToonDocument,
  toonDocumentFrom,
  type ToonDocumentOptions,
  type ToonDocumentSource,
} from "./toon/document.ts";
export {
  decodeToonDocument,
  type ToonColumn,
  type ToonDecodeOptions,
  type ToonDocument,
  toonDocumentValue,
} from "./toon/read_document.ts";
export { ToonDecodeError, type ToonDecodeReason } from "./toon/errors.ts";
export {
  belowKey,
  chooseUntrustedTag,
  markUntrusted,
  type TagChoice,
  unmarkText,
} from "./untrusted_marks.ts";
export { visibleText } from "./visible_text.ts";
export { type CompactOptions, decodeCompact, encodeCompact } from "./toon/compact.ts";
export { encodeCsv, type TableText } from "./csv.ts";
export { encodeMarkdown } from "./markdown.ts";
export { renderTable } from "./table.ts";
export { countText, type TableLayout, tableLayout } from "./table_layout.ts";
export { cutToWidth, textWidth } from "./text_width.ts";
export { renderValuePath } from "./value_path.ts";
export { commandsAsTools } from "./tool_words.ts";
