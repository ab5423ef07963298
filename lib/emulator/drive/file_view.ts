/** How emulated Drive prints files, users, permissions and drives: every member that Google sends. */

import type { JsonObject } from "../../json/mod.ts";
import { hash32 } from "../random.ts";
import type { Person } from "../service.ts";
import { bytesOf, imageSize } from "./content.ts";
import {
  EXPORT_FORMATS,
  extensionOf,
  FOLDER,
  hasNoBytes,
  nativeKindOf,
  SHORTCUT,
} from "./mime_types.ts";
import { stamp } from "./requests.ts";
import {
  atLeast,
  type DriveStore,
  isTrashed,
  permissionIdOf,
  roleOf,
  type StoredFile,
  type StoredPermission,
  type StoredSharedDrive,
} from "./store.ts";

/** The few members that Drive sends when a call names no `fields`. */
export function briefFile(file: StoredFile): JsonObject {
  return { kind: "drive#file", id: file.id, name: file.name, mimeType: file.mimeType };
}

/** A user as Drive embeds it. */
export function userView(store: DriveStore, person: Person): JsonObject {
  return {
    kind: "drive#user",
    displayName: person.displayName,
    photoLink: photoLink(person.email),
    me: person.email === store.account.email,
    permissionId: permissionIdOf(person.email),
    emailAddress: person.email,
  };
}

function photoLink(email: string): string {
  const token = (hash32(email) * 4096 + hash32(`${email}+`) % 4096).toString(36).padStart(12, "0");
  return `https://lh3.googleusercontent.com/a-/ALV-UjX${token}${token.toUpperCase()}kQ=s64`;
}

/** The whole resource of a file. */
export function fileView(store: DriveStore, file: StoredFile): JsonObject {
  const role = roleOf(store, file);
  const folder = file.mimeType === FOLDER;
  const view: JsonObject = {
    kind: "drive#file",
    id: file.id,
    name: file.name,
    mimeType: file.mimeType,
  };
  if (file.description !== undefined) view.description = file.description;
  view.starred = file.starred;
  const trashed = isTrashed(store, file);
  view.trashed = trashed;
  view.explicitlyTrashed = file.trashedAt !== undefined;
  if (file.trashedAt !== undefined) {
    view.trashedTime = stamp(file.trashedAt);
    if (file.driveId !== undefined) view.trashingUser = userView(store, file.lastModifier);
  }
  if (file.parents.length > 0) view.parents = [...file.parents];
  if (Object.keys(file.properties).length > 0) view.properties = { ...file.properties };
  if (Object.keys(file.appProperties).length > 0) view.appProperties = { ...file.appProperties };
  view.spaces = ["drive"];
  view.version = String(file.version);
  Object.assign(view, linksOf(file));
  view.hasThumbnail = !folder && file.mimeType !== "application/zip";
  view.thumbnailVersion = view.hasThumbnail ? String(1 + file.version % 7) : "0";
  if (view.hasThumbnail) {
    view.thumbnailLink = `https://lh3.googleusercontent.com/drive-storage/AJQWtBP${file.id}=s220`;
  }
  view.viewedByMe = file.viewedByMeAt !== undefined;
  if (file.viewedByMeAt !== undefined) view.viewedByMeTime = stamp(file.viewedByMeAt);
  view.createdTime = stamp(file.createdAt);
  view.modifiedTime = stamp(file.modifiedAt);
  view.modifiedByMe = file.modifiedByMeAt !== undefined;
  if (file.modifiedByMeAt !== undefined) view.modifiedByMeTime = stamp(file.modifiedByMeAt);
  if (file.sharedWithMeAt !== undefined) view.sharedWithMeTime = stamp(file.sharedWithMeAt);
  if (file.sharer !== undefined) view.sharingUser = userView(store, file.sharer);
  if (file.owner !== undefined) view.owners = [userView(store, file.owner)];
  if (file.driveId !== undefined) {
    view.teamDriveId = file.driveId;
    view.driveId = file.driveId;
    view.hasAugmentedPermissions = false;
  }
  view.lastModifyingUser = userView(store, file.lastModifier);
  view.shared = file.permissions.length > 1;
  view.ownedByMe = file.owner?.email === store.account.email;
  view.capabilities = capabilitiesOf(store, { file, folder, trashed });
  view.viewersCanCopyContent = !file.copyRequiresWriterPermission;
  view.copyRequiresWriterPermission = file.copyRequiresWriterPermission;
  view.writersCanShare = file.writersCanShare;
  if (atLeast(role, "writer")) {
    view.permissions = file.permissions.map((item) => permissionView(item));
  }
  if (atLeast(role, "writer")) view.permissionIds = file.permissions.map((item) => item.id);
  if (folder) view.folderColorRgb = file.folderColor ?? "#8f8f8f";
  if (file.shortcutTo !== undefined) {
    const target = store.files.get(file.shortcutTo);
    view.shortcutDetails = {
      targetId: file.shortcutTo,
      targetMimeType: target?.mimeType ?? "application/octet-stream",
    };
  }
  Object.assign(view, contentMembers(file));
  view.isAppAuthorized = true;
  view.linkShareMetadata = { securityUpdateEligible: false, securityUpdateEnabled: true };
  view.downloadRestrictions = {
    itemDownloadRestriction: { restrictedForReaders: false, restrictedForWriters: false },
    effectiveDownloadRestrictionWithContext: {
      restrictedForReaders: file.copyRequiresWriterPermission,
      restrictedForWriters: false,
    },
  };
  view.inheritedPermissionsDisabled = false;
  return view;
}

