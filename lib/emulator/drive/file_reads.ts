/** Reading routes of `drive.files`: list, get, media, export. */

import type { JsonObject } from "../../json/mod.ts";
import { utf8 } from "../encoding.ts";
import { downloadAnswer } from "../media.ts";
import {
  type EmulatedAnswer,
  type EmulatedCall,
  EmulatedError,
  type EmulatedRoute,
} from "../service.ts";
import { bytesOf, officeDocument, pdfDocument } from "./content.ts";
import { factsOf, ordered } from "./facts.ts";
import { briefFile, fileView, refusesMedia } from "./file_view.ts";
import { EXPORT_FORMATS, nativeKindOf, OFFICE_TYPES } from "./mime_types.ts";
import type { NativeKind } from "./native_files.ts";
import { parseQuery, satisfies } from "./query.ts";
import {
  flag,
  integer,
  invalid,
  invalidParameter,
  notFound,
  opaqueId,
  pageOf,
  selection,
} from "./requests.ts";
import { type DriveStore, roleOf, type StoredFile, visibleFile } from "./store.ts";

/** A file as an answer: whole when the call names `fields`, else Drive's four members. */
export function fileAnswer(
  store: DriveStore,
  { file, call }: { file: StoredFile; call: EmulatedCall },
): EmulatedAnswer {
  return { body: call.query.get("fields") ? fileView(store, file) : briefFile(file) };
}

/** The reading routes. */
export function fileReadRoutes(store: DriveStore, host: string): EmulatedRoute[] {
  return [
    {
      methodId: "drive.files.list",
      method: "GET",
      host,
      pattern: "/drive/v3/files",
      handle: (call) => listFiles(store, call),
    },
    {
      methodId: "drive.files.generateIds",
      method: "GET",
      host,
      pattern: "/drive/v3/files/generateIds",
      handle(call) {
        const count = integer(call.query, "count", { fallback: 10, min: 1, max: 1000 });
        const ids = Array.from({ length: count }, () => `1${opaqueId(store.ids, 32)}`);
        for (const id of ids) store.reservedIds.add(id);
        return {
          body: { kind: "drive#generatedIds", space: call.query.get("space") ?? "drive", ids },
        };
      },
    },
    {
      methodId: "drive.files.get",
      method: "GET",
      host,
      pattern: "/drive/v3/files/{fileId}",
      handle(call) {
        const file = visibleFile(store, call);
        if (call.query.get("alt") !== "media") return fileAnswer(store, { file, call });
        if (refusesMedia(file)) {
          throw new EmulatedError(
            403,
            "Only files with binary content can be directly downloaded. Use Export with Docs Editors files.",
            { reason: "fileNotDownloadable", status: "PERMISSION_DENIED" },
          );
        }
        const bytes = bytesOf(file)?.bytes ?? new Uint8Array();
        return downloadAnswer(call, { bytes, contentType: file.mimeType, fileName: file.name });
      },
    },
    {
      methodId: "drive.files.export",
      method: "GET",
      host,
      pattern: "/drive/v3/files/{fileId}/export",
      handle: (call) => exportFile(store, { file: visibleFile(store, call), call }),
    },
  ];
}

function listFiles(store: DriveStore, call: EmulatedCall): EmulatedAnswer {
  const { query } = call;
  const size = integer(query, "pageSize", { fallback: 100, min: 1, max: 1000 });
  const scope = visibilityScope(store, query);
  const asked = query.get("q");
  const condition = asked === null || asked.trim() === "" ? undefined : parseQuery(asked);
  const spaces = (query.get("spaces") ?? "drive").split(",");
  for (const space of spaces) {
    if (space !== "drive" && space !== "appDataFolder" && space !== "photos") {
      throw invalidParameter("spaces");
    }
  }
  const wanted = [...store.files.values()].filter((file) =>
    spaces.includes("drive") && file.id !== file.driveId && file.id !== store.rootId &&
    scope(file) &&
    (condition === undefined || satisfies(condition, factsOf(store, file)))
  );
  const page = pageOf(ordered(wanted, query.get("orderBy")), {
    size,
    token: query.get("pageToken"),
    scope: `drive.files.list ${selection(query)}`,
  });
  const whole = Boolean(query.get("fields"));
  const body: JsonObject = { kind: "drive#fileList" };
  if (page.nextPageToken !== undefined) body.nextPageToken = page.nextPageToken;
  body.incompleteSearch = false;
  body.files = page.items.map((file) => whole ? fileView(store, file) : briefFile(file));
  return { body };
}

