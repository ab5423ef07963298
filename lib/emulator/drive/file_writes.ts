/** Writing routes of `drive.files`: create, upload, update, copy, delete. */

import { isJsonObject, type JsonObject } from "../../json/mod.ts";
import { receiveUpload, type UploadedMedia, UploadSessions } from "../media.ts";
import {
  type EmulatedAnswer,
  type EmulatedCall,
  EmulatedError,
  type EmulatedRoute,
} from "../service.ts";
import { bytesOf } from "./content.ts";
import { fileAnswer } from "./file_reads.ts";
import { FOLDER, nativeKindOf, SHORTCUT, typeOfName } from "./mime_types.ts";
import {
  bodyObject,
  booleanMember,
  invalid,
  objectMember,
  opaqueId,
  parseInstant,
  textMember,
} from "./requests.ts";
import {
  atLeast,
  blankFile,
  type DriveStore,
  findVisible,
  insufficient,
  removeForGood,
  requireRole,
  roleOf,
  type StoredFile,
  stringMap,
  touch,
  visibleFile,
} from "./store.ts";

/** The writing routes, uploads included. */
export function fileWriteRoutes(store: DriveStore, host: string): EmulatedRoute[] {
  const sessions = new UploadSessions();
  const upload = (methodId: string, method: string, pattern: string): EmulatedRoute => ({
    methodId,
    method,
    host,
    pattern,
    handle: (call) =>
      receiveUpload(sessions, call, (media, started) => {
        const call = { ...started, body: media.metadata };
        return methodId === "drive.files.create"
          ? createFile(store, { call, media })
          : updateFile(store, { call, media });
      }),
  });
  const one = "/drive/v3/files/{fileId}";
  return [
    {
      methodId: "drive.files.create",
      method: "POST",
      host,
      pattern: "/drive/v3/files",
      handle: (call) => createFile(store, { call }),
    },
    {
      methodId: "drive.files.update",
      method: "PATCH",
      host,
      pattern: one,
      handle: (call) => updateFile(store, { call }),
    },
    ...["/upload", "/resumable/upload"].flatMap((prefix) => [
      ...["POST", "PUT", "DELETE"].map((method) =>
        upload("drive.files.create", method, `${prefix}/drive/v3/files`)
      ),
      ...["PATCH", "PUT", "DELETE"].map((method) =>
        upload("drive.files.update", method, `${prefix}/drive/v3/files/{fileId}`)
      ),
    ]),
    {
      methodId: "drive.files.copy",
      method: "POST",
      host,
      pattern: `${one}/copy`,
      handle: (call) => copyFile(store, call),
    },
    {
      methodId: "drive.files.emptyTrash",
      method: "DELETE",
      host,
      pattern: "/drive/v3/files/trash",
      handle() {
        for (const file of [...store.files.values()]) {
          if (file.trashedAt !== undefined && roleOf(store, file) === "owner") {
            removeForGood(store, file);
          }
        }
        return { status: 204 };
      },
    },
    {
      methodId: "drive.files.delete",
      method: "DELETE",
      host,
      pattern: one,
      handle(call) {
        const file = visibleFile(store, call);
        requireRole(store, { file, least: file.driveId === undefined ? "owner" : "organizer" });
        if (file.id === store.rootId || file.id === file.driveId) throw insufficient(file.id);
        removeForGood(store, file);
        return { status: 204 };
      },
    },
  ];
}

function createFile(
  store: DriveStore,
  { call, media }: { call: EmulatedCall; media?: UploadedMedia },
): EmulatedAnswer {
  const body = bodyObject(call);
  const name = textMember(body, "name");
  const sent = media?.contentType.split(";")[0];
  const mimeType = textMember(body, "mimeType") ??
    (sent === undefined || sent === "application/octet-stream" ? typeOfName(name ?? "") : sent);
  const id = newId(store, { asked: textMember(body, "id"), mimeType });
  const file = blankFile(store, { id, name: name ?? "Untitled", mimeType, now: call.now });
  settle(store, file, { parents: parentsOf(body), call });
  applyMembers(file, body);
  const target = objectMember(body, "shortcutDetails");
  if (mimeType === SHORTCUT) {
    file.shortcutTo =
      findVisible(store, { id: textMember(target ?? {}, "targetId") ?? "", call }).id;
  }
  const kind = nativeKindOf(mimeType);
  if (kind !== undefined) {
    store.native.add({
      id,
      kind,
      title: file.name,
      createdAt: call.now,
      modifiedAt: call.now,
      // Text converts; of anything else the emulator keeps an empty file.
      ...(media !== undefined && /^text\//.test(media.contentType)
        ? { imported: new TextDecoder().decode(media.bytes) }
        : {}),
    });
  } else if (mimeType !== FOLDER && mimeType !== SHORTCUT) {
    receiveContent(store, { file, bytes: media?.bytes ?? new Uint8Array() });
  }
  store.files.set(id, file);
  return fileAnswer(store, { file, call });
}