function linksOf(file: StoredFile): JsonObject {
  const links: JsonObject = {};
  const kind = nativeKindOf(file.mimeType);
  if (kind !== undefined) {
    const editor = kind === "spreadsheet" ? "spreadsheets" : kind;
    links.webViewLink = `https://docs.google.com/${editor}/d/${file.id}/edit?usp=drivesdk`;
    const path = kind === "document"
      ? "https://docs.google.com/feeds/download/documents/export/Export"
      : kind === "spreadsheet"
      ? "https://docs.google.com/spreadsheets/export"
      : `https://docs.google.com/feeds/download/presentations/Export`;
    links.exportLinks = Object.fromEntries(
      Object.entries(EXPORT_FORMATS[kind]).map(([type, extension]) => [
        type,
        `${path}?id=${file.id}&exportFormat=${extension}`,
      ]),
    );
  } else if (file.mimeType === FOLDER) {
    links.webViewLink = `https://drive.google.com/drive/folders/${file.id}`;
  } else {
    links.webViewLink = `https://drive.google.com/file/d/${file.id}/view?usp=drivesdk`;
    if (file.mimeType !== SHORTCUT) {
      links.webContentLink = `https://drive.google.com/uc?id=${file.id}&export=download`;
    }
  }
  links.iconLink = `https://drive-thirdparty.googleusercontent.com/16/type/${file.mimeType}`;
  return links;
}

function contentMembers(file: StoredFile): JsonObject {
  const content = bytesOf(file);
  if (content === undefined) {
    const size = nativeKindOf(file.mimeType) === undefined ? 0 : 1024 + hash32(file.id) % 90_000;
    return size === 0
      ? { quotaBytesUsed: "0" }
      : { size: String(size), quotaBytesUsed: String(size) };
  }
  const extension = extensionOf(file.name);
  const members: JsonObject = {
    originalFilename: file.originalFilename ?? file.name,
    fullFileExtension: extension,
    fileExtension: extension,
    md5Checksum: content.md5,
    sha1Checksum: content.sha1,
    sha256Checksum: content.sha256,
    size: String(content.bytes.length),
    quotaBytesUsed: String(content.bytes.length),
  };
  if (file.headRevision !== undefined) members.headRevisionId = file.headRevision;
  if (file.mimeType === "image/png" && file.content?.from === "seed") {
    members.imageMediaMetadata = { ...imageSize(file.content.key), rotation: 0 };
  }
  if (file.mimeType === "video/mp4") {
    members.videoMediaMetadata = {
      width: 1280,
      height: 720,
      durationMillis: String(content.bytes.length * 3),
    };
  }
  return members;
}

