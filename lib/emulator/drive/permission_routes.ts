/** `drive.permissions.*` of the emulated Drive. */

import type { JsonObject } from "../../json/mod.ts";
import { routesOf } from "../routes.ts";
import {
  type EmulatedAnswer,
  type EmulatedCall,
  EmulatedError,
  type EmulatedRoute,
} from "../service.ts";
import { permissionView } from "./file_view.ts";
import {
  bodyObject,
  booleanMember,
  flag,
  integer,
  invalid,
  notFound,
  pageOf,
  parseInstant,
  textMember,
} from "./requests.ts";
import {
  atLeast,
  type DriveStore,
  insufficient,
  permissionIdOf,
  type Role,
  roleOf,
  ROLES,
  type StoredFile,
  type StoredPermission,
  visibleFile,
} from "./store.ts";

/** The permission routes. */
export function permissionRoutes(store: DriveStore, host: string): EmulatedRoute[] {
  const collection = "/drive/v3/files/{fileId}/permissions";
  const route = routesOf({ host, ids: "drive.permissions" });
  const item = `${collection}/{permissionId}`;
  return [
    route({ id: "list", method: "GET", pattern: collection }, (call) => {
      const file = sharedFile(store, call);
      const size = integer(call.query, "pageSize", {
        fallback: file.driveId === undefined ? Math.max(1, file.permissions.length) : 100,
        min: 1,
        max: 100,
      });
      const page = pageOf(file.permissions, {
        size,
        token: call.query.get("pageToken"),
        scope: `permissions ${file.id}`,
      });
      const body: JsonObject = { kind: "drive#permissionList" };
      if (page.nextPageToken !== undefined) body.nextPageToken = page.nextPageToken;
      body.permissions = page.items.map((permission) => viewFor(permission, call));
      return { body };
    }),
    route(
      { id: "create", method: "POST", pattern: collection },
      (call) => createPermission(store, call),
    ),
    route({ id: "get", method: "GET", pattern: item }, (call) => {
      const file = sharedFile(store, call);
      return { body: viewFor(permissionOf(file, call), call) };
    }),
    route(
      { id: "update", method: "PATCH", pattern: item },
      (call) => updatePermission(store, call),
    ),
    route({ id: "delete", method: "DELETE", pattern: item }, (call) => {
      const file = visibleFile(store, call);
      const permission = permissionOf(file, call);
      const leaving = permission.email === store.account.email;
      if (permission.role === "owner" || (!leaving && !maySharing(store, file))) {
        throw insufficient(file.id);
      }
      if (permission.inheritedFrom !== undefined) {
        throw new EmulatedError(403, "Cannot delete inherited permissions.", {
          reason: "cannotDeletePermission",
          status: "PERMISSION_DENIED",
        });
      }
      file.permissions.splice(file.permissions.indexOf(permission), 1);
      file.version += 1;
      return { status: 204 };
    }),
  ];
}

function viewFor(permission: StoredPermission, call: EmulatedCall): JsonObject {
  return permissionView(permission, { full: Boolean(call.query.get("fields")) });
}

/** A file whose sharing the account may see. */
function sharedFile(store: DriveStore, call: EmulatedCall): StoredFile {
  const file = visibleFile(store, call);
  if (!atLeast(roleOf(store, file), "writer")) throw insufficient(file.id);
  return file;
}

function maySharing(store: DriveStore, file: StoredFile): boolean {
  const role = roleOf(store, file);
  return role === "owner" || (file.driveId !== undefined && atLeast(role, "fileOrganizer")) ||
    (file.writersCanShare && atLeast(role, "writer"));
}

function permissionOf(file: StoredFile, call: EmulatedCall): StoredPermission {
  const id = call.params.permissionId ?? "";
  const permission = file.permissions.find((item) => item.id === id);
  if (permission === undefined) throw notFound(`Permission not found: ${id}.`);
  return permission;
}

function roleMember(body: JsonObject): Role {
  const role = textMember(body, "role");
  const known = ROLES.find((item) => item === role);
  if (known === undefined) {
    if (role === undefined) throw invalid("The permission role field is required.", "required");
    throw invalid(`The specified role is invalid or not supported: ${role}`);
  }
  return known;
}

