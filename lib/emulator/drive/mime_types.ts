/** MIME types of emulated Drive: native kinds, what they export to, and file extensions. */

import type { NativeKind } from "./native_files.ts";

/** A folder. */
export const FOLDER = "application/vnd.google-apps.folder";
/** A shortcut to another file. */
export const SHORTCUT = "application/vnd.google-apps.shortcut";

/** MIME type of each native kind. */
export const NATIVE_TYPES: Readonly<Record<NativeKind, string>> = {
  document: "application/vnd.google-apps.document",
  spreadsheet: "application/vnd.google-apps.spreadsheet",
  presentation: "application/vnd.google-apps.presentation",
};

/** Word, Excel and PowerPoint documents. */
export const OFFICE_TYPES: Readonly<Record<NativeKind, string>> = {
  document: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  spreadsheet: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  presentation: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
};

/** Export formats by native kind, with the file extension of each. */
export const EXPORT_FORMATS: Readonly<Record<NativeKind, Readonly<Record<string, string>>>> = {
  document: {
    "application/rtf": "rtf",
    "application/vnd.oasis.opendocument.text": "odt",
    "text/html": "html",
    "application/pdf": "pdf",
    "text/x-markdown": "md",
    "text/markdown": "md",
    "application/epub+zip": "epub",
    "application/zip": "zip",
    [OFFICE_TYPES.document]: "docx",
    "text/plain": "txt",
  },
  spreadsheet: {
    "application/x-vnd.oasis.opendocument.spreadsheet": "ods",
    "text/tab-separated-values": "tsv",
    "application/pdf": "pdf",
    [OFFICE_TYPES.spreadsheet]: "xlsx",
    "text/csv": "csv",
    "application/zip": "zip",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
  },
  presentation: {
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/pdf": "pdf",
    [OFFICE_TYPES.presentation]: "pptx",
    "text/plain": "txt",
  },
};

/** The native kind of a MIME type; undefined for every other file. */
export function nativeKindOf(mimeType: string): NativeKind | undefined {
  return (Object.keys(NATIVE_TYPES) as NativeKind[]).find((kind) =>
    NATIVE_TYPES[kind] === mimeType
  );
}

/** True for files without bytes of their own: native kinds, folders, shortcuts, forms. */
export function hasNoBytes(mimeType: string): boolean {
  return mimeType.startsWith("application/vnd.google-apps.");
}

const TYPES_BY_EXTENSION: Readonly<Record<string, string>> = {
  pdf: "application/pdf",
  png: "image/png",
  jpg: "image/jpeg",
  csv: "text/csv",
  txt: "text/plain",
  md: "text/markdown",
  json: "application/json",
  html: "text/html",
  svg: "image/svg+xml",
  zip: "application/zip",
  docx: OFFICE_TYPES.document,
  xlsx: OFFICE_TYPES.spreadsheet,
  pptx: OFFICE_TYPES.presentation,
  mp4: "video/mp4",
};

/** The last extension of a file name, lower case; empty when there is none. */
export function extensionOf(name: string): string {
  return /\.([A-Za-z0-9]{1,8})$/.exec(name)?.[1]?.toLowerCase() ?? "";
}

/** The MIME type that Drive gives to an upload without one. */
export function typeOfName(name: string): string {
  return TYPES_BY_EXTENSION[extensionOf(name)] ?? "application/octet-stream";
}