function capabilitiesOf(
  store: DriveStore,
  { file, folder, trashed }: { file: StoredFile; folder: boolean; trashed: boolean },
): JsonObject {
  const role = roleOf(store, file);
  const shared = file.driveId !== undefined;
  const edit = atLeast(role, "writer") && !trashed;
  const own = role === "owner";
  const organise = own || (shared && atLeast(role, "fileOrganizer"));
  const isRoot = file.id === store.rootId;
  const capabilities: JsonObject = {
    canAcceptOwnership: false,
    canAddChildren: folder && edit,
    canAddFolderFromAnotherDrive: false,
    canAddMyDriveParent: false,
    canChangeCopyRequiresWriterPermission: edit,
    canChangeItemDownloadRestriction: own,
    canChangeSecurityUpdateEnabled: false,
    canChangeViewersCanCopyContent: edit,
    canComment: atLeast(role, "commenter"),
    canCopy: !folder && !trashed,
    canDelete: organise && !isRoot,
    canDisableInheritedPermissions: false,
    canDownload: !folder && role !== undefined,
    canEdit: edit,
    canEnableInheritedPermissions: own,
    canListChildren: folder,
    canModifyContent: edit,
    canModifyContentRestriction: edit,
    canModifyEditorContentRestriction: edit,
    canModifyOwnerContentRestriction: own,
    canModifyLabels: false,
    canMoveChildrenOutOfDrive: shared && atLeast(role, "organizer"),
    canMoveChildrenOutOfTeamDrive: shared && atLeast(role, "organizer"),
    canMoveChildrenWithinDrive: folder && edit,
    canMoveChildrenWithinTeamDrive: folder && edit && shared,
    canMoveItemIntoTeamDrive: own && !isRoot,
    canMoveItemOutOfDrive: organise && !isRoot,
    canMoveItemOutOfTeamDrive: organise && shared,
    canMoveItemWithinDrive: edit && !isRoot,
    canMoveItemWithinTeamDrive: edit && shared,
    canMoveTeamDriveItem: organise && shared,
    canReadDrive: shared,
    canReadLabels: false,
    canReadRevisions: edit && !folder,
    canReadTeamDrive: shared,
    canRemoveChildren: folder && edit,
    canRemoveContentRestriction: false,
    canRemoveMyDriveParent: own && !isRoot,
    canRename: edit && !isRoot,
    canShare: edit && (own || shared || file.writersCanShare),
    canTrash: organise && !isRoot,
    canUntrash: organise && !isRoot,
  };
  if (shared && folder) {
    capabilities.canDeleteChildren = atLeast(role, "organizer");
    capabilities.canTrashChildren = atLeast(role, "fileOrganizer");
  }
  return capabilities;
}

/** A permission; without `full` only the members of a call that names no `fields`. */
export function permissionView(
  permission: StoredPermission,
  { full = true }: { full?: boolean } = {},
): JsonObject {
  const view: JsonObject = {
    id: permission.id,
    type: permission.type,
    kind: "drive#permission",
    role: permission.role,
  };
  if (!full) return view;
  if (permission.displayName !== undefined) view.displayName = permission.displayName;
  if (permission.email !== undefined) view.emailAddress = permission.email;
  if (permission.domain !== undefined) view.domain = permission.domain;
  if (permission.type === "user" && permission.email !== undefined) {
    view.photoLink = photoLink(permission.email);
  }
  if (permission.type === "anyone" || permission.type === "domain") {
    view.allowFileDiscovery = permission.allowFileDiscovery ?? false;
  }
  if (permission.expiresAt !== undefined) view.expirationTime = stamp(permission.expiresAt);
  if (permission.type === "user" || permission.type === "group") {
    view.deleted = false;
    view.pendingOwner = false;
  }
  if (permission.inheritedFrom !== undefined) {
    view.permissionDetails = [{
      permissionType: "member",
      inheritedFrom: permission.inheritedFrom,
      role: permission.role,
      inherited: true,
    }];
    view.teamDrivePermissionDetails = [{
      teamDrivePermissionType: "member",
      inheritedFrom: permission.inheritedFrom,
      role: permission.role,
      inherited: true,
    }];
  }
  return view;
}

/** A shared drive; without `full` only the members of a call that names no `fields`. */
export function driveView(drive: StoredSharedDrive, { full }: { full: boolean }): JsonObject {
  const view: JsonObject = { kind: "drive#drive", id: drive.id, name: drive.name };
  if (!full) return view;
  return {
    ...view,
    colorRgb: "#3c4043",
    backgroundImageLink: `https://ssl.gstatic.com/team_drive_themes/generic_background_${
      hash32(drive.id) % 9
    }.jpg`,
    capabilities: Object.fromEntries(
      [
        "canAddChildren",
        "canChangeCopyRequiresWriterPermissionRestriction",
        "canChangeDomainUsersOnlyRestriction",
        "canChangeDriveBackground",
        "canChangeDriveMembersOnlyRestriction",
        "canChangeSharingFoldersRequiresOrganizerPermissionRestriction",
        "canComment",
        "canCopy",
        "canDeleteChildren",
        "canDeleteDrive",
        "canDownload",
        "canEdit",
        "canListChildren",
        "canManageMembers",
        "canReadRevisions",
        "canRename",
        "canRenameDrive",
        "canResetDriveRestrictions",
        "canShare",
        "canTrashChildren",
      ].map((name) => [name, name !== "canDeleteDrive"]),
    ),
    createdTime: stamp(drive.createdAt),
    hidden: false,
    restrictions: {
      copyRequiresWriterPermission: false,
      domainUsersOnly: false,
      driveMembersOnly: false,
      adminManagedRestrictions: false,
      sharingFoldersRequiresOrganizerPermission: false,
    },
  };
}

/** True for files that Drive refuses to send with `alt=media`. */
export function refusesMedia(file: StoredFile): boolean {
  return hasNoBytes(file.mimeType);
}
