/** A presentation as stored, and the small pieces that pages are made of. */

import type { JsonObject } from "../../json/mod.ts";

/** Place and size of an element, in EMU. */
export interface Frame {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** One element of a page. */
export type Element =
  & { id: string; frame: Frame; title?: string; description?: string }
  & (
    | {
      kind: "shape";
      shapeType: string;
      placeholder?: JsonObject;
      text: string;
      bulleted: boolean;
      style: JsonObject;
    }
    | { kind: "image"; contentUrl: string; sourceUrl?: string }
    | { kind: "table"; cells: string[][] }
    | { kind: "line"; lineType: string }
  );

/** A slide with its notes. */
export interface Slide {
  id: string;
  layoutId: string;
  elements: Element[];
  notes: string;
  notesId: string;
  skipped: boolean;
}

/** A presentation; its title lives with the native file. */
export interface StoredPresentation {
  id: string;
  locale: string;
  slides: Slide[];
  revision: number;
}

/** Width and height of a 16:9 page in EMU. */
export const PAGE = { width: 9_144_000, height: 5_143_500 } as const;

/** Object id of the one master. */
export const MASTER_ID = "simple-light-2";

/** A layout: its predefined name and the placeholders it has. */
export interface Layout {
  id: string;
  name: string;
  displayName: string;
  placeholders: { type: string; index?: number; frame: Frame }[];
}

const TITLE_FRAME: Frame = { x: 311_700, y: 445_025, width: 8_520_600, height: 572_700 };
const BODY_FRAME: Frame = { x: 311_700, y: 1_152_475, width: 8_520_600, height: 3_416_400 };
const NUMBER_FRAME: Frame = { x: 8_472_458, y: 4_663_217, width: 548_700, height: 393_600 };

/** The layouts of the master. */
export const LAYOUTS: readonly Layout[] = [
  {
    id: "p2",
    name: "TITLE",
    displayName: "Title slide",
    placeholders: [
      {
        type: "CENTERED_TITLE",
        frame: { x: 311_708, y: 744_575, width: 8_520_600, height: 2_052_600 },
      },
      { type: "SUBTITLE", frame: { x: 311_700, y: 2_834_125, width: 8_520_600, height: 792_600 } },
      { type: "SLIDE_NUMBER", frame: NUMBER_FRAME },
    ],
  },
  {
    id: "p3",
    name: "SECTION_HEADER",
    displayName: "Section header",
    placeholders: [
      { type: "TITLE", frame: { x: 311_700, y: 2_150_850, width: 8_520_600, height: 841_800 } },
      { type: "SLIDE_NUMBER", frame: NUMBER_FRAME },
    ],
  },
  {
    id: "p4",
    name: "TITLE_AND_BODY",
    displayName: "Title and body",
    placeholders: [
      { type: "TITLE", frame: TITLE_FRAME },
      { type: "BODY", index: 1, frame: BODY_FRAME },
      { type: "SLIDE_NUMBER", frame: NUMBER_FRAME },
    ],
  },
  {
    id: "p5",
    name: "TITLE_AND_TWO_COLUMNS",
    displayName: "Title and two columns",
    placeholders: [
      { type: "TITLE", frame: TITLE_FRAME },
      { type: "BODY", index: 1, frame: { ...BODY_FRAME, width: 3_999_900 } },
      { type: "BODY", index: 2, frame: { ...BODY_FRAME, x: 4_832_400, width: 3_999_900 } },
      { type: "SLIDE_NUMBER", frame: NUMBER_FRAME },
    ],
  },
  {
    id: "p6",
    name: "TITLE_ONLY",
    displayName: "Title only",
    placeholders: [{ type: "TITLE", frame: TITLE_FRAME }, {
      type: "SLIDE_NUMBER",
      frame: NUMBER_FRAME,
    }],
  },
  {
    id: "p7",
    name: "BLANK",
    displayName: "Blank",
    placeholders: [{ type: "SLIDE_NUMBER", frame: NUMBER_FRAME }],
  },
];

/** Elements that a new slide of a layout starts with. */
export function placeholderElements(
  layout: Layout,
  idOf: (index: number, type: string) => string,
): Element[] {
  return layout.placeholders.filter(({ type }) => type !== "SLIDE_NUMBER").map((
    { type, index, frame },
    at,
  ) => ({
    kind: "shape",
    id: idOf(at, type),
    frame: { ...frame },
    shapeType: "TEXT_BOX",
    placeholder: {
      type,
      ...(index === undefined ? {} : { index }),
      parentObjectId: `${layout.id}_${at}`,
    },
    text: "",
    bulleted: type === "BODY",
    style: {},
  }));
}
