/** How the emulated Docs prints a document. */

import type { JsonObject } from "../../json/mod.ts";
import { copyOf } from "../drive/mod.ts";
import {
  type Block,
  blockLength,
  contentLength,
  type Paragraph,
  runLength,
  type Table,
} from "./model.ts";

/** A document as stored; its title lives with the native file. */
export interface StoredDocument {
  id: string;
  blocks: Block[];
  /** Nesting levels by list id. */
  lists: JsonObject;
  inlineObjects: JsonObject;
  namedRanges: { id: string; name: string; from: number; to: number }[];
  revision: number;
}

const points = (magnitude: number): JsonObject => ({ magnitude, unit: "PT" });
const black: JsonObject = { color: { rgbColor: {} } };

const HEADINGS: readonly (readonly [string, number, number, number])[] = [
  ["HEADING_1", 20, 20, 6],
  ["HEADING_2", 16, 18, 6],
  ["HEADING_3", 14, 16, 4],
  ["HEADING_4", 12, 14, 4],
  ["HEADING_5", 11, 12, 4],
  ["HEADING_6", 11, 12, 4],
  ["TITLE", 26, 0, 3],
  ["SUBTITLE", 15, 0, 16],
];

function namedStyles(): JsonObject {
  return {
    styles: [
      {
        namedStyleType: "NORMAL_TEXT",
        textStyle: {
          bold: false,
          italic: false,
          underline: false,
          strikethrough: false,
          smallCaps: false,
          backgroundColor: {},
          foregroundColor: black,
          fontSize: points(11),
          weightedFontFamily: { fontFamily: "Arial", weight: 400 },
          baselineOffset: "NONE",
        },
        paragraphStyle: {
          namedStyleType: "NORMAL_TEXT",
          alignment: "START",
          lineSpacing: 115,
          direction: "LEFT_TO_RIGHT",
          spacingMode: "COLLAPSE_LISTS",
          spaceAbove: { unit: "PT" },
          spaceBelow: { unit: "PT" },
          ...Object.fromEntries(
            ["borderBetween", "borderTop", "borderBottom", "borderLeft", "borderRight"].map((
              name,
            ) => [
              name,
              { color: {}, width: { unit: "PT" }, padding: { unit: "PT" }, dashStyle: "SOLID" },
            ]),
          ),
          indentFirstLine: { unit: "PT" },
          indentStart: { unit: "PT" },
          indentEnd: { unit: "PT" },
          keepLinesTogether: false,
          keepWithNext: false,
          avoidWidowAndOrphan: true,
          shading: { backgroundColor: {} },
          pageBreakBefore: false,
        },
      },
      ...HEADINGS.map(([namedStyleType, size, above, below]): JsonObject => ({
        namedStyleType,
        textStyle: {
          fontSize: points(size),
          ...(size <= 14
            ? { foregroundColor: { color: { rgbColor: { red: 0.26, green: 0.26, blue: 0.26 } } } }
            : {}),
        },
        paragraphStyle: {
          headingId: "",
          namedStyleType: "NORMAL_TEXT",
          direction: "LEFT_TO_RIGHT",
          spaceAbove: above === 0 ? { unit: "PT" } : points(above),
          spaceBelow: points(below),
          keepLinesTogether: true,
          keepWithNext: true,
          pageBreakBefore: false,
        },
      })),
    ],
  };
}

function documentStyle(): JsonObject {
  return {
    background: { color: {} },
    pageNumberStart: 1,
    marginTop: points(72),
    marginBottom: points(72),
    marginRight: points(72),
    marginLeft: points(72),
    pageSize: { height: points(841.8897637795277), width: points(595.2755905511812) },
    marginHeader: points(36),
    marginFooter: points(36),
    useCustomHeaderFooterMargins: true,
    documentFormat: { documentMode: "PAGES" },
  };
}

function sectionBreak(): JsonObject {
  return {
    endIndex: 1,
    sectionBreak: {
      sectionStyle: {
        columnSeparatorStyle: "NONE",
        contentDirection: "LEFT_TO_RIGHT",
        sectionType: "CONTINUOUS",
      },
    },
  };
}

