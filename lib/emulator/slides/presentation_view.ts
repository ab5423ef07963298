/** How the emulated Slides prints presentations and pages. */

import type { JsonObject } from "../../json/mod.ts";
import { copyOf } from "../drive/mod.ts";
import { hashHex } from "../random.ts";
import {
  type Element,
  type Frame,
  type Layout,
  LAYOUTS,
  MASTER_ID,
  PAGE,
  type Slide,
  type StoredPresentation,
} from "./model.ts";

const emu = (magnitude: number): JsonObject => ({ magnitude, unit: "EMU" });

function placed({ id, frame }: { id: string; frame: Frame }): JsonObject {
  // Slides keeps shapes at a nominal size and scales them into place.
  const nominal = 3_000_000;
  return {
    objectId: id,
    size: { width: emu(nominal), height: emu(nominal) },
    transform: {
      scaleX: Number((frame.width / nominal).toFixed(4)),
      scaleY: Number((frame.height / nominal).toFixed(4)),
      translateX: frame.x,
      translateY: frame.y,
      unit: "EMU",
    },
  };
}

/** Paragraph markers and runs of a text. */
function textContent(
  text: string,
  { bulleted = false, style = {}, listId = "" }: {
    bulleted?: boolean;
    style?: JsonObject;
    listId?: string;
  } = {},
): JsonObject {
  const full = text.endsWith("\n") ? text : `${text}\n`;
  const textElements: JsonObject[] = [];
  let at = 0;
  for (const line of full.slice(0, -1).split("\n")) {
    const end = at + line.length + 1;
    const range: JsonObject = at === 0 ? { endIndex: end } : { startIndex: at, endIndex: end };
    textElements.push({
      ...range,
      paragraphMarker: {
        style: {
          lineSpacing: 115,
          alignment: "START",
          indentStart: bulleted ? { magnitude: 457_200, unit: "EMU" } : {},
          indentEnd: {},
          spaceAbove: {},
          spaceBelow: {},
          indentFirstLine: bulleted ? { magnitude: 114_300, unit: "EMU" } : {},
          direction: "LEFT_TO_RIGHT",
          spacingMode: "COLLAPSE_LISTS",
        },
        ...(bulleted ? { bullet: { listId, glyph: "●", bulletStyle: {} } } : {}),
      },
    });
    textElements.push({ ...range, textRun: { content: `${line}\n`, style: copyOf(style) } });
    at = end;
  }
  return bulleted
    ? { textElements, lists: { [listId]: { listId, nestingLevel: { "0": { bulletStyle: {} } } } } }
    : { textElements };
}

const SHAPE_PROPERTIES: JsonObject = {
  shapeBackgroundFill: { propertyState: "INHERIT" },
  outline: { propertyState: "INHERIT" },
  shadow: { propertyState: "INHERIT" },
  autofit: { autofitType: "NONE", fontScale: 1 },
};

/** One element of a page. */
function elementView(element: Element): JsonObject {
  const view = placed(element);
  if (element.title !== undefined) view.title = element.title;
  if (element.description !== undefined) view.description = element.description;
  switch (element.kind) {
    case "shape": {
      const shape: JsonObject = { shapeType: element.shapeType };
      if (element.text !== "") {
        shape.text = textContent(element.text, {
          bulleted: element.bulleted,
          style: element.style,
          listId: `kix.${hashHex(element.id, 12)}`,
        });
      }
      shape.shapeProperties = copyOf(SHAPE_PROPERTIES);
      if (element.placeholder !== undefined) shape.placeholder = copyOf(element.placeholder);
      view.shape = shape;
      break;
    }
    case "image":
      view.image = {
        contentUrl: element.contentUrl,
        imageProperties: {
          outline: { propertyState: "NOT_RENDERED" },
          shadow: { propertyState: "NOT_RENDERED" },
        },
        ...(element.sourceUrl === undefined ? {} : { sourceUrl: element.sourceUrl }),
      };
      break;
    case "line":
      view.line = {
        lineType: element.lineType,
        lineCategory: "STRAIGHT",
        lineProperties: {
          lineFill: { solidFill: { color: { themeColor: "DARK2" }, alpha: 1 } },
          weight: emu(9525),
          dashStyle: "SOLID",
          startArrow: "NONE",
          endArrow: "NONE",
        },
      };
      break;
    case "table":
      view.table = tableView(element.cells, element.frame);
      break;
  }
  return view;
}

