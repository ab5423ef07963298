/** The requests of `presentations.batchUpdate` that the emulated Slides carries out. */

import type { JsonObject } from "../../json/mod.ts";
import {
  booleanMember,
  invalid,
  objectMember,
  objectsMember,
  refusedRequest,
  runBatchRequest,
  textMember,
} from "../drive/mod.ts";
import { type BatchContext, elementOf, missing, type SlidesRunners } from "./batch_context.ts";
import {
  type Element,
  type Frame,
  type Layout,
  LAYOUTS,
  placeholderElements,
  type Slide,
} from "./model.ts";
import { TEXT_REQUESTS } from "./text_requests.ts";

/** Look-only requests: accepted, nothing to show for them. */
const WITHOUT_EFFECT = new Set([
  "updateParagraphStyle",
  "updateShapeProperties",
  "updatePageProperties",
  "updateImageProperties",
  "updateLineProperties",
  "updateTableCellProperties",
  "updateTableBorderProperties",
  "updateTableColumnProperties",
  "updateTableRowProperties",
  "updatePageElementsZOrder",
  "mergeTableCells",
  "unmergeTableCells",
]);

const RUNNERS: SlidesRunners = {
  ...TEXT_REQUESTS,
  createSlide(given, { presentation, ids }) {
    const layout = layoutOf(objectMember(given, "slideLayoutReference"));
    const id = freshId(textMember(given, "objectId"), { presentation, ids, kind: "createSlide" });
    const mapped = new Map(
      objectsMember(given, "placeholderIdMappings").map((item) => [
        String(objectMember(item, "layoutPlaceholder")?.type ?? ""),
        textMember(item, "objectId") ?? "",
      ]),
    );
    const slide: Slide = {
      id,
      layoutId: layout.id,
      elements: placeholderElements(layout, (index, type) => mapped.get(type) || `${id}_${index}`),
      notes: "",
      notesId: `${id}_notes`,
      skipped: false,
    };
    const index = given.insertionIndex;
    if (typeof index === "number" && (index < 0 || index > presentation.slides.length)) {
      throw refusedRequest("createSlide", `The insertion index ${index} is out of bounds.`);
    }
    presentation.slides.splice(
      typeof index === "number" ? index : presentation.slides.length,
      0,
      slide,
    );
    return { createSlide: { objectId: id } };
  },
  createShape(given, context) {
    const id = freshId(textMember(given, "objectId"), { ...context, kind: "createShape" });
    placeElement(given, context, {
      kind: "shape",
      id,
      frame: frameOf(given),
      shapeType: textMember(given, "shapeType") ?? "TEXT_BOX",
      text: "",
      bulleted: false,
      style: {},
    });
    return { createShape: { objectId: id } };
  },
  createTable(given, context) {
    const [rows, columns] = [Number(given.rows ?? 0), Number(given.columns ?? 0)];
    if (!(rows > 0 && columns > 0)) {
      throw refusedRequest("createTable", "Rows and columns must be positive.");
    }
    const id = freshId(textMember(given, "objectId"), { ...context, kind: "createTable" });
    placeElement(given, context, {
      kind: "table",
      id,
      frame: frameOf(given),
      cells: Array.from({ length: rows }, () => new Array<string>(columns).fill("")),
    });
    return { createTable: { objectId: id } };
  },
  createImage(given, context) {
    const url = textMember(given, "url") ?? "";
    if (!/^https?:\/\//.test(url)) throw refusedRequest("createImage", "The URL is not valid.");
    const id = freshId(textMember(given, "objectId"), { ...context, kind: "createImage" });
    placeElement(given, context, {
      kind: "image",
      id,
      frame: frameOf(given),
      contentUrl: url,
      sourceUrl: url,
    });
    return { createImage: { objectId: id } };
  },
  createLine(given, context) {
    const id = freshId(textMember(given, "objectId"), { ...context, kind: "createLine" });
    placeElement(given, context, {
      kind: "line",
      id,
      frame: frameOf(given),
      lineType: "STRAIGHT_CONNECTOR_1",
    });
    return { createLine: { objectId: id } };
  },
  deleteObject(given, { presentation }) {
    const id = textMember(given, "objectId") ?? "";
    const at = presentation.slides.findIndex((slide) => slide.id === id);
    if (at !== -1) {
      presentation.slides.splice(at, 1);
      return {};
    }
    const slide = presentation.slides.find((item) =>
      item.elements.some((element) => element.id === id)
    );
    if (slide === undefined) throw missing("deleteObject", id);
    slide.elements = slide.elements.filter((element) => element.id !== id);
    return {};
  },
  duplicateObject(given, context) {
    const { presentation } = context;
    const id = textMember(given, "objectId") ?? "";
    const copyId = freshId(undefined, { ...context, kind: "duplicateObject" });
    const at = presentation.slides.findIndex((slide) => slide.id === id);
    if (at !== -1) {
      const source = presentation.slides[at] as Slide;
      presentation.slides.splice(at + 1, 0, {
        ...structuredClone(source),
        id: copyId,
        notesId: `${copyId}_notes`,
        elements: source.elements.map((element, index) => ({
          ...structuredClone(element),
          id: `${copyId}_${index}`,
        })),
      });
    } else {
      const slide = presentation.slides.find((item) =>
        item.elements.some((element) => element.id === id)
      );
      const source = slide?.elements.find((element) => element.id === id);
      if (slide === undefined || source === undefined) throw missing("duplicateObject", id);
      slide.elements.push({ ...structuredClone(source), id: copyId });
    }
    return { duplicateObject: { objectId: copyId } };
  },
  updatePageElementTransform(given, { presentation }) {
    const element = elementOf(presentation, {
      id: textMember(given, "objectId") ?? "",
      kind: "updatePageElementTransform",
    });
    const transform = objectMember(given, "transform") ?? {};
    const [x, y] = [Number(transform.translateX ?? 0), Number(transform.translateY ?? 0)];
    const relative = given.applyMode === "RELATIVE";
    element.frame.x = relative ? element.frame.x + x : x;
    element.frame.y = relative ? element.frame.y + y : y;
    return {};
  },
  updatePageElementAltText(given, { presentation }) {
    const element = elementOf(presentation, {
      id: textMember(given, "objectId") ?? "",
      kind: "updatePageElementAltText",
    });
    const [title, description] = [textMember(given, "title"), textMember(given, "description")];
    if (title !== undefined) element.title = title;
    if (description !== undefined) element.description = description;
    return {};
  },
  updateSlidesPosition(given, { presentation }) {
    const ids = Array.isArray(given.slideObjectIds) ? given.slideObjectIds : [];
    const moving = presentation.slides.filter((slide) => ids.includes(slide.id));
    if (moving.length !== ids.length) {
      throw refusedRequest("updateSlidesPosition", "A slide of the list does not exist.");
    }
    const index = Number(given.insertionIndex ?? 0);
    const ahead =
      presentation.slides.slice(0, index).filter((slide) => !ids.includes(slide.id)).length;
    const left = presentation.slides.filter((slide) => !ids.includes(slide.id));
    left.splice(ahead, 0, ...moving);
    presentation.slides = left;
    return {};
  },
  updateSlideProperties(given, { presentation }) {
    const id = textMember(given, "objectId") ?? "";
    const slide = presentation.slides.find((item) => item.id === id);
    if (slide === undefined) throw missing("updateSlideProperties", id);
    slide.skipped = booleanMember(objectMember(given, "slideProperties") ?? {}, "isSkipped") ??
      slide.skipped;
    return {};
  },
};

/** Runs one request; 400 for an unknown kind or object. */
export function runRequest(request: JsonObject, context: BatchContext): JsonObject {
  return runBatchRequest(request, { context, runners: RUNNERS, withoutEffect: WITHOUT_EFFECT });
}

function layoutOf(reference: JsonObject | undefined): Layout {
  const name = textMember(reference ?? {}, "predefinedLayout") ?? "BLANK";
  const id = textMember(reference ?? {}, "layoutId");
  const layout = LAYOUTS.find((item) => id === undefined ? item.name === name : item.id === id);
  if (layout === undefined) {
    throw refusedRequest("createSlide", `The layout (${id ?? name}) could not be found.`);
  }
  return layout;
}

function freshId(
  asked: string | undefined,
  { presentation, ids, kind }: BatchContext & { kind: string },
): string {
  const taken = (id: string) =>
    presentation.slides.some((slide) =>
      slide.id === id || slide.elements.some((element) => element.id === id)
    );
  if (asked === undefined || asked === "") {
    return `SLIDES_API${ids.int(100_000_000, 2_000_000_000)}_0`;
  }
  if (!/^[A-Za-z0-9_][A-Za-z0-9_:-]{4,49}$/.test(asked)) {
    throw refusedRequest(
      kind,
      `The object ID (${asked}) should not be shorter than 5 or longer than 50 characters.`,
    );
  }
  if (taken(asked)) {
    throw refusedRequest(
      kind,
      `The object ID (${asked}) should be unique among all pages and page elements in the presentation.`,
    );
  }
  return asked;
}

function placeElement(given: JsonObject, { presentation }: BatchContext, element: Element): void {
  const pageId = textMember(objectMember(given, "elementProperties") ?? {}, "pageObjectId") ?? "";
  const slide = presentation.slides.find((item) => item.id === pageId);
  if (slide === undefined) {
    throw invalid(`Invalid requests[0]: The page (${pageId}) could not be found.`, "badRequest");
  }
  slide.elements.push(element);
}

function frameOf(given: JsonObject): Frame {
  const properties = objectMember(given, "elementProperties") ?? {};
  const size = objectMember(properties, "size") ?? {};
  const transform = objectMember(properties, "transform") ?? {};
  const points = (member: JsonObject | undefined, fallback: number) => {
    const magnitude = Number(member?.magnitude ?? fallback);
    return member?.unit === "PT" ? magnitude * 12_700 : magnitude;
  };
  const scale = transform.unit === "PT" ? 12_700 : 1;
  return {
    width: points(objectMember(size, "width"), 3_000_000) * Number(transform.scaleX ?? 1),
    height: points(objectMember(size, "height"), 3_000_000) * Number(transform.scaleY ?? 1),
    x: Number(transform.translateX ?? 0) * scale,
    y: Number(transform.translateY ?? 0) * scale,
  };
}