function paragraphView(block: Paragraph, start: number): JsonObject {
  let at = start;
  const elements = block.runs.map((run): JsonObject => {
    const element: JsonObject = { startIndex: at, endIndex: at + runLength(run) };
    at += runLength(run);
    if (run.special !== undefined) return { ...element, ...copyOf(run.special) };
    element.textRun = { content: run.text, textStyle: copyOf(run.style) };
    return element;
  });
  const view: JsonObject = { elements, paragraphStyle: copyOf(block.style) };
  if (block.bullet !== undefined) {
    view.bullet = {
      listId: block.bullet.listId,
      ...(block.bullet.level > 0 ? { nestingLevel: block.bullet.level } : {}),
      textStyle: {},
    };
    view.paragraphStyle = {
      ...copyOf(block.style),
      indentFirstLine: points(18 + 36 * block.bullet.level),
      indentStart: points(36 + 36 * block.bullet.level),
    };
  }
  return view;
}

function tableView(table: Table, start: number): JsonObject {
  let at = start + 1;
  const width = Math.max(0, ...table.rows.map((row) => row.length));
  const tableRows = table.rows.map((row): JsonObject => {
    const rowStart = at;
    at += 1;
    const tableCells = row.map((cell): JsonObject => {
      const cellStart = at;
      const content = contentView(cell, at + 1);
      at += 1 + contentLength(cell);
      return {
        startIndex: cellStart,
        endIndex: at,
        content,
        tableCellStyle: {
          rowSpan: 1,
          columnSpan: 1,
          backgroundColor: {},
          paddingLeft: points(5),
          paddingRight: points(5),
          paddingTop: points(5),
          paddingBottom: points(5),
          contentAlignment: "TOP",
        },
      };
    });
    return {
      startIndex: rowStart,
      endIndex: at,
      tableCells,
      tableRowStyle: { minRowHeight: { unit: "PT" } },
    };
  });
  return {
    rows: table.rows.length,
    columns: width,
    tableRows,
    tableStyle: {
      tableColumnProperties: Array.from(
        { length: width },
        () => ({ widthType: "EVENLY_DISTRIBUTED" }),
      ),
    },
  };
}

/** Structural elements with their indexes. */
function contentView(blocks: readonly Block[], start: number): JsonObject[] {
  let at = start;
  return blocks.map((block): JsonObject => {
    const view: JsonObject = { startIndex: at, endIndex: at + blockLength(block) };
    if (block.kind === "paragraph") view.paragraph = paragraphView(block, at);
    else view.table = tableView(block, at);
    at += blockLength(block);
    return view;
  });
}

/** The revision id that a read shows and a write control names. */
export function revisionId(document: StoredDocument): string {
  return `ALm37BW${document.id.slice(1, 20)}r${document.revision.toString(36).padStart(6, "0")}_Q`;
}

/** The whole resource; with tabs, the content moves into the one tab. */
export function documentView(
  document: StoredDocument,
  { title, tabs, suggestions }: { title: string; tabs: boolean; suggestions: string },
): JsonObject {
  const content: JsonObject = {
    body: { content: [sectionBreak(), ...contentView(document.blocks, 1)] },
    documentStyle: documentStyle(),
    namedStyles: namedStyles(),
  };
  if (Object.keys(document.lists).length > 0) content.lists = copyOf(document.lists);
  if (Object.keys(document.inlineObjects).length > 0) {
    content.inlineObjects = copyOf(document.inlineObjects);
  }
  if (document.namedRanges.length > 0) {
    const byName: JsonObject = {};
    for (const { name, id, from, to } of document.namedRanges) {
      const known = byName[name] as JsonObject | undefined;
      const range: JsonObject = {
        namedRangeId: id,
        name,
        ranges: [{ startIndex: from, endIndex: to }],
      };
      if (known === undefined) byName[name] = { name, namedRanges: [range] };
      else (known.namedRanges as JsonObject[]).push(range);
    }
    content.namedRanges = byName;
  }
  const view: JsonObject = { title };
  if (tabs) {
    view.tabs = [{
      tabProperties: { tabId: "t.0", title: "Tab 1", index: 0 },
      documentTab: content,
    }];
  } else Object.assign(view, content);
  view.revisionId = revisionId(document);
  view.suggestionsViewMode = suggestions;
  view.documentId = document.id;
  return view;
}