function tableView(cells: readonly string[][], frame: Frame): JsonObject {
  const columns = Math.max(0, ...cells.map((row) => row.length));
  return {
    rows: cells.length,
    columns,
    tableRows: cells.map((row, rowIndex) => ({
      rowHeight: emu(Math.round(frame.height / Math.max(1, cells.length))),
      tableRowProperties: { minRowHeight: emu(381_000) },
      tableCells: row.map((text, columnIndex): JsonObject => {
        const location: JsonObject = {};
        if (rowIndex > 0) location.rowIndex = rowIndex;
        if (columnIndex > 0) location.columnIndex = columnIndex;
        return {
          location,
          rowSpan: 1,
          columnSpan: 1,
          ...(text === "" ? {} : { text: textContent(text) }),
          tableCellProperties: {
            tableCellBackgroundFill: { propertyState: "NOT_RENDERED" },
            contentAlignment: "TOP",
          },
        };
      }),
    })),
    tableColumns: Array.from(
      { length: columns },
      () => ({ columnWidth: emu(Math.round(frame.width / columns)) }),
    ),
  };
}

/** The revision id that a read shows and a write control names. */
export function revisionId(presentation: StoredPresentation): string {
  return `${hashHex(`${presentation.id} ${presentation.revision}`, 16)}r${presentation.revision}`;
}

/** A slide as a page. */
export function slideView(presentation: StoredPresentation, slide: Slide): JsonObject {
  return {
    objectId: slide.id,
    pageElements: slide.elements.map(elementView),
    slideProperties: {
      layoutObjectId: slide.layoutId,
      masterObjectId: MASTER_ID,
      ...(slide.skipped ? { isSkipped: true } : {}),
      notesPage: notesView(slide),
    },
    revisionId: revisionId(presentation),
    pageProperties: { pageBackgroundFill: { propertyState: "INHERIT" } },
  };
}

function notesView(slide: Slide): JsonObject {
  return {
    objectId: `${slide.id}:notes`,
    pageType: "NOTES",
    pageElements: [
      {
        ...placed({
          id: `${slide.notesId}_i`,
          frame: { x: 381_300, y: 685_800, width: 6_096_000, height: 3_429_000 },
        }),
        shape: {
          shapeType: "RECTANGLE",
          shapeProperties: copyOf(SHAPE_PROPERTIES),
          placeholder: { type: "SLIDE_IMAGE", index: 2, parentObjectId: "n:slide" },
        },
      },
      {
        ...placed({
          id: slide.notesId,
          frame: { x: 685_800, y: 4_343_400, width: 5_486_400, height: 4_114_800 },
        }),
        shape: {
          shapeType: "RECTANGLE",
          ...(slide.notes === "" ? {} : { text: textContent(slide.notes) }),
          shapeProperties: copyOf(SHAPE_PROPERTIES),
          placeholder: { type: "BODY", index: 1, parentObjectId: "n:text" },
        },
      },
    ],
    notesProperties: { speakerNotesObjectId: slide.notesId },
    pageProperties: { pageBackgroundFill: { propertyState: "INHERIT" } },
  };
}

