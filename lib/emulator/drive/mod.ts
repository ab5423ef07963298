/**
 * Emulated Google Drive, and what the other Workspace services share with it: native files,
 * synthetic prose, request reading (spec 00 §7, §10).
 *
 * @module
 */
export { createDrive } from "./service.ts";
export {
  batchUpdate,
  refusedRequest,
  type RequestRunner,
  runBatchRequest,
} from "./batch_update.ts";
export {
  type NativeExporter,
  type NativeFile,
  type NativeFiles,
  nativeFilesOf,
  type NativeKind,
} from "./native_files.ts";
export { type OpenedDocuments, openedDocuments } from "./opened_documents.ts";
export { type Prose, proseOf } from "./prose.ts";
export {
  bodyObject,
  booleanMember,
  copyOf,
  encodeBase64Url,
  entityTag,
  flag,
  instant,
  integer,
  type IntegerBounds,
  invalid,
  notFound,
  objectMember,
  objectsMember,
  opaqueId,
  pageOf,
  type PageOptions,
  parseInstant,
  selection,
  stamp,
  textMember,
} from "./requests.ts";