function createPermission(store: DriveStore, call: EmulatedCall): EmulatedAnswer {
  const file = visibleFile(store, call);
  if (!maySharing(store, file)) throw insufficient(file.id);
  const body = bodyObject(call);
  const role = roleMember(body);
  const type = textMember(body, "type");
  if (type === undefined) throw invalid("The permission type field is required.", "required");
  if (type !== "user" && type !== "group" && type !== "domain" && type !== "anyone") {
    throw invalid("The permission type is invalid or not supported.");
  }
  const permission = describedPermission(store, { type, role, body });
  const drivesOnly = role === "organizer" || role === "fileOrganizer";
  if (drivesOnly && file.driveId === undefined) {
    throw invalid(`The role ${role} is only valid for shared drives.`);
  }
  if (role === "owner") {
    transferTo(store, { file, permission, call });
  }
  const known = file.permissions.find((item) => item.id === permission.id);
  if (known !== undefined) Object.assign(known, permission);
  else file.permissions.push(permission);
  file.version += 1;
  return { body: viewFor(known ?? permission, call) };
}

function describedPermission(
  store: DriveStore,
  { type, role, body }: { type: StoredPermission["type"]; role: Role; body: JsonObject },
): StoredPermission {
  const expiration = textMember(body, "expirationTime");
  const permission: StoredPermission = { id: "", type, role };
  if (expiration !== undefined) permission.expiresAt = parseInstant(expiration, "expirationTime");
  switch (type) {
    case "anyone":
      permission.id = booleanMember(body, "allowFileDiscovery") ? "anyone" : "anyoneWithLink";
      permission.allowFileDiscovery = booleanMember(body, "allowFileDiscovery") ?? false;
      break;
    case "domain": {
      const domain = textMember(body, "domain");
      if (domain === undefined || !domain.includes(".")) {
        throw invalid("The domain field is required for permissions of type domain.", "required");
      }
      permission.id = `${permissionIdOf(domain).slice(0, 14)}k`;
      permission.domain = domain;
      permission.displayName = domain;
      permission.allowFileDiscovery = booleanMember(body, "allowFileDiscovery") ?? false;
      break;
    }
    default: {
      const email = textMember(body, "emailAddress");
      if (email === undefined) {
        throw invalid(
          "The emailAddress field is required for permissions of type user or group.",
          "required",
        );
      }
      if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) {
        throw invalid(
          "The specified emailAddress is invalid or not applicable for the given permission type.",
          "invalidSharingRequest",
        );
      }
      permission.id = permissionIdOf(email);
      permission.email = email;
      permission.displayName = store.people.find((person) => person.email === email)?.displayName ??
        email.split("@")[0] as string;
    }
  }
  if (type !== "user" && role === "owner") throw invalid("Only a user can be an owner.");
  return permission;
}

function transferTo(
  store: DriveStore,
  { file, permission, call }: {
    file: StoredFile;
    permission: StoredPermission;
    call: EmulatedCall;
  },
): void {
  if (!flag(call.query, "transferOwnership")) {
    throw new EmulatedError(
      403,
      "The transferOwnership parameter must be enabled when the permission role is 'owner'.",
      { reason: "forbidden", status: "PERMISSION_DENIED" },
    );
  }
  if (roleOf(store, file) !== "owner" || permission.email === undefined) {
    throw insufficient(file.id);
  }
  for (const item of file.permissions) if (item.role === "owner") item.role = "writer";
  file.owner = { email: permission.email, displayName: permission.displayName ?? permission.email };
}

function updatePermission(store: DriveStore, call: EmulatedCall): EmulatedAnswer {
  const file = visibleFile(store, call);
  if (!maySharing(store, file)) throw insufficient(file.id);
  const permission = permissionOf(file, call);
  const body = bodyObject(call);
  for (const name of ["type", "emailAddress", "id"]) {
    if (body[name] !== undefined && name !== "id") {
      throw new EmulatedError(
        403,
        "The resource body includes fields which are not directly writable.",
        {
          reason: "fieldNotWritable",
          status: "PERMISSION_DENIED",
        },
      );
    }
  }
  const expiration = textMember(body, "expirationTime");
  if (expiration === undefined || body.role !== undefined) {
    const role = roleMember(body);
    if (permission.role === "owner" && role !== "owner") throw insufficient(file.id);
    if (role === "owner" && permission.role !== "owner") {
      transferTo(store, { file, permission, call });
    }
    permission.role = role;
  }
  if (expiration !== undefined) permission.expiresAt = parseInstant(expiration, "expirationTime");
  if (flag(call.query, "removeExpiration")) delete permission.expiresAt;
  file.version += 1;
  return { body: viewFor(permission, call) };
}