/** A layout as a page. */
export function layoutView(layout: Layout): JsonObject {
  return {
    objectId: layout.id,
    pageType: "LAYOUT",
    pageElements: layout.placeholders.map(({ type, index, frame }, at) => ({
      ...placed({ id: `${layout.id}_${at}`, frame }),
      shape: {
        shapeType: "TEXT_BOX",
        text: textContent(type === "SLIDE_NUMBER" ? "‹#›" : ""),
        shapeProperties: copyOf(SHAPE_PROPERTIES),
        placeholder: {
          type,
          ...(index === undefined ? {} : { index }),
          parentObjectId: `${MASTER_ID}_${at}`,
        },
      },
    })),
    layoutProperties: {
      masterObjectId: MASTER_ID,
      name: layout.name,
      displayName: layout.displayName,
    },
    pageProperties: { pageBackgroundFill: { propertyState: "INHERIT" } },
  };
}

const SCHEME: readonly (readonly [string, number])[] = [
  ["DARK1", 0x000000],
  ["LIGHT1", 0xffffff],
  ["DARK2", 0x595959],
  ["LIGHT2", 0xeeeeee],
  ["ACCENT1", 0x4285f4],
  ["ACCENT2", 0x212121],
  ["ACCENT3", 0x78909c],
  ["ACCENT4", 0xffab40],
  ["ACCENT5", 0x0097a7],
  ["ACCENT6", 0xeeff41],
  ["HYPERLINK", 0x0097a7],
  ["FOLLOWED_HYPERLINK", 0x0097a7],
];

function masterView(): JsonObject {
  return {
    objectId: MASTER_ID,
    pageType: "MASTER",
    pageElements: [
      { type: "TITLE", frame: { x: 311_700, y: 445_025, width: 8_520_600, height: 572_700 } },
      { type: "BODY", frame: { x: 311_700, y: 1_152_475, width: 8_520_600, height: 3_416_400 } },
      {
        type: "SLIDE_NUMBER",
        frame: { x: 8_472_458, y: 4_663_217, width: 548_700, height: 393_600 },
      },
    ].map(({ type, frame }, at) => ({
      ...placed({ id: `${MASTER_ID}_${at}`, frame }),
      shape: {
        shapeType: "TEXT_BOX",
        text: textContent(type === "SLIDE_NUMBER" ? "‹#›" : "", {
          style: {
            fontFamily: "Arial",
            fontSize: { magnitude: type === "TITLE" ? 28 : 18, unit: "PT" },
            foregroundColor: { opaqueColor: { themeColor: type === "TITLE" ? "DARK1" : "DARK2" } },
          },
        }),
        shapeProperties: copyOf(SHAPE_PROPERTIES),
        placeholder: { type },
      },
    })),
    masterProperties: { displayName: "Simple Light" },
    pageProperties: {
      pageBackgroundFill: {
        propertyState: "RENDERED",
        solidFill: { color: { themeColor: "LIGHT1" }, alpha: 1 },
      },
      colorScheme: {
        colors: SCHEME.map(([type, hex]) => ({
          type,
          color: {
            red: (hex >> 16) / 255,
            green: ((hex >> 8) & 255) / 255,
            blue: (hex & 255) / 255,
          },
        })),
      },
    },
  };
}

/** The whole presentation. */
export function presentationView(
  presentation: StoredPresentation,
  { title }: { title: string },
): JsonObject {
  return {
    presentationId: presentation.id,
    pageSize: { width: emu(PAGE.width), height: emu(PAGE.height) },
    slides: presentation.slides.map((slide) => slideView(presentation, slide)),
    title,
    masters: [masterView()],
    layouts: LAYOUTS.map(layoutView),
    locale: presentation.locale,
    revisionId: revisionId(presentation),
    notesMaster: {
      objectId: "n",
      pageType: "NOTES_MASTER",
      pageElements: ["slide", "text"].map((part, at) => ({
        ...placed({
          id: `n:${part}`,
          frame: { x: 685_800, y: at * 4_343_400, width: 5_486_400, height: 4_114_800 },
        }),
        shape: {
          shapeType: "RECTANGLE",
          shapeProperties: copyOf(SHAPE_PROPERTIES),
          placeholder: { type: at === 0 ? "SLIDE_IMAGE" : "BODY" },
        },
      })),
      pageProperties: { pageBackgroundFill: { propertyState: "NOT_RENDERED" } },
    },
  };
}
