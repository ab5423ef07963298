/** State of the emulated Drive: files, permissions, shared drives, and who may do what. */

import type { JsonObject } from "../../json/mod.ts";
import { hash32 } from "../random.ts";
import { type EmulatedCall, EmulatedError, type Person, type SeededRandom } from "../service.ts";
import { FOLDER } from "./mime_types.ts";
import type { NativeFiles } from "./native_files.ts";
import { flag, notFound } from "./requests.ts";

/** Roles from weakest to strongest. */
export const ROLES = [
  "reader",
  "commenter",
  "writer",
  "fileOrganizer",
  "organizer",
  "owner",
] as const;

/** A role of a permission. */
export type Role = (typeof ROLES)[number];

/** A permission as stored. */
export interface StoredPermission {
  id: string;
  type: "user" | "group" | "domain" | "anyone";
  role: Role;
  email?: string;
  displayName?: string;
  domain?: string;
  allowFileDiscovery?: boolean;
  expiresAt?: number;
  /** Set on items of a shared drive whose members come from the drive itself. */
  inheritedFrom?: string;
}

/** Where a file's bytes come from. */
export type StoredContent =
  | { from: "seed"; key: string; size: number }
  | { from: "upload"; bytes: Uint8Array };

/** A file or folder as stored. */
export interface StoredFile {
  id: string;
  name: string;
  mimeType: string;
  parents: string[];
  driveId?: string;
  description?: string;
  createdAt: number;
  modifiedAt: number;
  modifiedByMeAt?: number;
  viewedByMeAt?: number;
  sharedWithMeAt?: number;
  sharer?: Person;
  trashedAt?: number;
  starred: boolean;
  /** Absent on items of shared drives. */
  owner?: Person;
  lastModifier: Person;
  permissions: StoredPermission[];
  content?: StoredContent;
  version: number;
  originalFilename?: string;
  folderColor?: string;
  shortcutTo?: string;
  properties: Record<string, string>;
  appProperties: Record<string, string>;
  headRevision?: string;
  copyRequiresWriterPermission: boolean;
  writersCanShare: boolean;
}

/** A shared drive as stored. */
export interface StoredSharedDrive {
  id: string;
  name: string;
  createdAt: number;
  members: StoredPermission[];
}

/** Everything the Drive routes work on. */
export interface DriveStore {
  account: Person;
  people: readonly Person[];
  rootId: string;
  files: Map<string, StoredFile>;
  drives: StoredSharedDrive[];
  native: NativeFiles;
  ids: SeededRandom;
  /** Ids handed out by `generateIds` and not used yet. */
  reservedIds: Set<string>;
}

/** The numeric permission id of an account: the same for a person on every file. */
export function permissionIdOf(email: string): string {
  const head = String(hash32(email) % 1_000_000_000).padStart(9, "0");
  const tail = String(hash32(`${email}#`) % 1_000_000_000).padStart(9, "0");
  return `1${head}${tail}0`.slice(0, 20);
}

/** A permission for one person. */
export function userPermission(person: Person, role: Role): StoredPermission {
  return {
    id: permissionIdOf(person.email),
    type: "user",
    role,
    email: person.email,
    displayName: person.displayName,
  };
}

/** The account's strongest role on a file; undefined when it can not see it. */
export function roleOf(store: DriveStore, file: StoredFile): Role | undefined {
  if (file.owner?.email === store.account.email) return "owner";
  const domain = store.account.email.split("@")[1];
  let best: Role | undefined;
  for (const permission of file.permissions) {
    const applies = permission.email === store.account.email || permission.type === "anyone" ||
      (permission.type === "domain" && permission.domain === domain);
    if (applies && (best === undefined || rank(permission.role) > rank(best))) {
      best = permission.role;
    }
  }
  return best;
}

function rank(role: Role): number {
  return ROLES.indexOf(role);
}

/** True when `role` is at least `least`. */
export function atLeast(role: Role | undefined, least: Role): boolean {
  return role !== undefined && rank(role) >= rank(least);
}

/** The file of the call's `fileId`, hidden as Drive hides it: unknown, unshared, or in a shared drive the caller does not support. */
export function visibleFile(store: DriveStore, call: EmulatedCall): StoredFile {
  return findVisible(store, { id: call.params.fileId ?? "", call });
}

