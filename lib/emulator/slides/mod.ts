/**
 * Emulated Google Slides: presentations with layouts, shapes, tables and notes, and the usual batch
 * requests (spec 00 §7, §10).
 *
 * @module
 */

import type { JsonObject } from "../../json/mod.ts";
import {
  batchUpdate,
  bodyObject,
  nativeFilesOf,
  notFound,
  opaqueId,
  openedDocuments,
  textMember,
} from "../drive/mod.ts";
import { hashHex } from "../random.ts";
import type { EmulatedService, ServiceSeed } from "../service.ts";
import { runRequest } from "./batch_requests.ts";
import { LAYOUTS, type StoredPresentation } from "./model.ts";
import { layoutView, presentationView, revisionId, slideView } from "./presentation_view.ts";
import { emptyPresentation, seededPresentation } from "./world.ts";

const HOST = "slides.googleapis.com";

/** Makes the service over the world's presentations. */
export function createSlides(seed: ServiceSeed): EmulatedService {
  const native = nativeFilesOf(seed);
  const ids = seed.random.fork("new presentations");
  const { fileOf, open, known } = openedDocuments(native, {
    kind: "presentation",
    make: (file): StoredPresentation =>
      file.seeded === undefined
        ? emptyPresentation(file.id, file.title)
        : seededPresentation({ ...seed, content: native.content }, file),
  });
  native.exporters.set(
    "presentation",
    (id, mimeType) => mimeType === "text/plain" ? outline(open(id)) : undefined,
  );
  return {
    name: "slides",
    routes: [
      {
        methodId: "slides.presentations.create",
        method: "POST",
        host: HOST,
        pattern: "/v1/presentations",
        handle(call) {
          const body = bodyObject(call);
          const id = `1${opaqueId(ids, 43)}`;
          const title = textMember(body, "title") ?? "Untitled presentation";
          native.add({
            id,
            kind: "presentation",
            title,
            createdAt: call.now,
            modifiedAt: call.now,
          });
          const made = open(id);
          // A new presentation starts with an empty title slide.
          for (const element of made.slides[0]?.elements ?? []) {
            if (element.kind === "shape") element.text = "";
          }
          return { body: presentationView(made, { title }) };
        },
      },
      {
        methodId: "slides.presentations.batchUpdate",
        method: "POST",
        host: HOST,
        pattern: "/v1/presentations/{presentationId}:batchUpdate",
        handle(call) {
          const presentation = open(call.params.presentationId ?? "");
          const answer = batchUpdate(call, {
            document: presentation,
            file: fileOf(presentation.id),
            revisionId,
            run: (request, draft) => runRequest(request, { presentation: draft, ids }),
          });
          return { body: { presentationId: presentation.id, ...answer } };
        },
      },
      {
        methodId: "slides.presentations.pages.getThumbnail",
        method: "GET",
        host: HOST,
        pattern: "/v1/presentations/{presentationId}/pages/{pageObjectId}/thumbnail",
        handle(call) {
          const presentation = open(call.params.presentationId ?? "");
          const id = call.params.pageObjectId ?? "";
          if (!presentation.slides.some((slide) => slide.id === id)) {
            throw notFound(`Page ${id} was not found.`);
          }
          return {
            body: {
              width: 1600,
              height: 900,
              contentUrl: `https://lh7-us.googleusercontent.com/docs/${
                hashHex(`${presentation.id} ${id}`, 120)
              }=s1600`,
            },
          };
        },
      },
      {
        methodId: "slides.presentations.pages.get",
        method: "GET",
        host: HOST,
        pattern: "/v1/presentations/{presentationId}/pages/{pageObjectId}",
        handle(call) {
          const presentation = open(call.params.presentationId ?? "");
          const id = call.params.pageObjectId ?? "";
          const slide = presentation.slides.find((item) => item.id === id);
          if (slide !== undefined) return { body: slideView(presentation, slide) };
          const layout = LAYOUTS.find((item) => item.id === id);
          if (layout === undefined) throw notFound(`Page ${id} was not found.`);
          return { body: layoutView(layout) };
        },
      },
      {
        methodId: "slides.presentations.get",
        method: "GET",
        host: HOST,
        pattern: "/v1/presentations/{presentationId}",
        handle(call) {
          const presentation = open(call.params.presentationId ?? "");
          return { body: presentationView(presentation, { title: fileOf(presentation.id).title }) };
        },
      },
    ],
    inspect: (): JsonObject => ({
      presentations: native.list("presentation").map((file): JsonObject => ({
        id: file.id,
        title: file.title,
        ...(known(file.id) !== undefined
          ? { slides: open(file.id).slides.map((slide) => slide.id) }
          : {}),
      })),
    }),
  };
}

/** The texts of a presentation, slide by slide. */
function outline(presentation: StoredPresentation): string {
  return presentation.slides.map((slide) =>
    slide.elements.map((element) =>
      element.kind === "shape"
        ? element.text
        : element.kind === "table"
        ? element.cells.flat().join("")
        : ""
    ).join("")
  ).join("\n");
}