function newId(
  store: DriveStore,
  { asked, mimeType }: { asked: string | undefined; mimeType: string },
): string {
  if (asked === undefined) {
    return `1${opaqueId(store.ids, nativeKindOf(mimeType) === undefined ? 32 : 43)}`;
  }
  if (store.files.has(asked)) {
    throw new EmulatedError(409, "A file already exists with the provided ID.", {
      reason: "fileIdInUse",
    });
  }
  if (!store.reservedIds.delete(asked)) {
    throw invalid("The provided file ID is not usable.");
  }
  return asked;
}

function parentsOf(body: JsonObject): string[] | undefined {
  const { parents } = body;
  if (parents === undefined || parents === null) return undefined;
  if (!Array.isArray(parents) || parents.some((id) => typeof id !== "string")) {
    throw invalid("Invalid value at 'parents' (TYPE_STRING)");
  }
  if (parents.length > 1) {
    throw new EmulatedError(403, "A file cannot have multiple parents.", {
      reason: "multipleParentsNotSupported",
      status: "PERMISSION_DENIED",
    });
  }
  return parents as string[];
}

/** Puts a new file into its folder and gives it what the folder's sharing grants. */
function settle(
  store: DriveStore,
  file: StoredFile,
  { parents, call }: { parents: string[] | undefined; call: EmulatedCall },
): void {
  const folder = findVisible(store, { id: parents?.[0] ?? "root", call });
  if (folder.mimeType !== FOLDER) {
    throw new EmulatedError(403, "The specified parent is not a folder.", {
      reason: "parentNotAFolder",
      status: "PERMISSION_DENIED",
    });
  }
  requireRole(store, { file: folder, least: "writer" });
  file.parents = [folder.id];
  if (folder.driveId !== undefined) {
    file.driveId = folder.driveId;
    delete file.owner;
    file.permissions = folder.permissions.map((item) => ({ ...item }));
    return;
  }
  for (const permission of folder.permissions) {
    const taken = file.permissions.some((item) => item.id === permission.id);
    if (!taken) {
      file.permissions.push({
        ...permission,
        role: permission.role === "owner" ? "writer" : permission.role,
      });
    }
  }
}

function receiveContent(
  store: DriveStore,
  { file, bytes }: { file: StoredFile; bytes: Uint8Array },
): void {
  file.content = { from: "upload", bytes: new Uint8Array(bytes) };
  file.headRevision = `0B${opaqueId(store.ids, 48)}`;
  file.originalFilename ??= file.name;
}

function updateFile(
  store: DriveStore,
  { call, media }: { call: EmulatedCall; media?: UploadedMedia },
): EmulatedAnswer {
  const file = visibleFile(store, call);
  const body = bodyObject(call);
  const starOnly = media === undefined &&
    Object.keys(body).every((name) => name === "starred" || name === "viewedByMeTime") &&
    !call.query.has("addParents") && !call.query.has("removeParents");
  requireRole(store, { file, least: starOnly ? "reader" : "writer" });
  for (
    const name of [
      "id",
      "kind",
      "parents",
      "owners",
      "permissions",
      "size",
      "capabilities",
      "driveId",
    ]
  ) {
    if (body[name] === undefined) continue;
    throw new EmulatedError(
      403,
      name === "parents"
        ? "The parents field is not directly writable in update requests. Use the addParents and removeParents parameters instead."
        : "The resource body includes fields which are not directly writable.",
      { reason: "fieldNotWritable", status: "PERMISSION_DENIED" },
    );
  }
  const trashed = booleanMember(body, "trashed");
  if (trashed !== undefined) {
    requireRole(store, { file, least: file.driveId === undefined ? "owner" : "fileOrganizer" });
  }
  moveParents(store, { file, call });
  applyMembers(file, body);
  const mimeType = textMember(body, "mimeType");
  if (mimeType !== undefined && nativeKindOf(file.mimeType) === undefined) file.mimeType = mimeType;
  if (trashed === true && file.trashedAt === undefined) file.trashedAt = call.now;
  if (trashed === false) delete file.trashedAt;
  if (media !== undefined) {
    receiveContent(store, { file, bytes: media.bytes });
    if (mimeType === undefined) file.mimeType = media.contentType;
  }
  const native = store.native.find(file.id);
  if (native !== undefined) native.title = file.name;
  if (starOnly) file.version += 1;
  else touch(store, { file, now: call.now });
  const modified = textMember(body, "modifiedTime");
  if (modified !== undefined) file.modifiedAt = parseInstant(modified, "modifiedTime");
  return fileAnswer(store, { file, call });
}