function visibilityScope(store: DriveStore, query: URLSearchParams): (file: StoredFile) => boolean {
  const corpora = query.get("corpora") ?? (query.get("driveId") ? "drive" : "user");
  const driveId = query.get("driveId");
  const all = flag(query, "includeItemsFromAllDrives") || flag(query, "includeTeamDriveItems");
  const supports = flag(query, "supportsAllDrives") || flag(query, "supportsTeamDrives");
  if (!["user", "domain", "drive", "allDrives"].includes(corpora)) {
    throw invalidParameter("corpora");
  }
  if ((corpora === "drive") !== (driveId !== null)) {
    throw new EmulatedError(
      403,
      "The driveId parameter must be specified if and only if corpora is set to drive.",
      { reason: "teamDriveIdRequired", status: "PERMISSION_DENIED" },
    );
  }
  if ((corpora === "drive" || corpora === "allDrives") && !all) {
    throw new EmulatedError(
      403,
      "The includeItemsFromAllDrives parameter must be set to true when driveId is specified or corpora contains drive or allDrives.",
      { reason: "includeItemsFromAllDrivesRequired", status: "PERMISSION_DENIED" },
    );
  }
  if (all && !supports) {
    throw new EmulatedError(
      403,
      "The supportsAllDrives parameter must be set to true when includeItemsFromAllDrives is set to true.",
      { reason: "supportsAllDrivesRequired", status: "PERMISSION_DENIED" },
    );
  }
  if (driveId !== null && !store.drives.some((drive) => drive.id === driveId)) {
    throw notFound(`Shared drive not found: ${driveId}`);
  }
  return (file) => {
    if (roleOf(store, file) === undefined) return false;
    if (driveId !== null) return file.driveId === driveId;
    return file.driveId === undefined || all;
  };
}

function exportFile(
  store: DriveStore,
  { file, call }: { file: StoredFile; call: EmulatedCall },
): EmulatedAnswer {
  const kind = nativeKindOf(file.mimeType);
  if (kind === undefined) {
    throw new EmulatedError(403, "Export only supports Docs Editors files.", {
      reason: "fileNotExportable",
      status: "PERMISSION_DENIED",
    });
  }
  const mimeType = call.query.get("mimeType");
  if (mimeType === null || mimeType === "") {
    throw invalid("Required parameter: mimeType", "required");
  }
  if (EXPORT_FORMATS[kind][mimeType] === undefined) {
    throw invalid("The requested conversion is not supported.", "badRequest");
  }
  return downloadAnswer(call, {
    bytes: exportedBytes(store, { file, kind, mimeType }),
    contentType: mimeType,
    fileName: `${file.name}.${EXPORT_FORMATS[kind][mimeType]}`,
  });
}

function exportedBytes(
  store: DriveStore,
  { file, kind, mimeType }: { file: StoredFile; kind: NativeKind; mimeType: string },
): Uint8Array {
  const exporter = store.native.exporters.get(kind);
  const own = exporter?.(file.id, mimeType);
  if (own !== undefined) return utf8(own);
  const plain = exporter?.(file.id, kind === "spreadsheet" ? "text/csv" : "text/plain") ??
    `${file.name}\n`;
  switch (mimeType) {
    case "application/pdf":
      return pdfDocument({ title: file.name, text: plain, padTo: 0 });
    case "text/html":
      return utf8(
        `<html><head><meta charset="utf-8"><title>${escapeMarkup(file.name)}</title></head><body>${
          plain.split("\n").map((line) => `<p>${escapeMarkup(line)}</p>`).join("")
        }</body></html>`,
      );
    case "application/rtf":
      return utf8(`{\\rtf1\\ansi ${plain.replace(/[\\{}]/g, "\\$&").replaceAll("\n", "\\par\n")}}`);
    case "text/plain":
    case "text/csv":
    case "text/markdown":
    case "text/x-markdown":
    case "text/tab-separated-values":
      return utf8(plain);
    default:
      return officeDocument(OFFICE_TYPES[kind], plain);
  }
}

function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