/** As {@link visibleFile}, for any id (`root` included). */
export function findVisible(
  store: DriveStore,
  { id, call }: { id: string; call: EmulatedCall },
): StoredFile {
  const file = store.files.get(id === "root" ? store.rootId : id);
  const supportsAll = flag(call.query, "supportsAllDrives") ||
    flag(call.query, "supportsTeamDrives");
  if (
    file === undefined || roleOf(store, file) === undefined ||
    (file.driveId !== undefined && !supportsAll)
  ) throw notFound(`File not found: ${id}.`);
  return file;
}

/** Refuses with Drive's 403 unless the account holds at least `least` on the file. */
export function requireRole(
  store: DriveStore,
  { file, least }: { file: StoredFile; least: Role },
): void {
  if (!atLeast(roleOf(store, file), least)) throw insufficient(file.id);
}

/** Drive's refusal for lack of a role on a file. */
export function insufficient(id: string): EmulatedError {
  return new EmulatedError(403, `The user does not have sufficient permissions for file ${id}.`, {
    reason: "insufficientFilePermissions",
    status: "PERMISSION_DENIED",
  });
}

/** Files directly inside a folder. */
function childrenOf(store: DriveStore, folderId: string): StoredFile[] {
  return [...store.files.values()].filter((file) => file.parents.includes(folderId));
}

/** True when the file or one of its ancestors is in the trash. */
export function isTrashed(store: DriveStore, file: StoredFile): boolean {
  for (let at: StoredFile | undefined = file; at !== undefined;) {
    if (at.trashedAt !== undefined) return true;
    const parent: string | undefined = at.parents[0];
    at = parent === undefined ? undefined : store.files.get(parent);
  }
  return false;
}

/** Marks a change: version, modified time and modifier. */
export function touch(store: DriveStore, { file, now }: { file: StoredFile; now: number }): void {
  file.version += 1;
  file.modifiedAt = now;
  file.modifiedByMeAt = now;
  file.lastModifier = store.account;
  const native = store.native.find(file.id);
  if (native !== undefined) native.modifiedAt = now;
}

/** A file of the account, outside every folder, made `now`. */
export function blankFile(
  store: DriveStore,
  { id, name, mimeType, now }: { id: string; name: string; mimeType: string; now: number },
): StoredFile {
  return {
    id,
    name,
    mimeType,
    parents: [],
    createdAt: now,
    modifiedAt: now,
    modifiedByMeAt: now,
    viewedByMeAt: now,
    starred: false,
    owner: store.account,
    lastModifier: store.account,
    permissions: [userPermission(store.account, "owner")],
    version: 1,
    properties: {},
    appProperties: {},
    copyRequiresWriterPermission: false,
    writersCanShare: true,
  };
}

/** Brings native files that editors made, renamed or changed since the last call into Drive. */
export function syncNativeFiles(store: DriveStore, typeOf: (kind: string) => string): void {
  for (const native of store.native.list()) {
    const file = store.files.get(native.id);
    if (file === undefined) {
      const made = blankFile(store, {
        id: native.id,
        name: native.title,
        mimeType: typeOf(native.kind),
        now: native.createdAt,
      });
      store.files.set(native.id, {
        ...made,
        parents: [store.rootId],
        modifiedAt: native.modifiedAt,
        modifiedByMeAt: native.modifiedAt,
        viewedByMeAt: native.modifiedAt,
      });
    } else if (file.modifiedAt < native.modifiedAt || file.name !== native.title) {
      file.version += 1;
      file.name = native.title;
      file.modifiedAt = Math.max(file.modifiedAt, native.modifiedAt);
    }
  }
}

/** Removes a file and, for a folder, everything below it. */
export function removeForGood(store: DriveStore, file: StoredFile): void {
  if (file.mimeType === FOLDER) {
    for (const child of childrenOf(store, file.id)) removeForGood(store, child);
  }
  store.files.delete(file.id);
  store.native.remove(file.id);
}

/** String-to-string members of a body object; non-strings are refused by Drive, here dropped. */
export function stringMap(members: JsonObject): Record<string, string> {
  const map: Record<string, string> = {};
  for (const [key, value] of Object.entries(members)) {
    if (typeof value === "string") map[key] = value;
  }
  return map;
}