function moveParents(
  store: DriveStore,
  { file, call }: { file: StoredFile; call: EmulatedCall },
): void {
  const names = (name: string) => (call.query.get(name) ?? "").split(",").filter((id) => id !== "");
  const add = names("addParents"), remove = names("removeParents");
  if (add.length === 0 && remove.length === 0) return;
  const left = file.parents.filter((id) =>
    !remove.includes(id) && !(id === store.rootId && remove.includes("root"))
  );
  const targets = add.map((id) => findVisible(store, { id, call }));
  if (left.length + targets.length > 1) {
    throw new EmulatedError(403, "Increasing the number of parents is not allowed", {
      reason: "cannotAddParent",
      status: "PERMISSION_DENIED",
    });
  }
  for (const target of targets) {
    if (target.mimeType !== FOLDER) throw invalid("The specified parent is not a folder.");
    requireRole(store, { file: target, least: "writer" });
    for (let at: StoredFile | undefined = target; at !== undefined;) {
      if (at.id === file.id) {
        throw new EmulatedError(403, "The requested move would create a cycle.", {
          reason: "cyclicMembership",
        });
      }
      const parent: string | undefined = at.parents[0];
      at = parent === undefined ? undefined : store.files.get(parent);
    }
  }
  file.parents = [...left, ...targets.map((target) => target.id)];
}

function applyMembers(file: StoredFile, body: JsonObject): void {
  const name = textMember(body, "name");
  if (name !== undefined) file.name = name;
  const description = textMember(body, "description");
  if (description !== undefined) file.description = description;
  if (body.description === null || description === "") delete file.description;
  file.starred = booleanMember(body, "starred") ?? file.starred;
  file.copyRequiresWriterPermission = booleanMember(body, "copyRequiresWriterPermission") ??
    file.copyRequiresWriterPermission;
  file.writersCanShare = booleanMember(body, "writersCanShare") ?? file.writersCanShare;
  const color = textMember(body, "folderColorRgb");
  if (color !== undefined) file.folderColor = color;
  for (const key of ["properties", "appProperties"] as const) {
    const given = body[key];
    if (!isJsonObject(given)) continue;
    Object.assign(file[key], stringMap(given));
    for (const [property, value] of Object.entries(given)) {
      if (value === null) delete file[key][property];
    }
  }
}

function copyFile(store: DriveStore, call: EmulatedCall): EmulatedAnswer {
  const source = visibleFile(store, call);
  if (
    source.mimeType === FOLDER ||
    (source.copyRequiresWriterPermission && !atLeast(roleOf(store, source), "writer"))
  ) {
    throw new EmulatedError(403, "This file cannot be copied by the user.", {
      reason: "cannotCopyFile",
      status: "PERMISSION_DENIED",
    });
  }
  const body = bodyObject(call);
  const file = blankFile(store, {
    id: newId(store, { asked: textMember(body, "id"), mimeType: source.mimeType }),
    name: textMember(body, "name") ?? `Copy of ${source.name}`,
    mimeType: textMember(body, "mimeType") ?? source.mimeType,
    now: call.now,
  });
  const home = source.parents[0];
  settle(store, file, {
    parents: parentsOf(body) ?? (home === undefined ? undefined : [home]),
    call,
  });
  if (source.description !== undefined) file.description = source.description;
  applyMembers(file, body);
  if (source.shortcutTo !== undefined) file.shortcutTo = source.shortcutTo;
  const content = bytesOf(source);
  if (content !== undefined) receiveContent(store, { file, bytes: content.bytes });
  const kind = nativeKindOf(source.mimeType);
  if (kind !== undefined) {
    store.native.add({
      id: file.id,
      kind,
      title: file.name,
      createdAt: call.now,
      modifiedAt: call.now,
      copyOf: source.id,
    });
  }
  store.files.set(file.id, file);
  return fileAnswer(store, { file, call });
}
