/** `drive.about.*` and `drive.drives.*` of the emulated Drive. */

import type { JsonObject } from "../../json/mod.ts";
import type { EmulatedRoute } from "../service.ts";
import { bytesOf } from "./content.ts";
import { driveView, userView } from "./file_view.ts";
import { EXPORT_FORMATS, NATIVE_TYPES, OFFICE_TYPES } from "./mime_types.ts";
import type { NativeKind } from "./native_files.ts";
import { integer, invalid, notFound, pageOf, selection } from "./requests.ts";
import { type DriveStore, isTrashed } from "./store.ts";

/** The routes about the account and its shared drives. */
export function accountRoutes(store: DriveStore, host: string): EmulatedRoute[] {
  return [
    {
      methodId: "drive.about.get",
      method: "GET",
      host,
      pattern: "/drive/v3/about",
      handle(call) {
        if (!call.query.get("fields")) {
          throw invalid("The 'fields' parameter is required for this method.", "required");
        }
        return { body: aboutView(store) };
      },
    },
    {
      methodId: "drive.drives.list",
      method: "GET",
      host,
      pattern: "/drive/v3/drives",
      handle(call) {
        const size = integer(call.query, "pageSize", { fallback: 10, min: 1, max: 100 });
        const wanted = /^\s*name\s+contains\s+'((?:[^'\\]|\\.)*)'\s*$/.exec(
          call.query.get("q") ?? "",
        );
        const named = wanted?.[1]?.replace(/\\(.)/g, "$1").toLowerCase();
        const drives = store.drives.filter((drive) =>
          named === undefined || drive.name.toLowerCase().includes(named)
        );
        const page = pageOf(drives, {
          size,
          token: call.query.get("pageToken"),
          scope: `drives ${selection(call.query)}`,
        });
        const body: JsonObject = { kind: "drive#driveList" };
        if (page.nextPageToken !== undefined) body.nextPageToken = page.nextPageToken;
        const full = Boolean(call.query.get("fields"));
        body.drives = page.items.map((drive) => driveView(drive, { full }));
        return { body };
      },
    },
    {
      methodId: "drive.drives.get",
      method: "GET",
      host,
      pattern: "/drive/v3/drives/{driveId}",
      handle(call) {
        const id = call.params.driveId ?? "";
        const drive = store.drives.find((item) => item.id === id);
        if (drive === undefined) throw notFound(`Shared drive not found: ${id}`);
        return { body: driveView(drive, { full: Boolean(call.query.get("fields")) }) };
      },
    },
  ];
}

function aboutView(store: DriveStore): JsonObject {
  let used = 0, trash = 0;
  for (const file of store.files.values()) {
    if (file.owner?.email !== store.account.email) continue;
    const size = bytesOf(file)?.bytes.length ?? 0;
    used += size;
    if (isTrashed(store, file)) trash += size;
  }
  const kinds = Object.keys(NATIVE_TYPES) as NativeKind[];
  return {
    kind: "drive#about",
    user: userView(store, store.account),
    storageQuota: {
      limit: "16106127360",
      usage: String(used + 734_003_200),
      usageInDrive: String(used),
      usageInDriveTrash: String(trash),
    },
    importFormats: Object.fromEntries<string[]>(
      [
        ...kinds.map((kind) => [OFFICE_TYPES[kind], [NATIVE_TYPES[kind]]] as [string, string[]]),
        ["text/csv", [NATIVE_TYPES.spreadsheet]],
        ["text/plain", [NATIVE_TYPES.document]],
        ["text/html", [NATIVE_TYPES.document]],
        ["text/markdown", [NATIVE_TYPES.document]],
        ["application/pdf", [NATIVE_TYPES.document]],
        ["image/png", [NATIVE_TYPES.document]],
        ["application/rtf", [NATIVE_TYPES.document]],
      ],
    ),
    exportFormats: Object.fromEntries(
      kinds.map((kind) => [NATIVE_TYPES[kind], Object.keys(EXPORT_FORMATS[kind])]),
    ),
    maxImportSizes: {
      [NATIVE_TYPES.document]: "10485760",
      [NATIVE_TYPES.spreadsheet]: "104857600",
      [NATIVE_TYPES.presentation]: "104857600",
      "application/vnd.google-apps.drawing": "2097152",
    },
    maxUploadSize: "5242880000000",
    appInstalled: false,
    folderColorPalette: [
      "#ac725e",
      "#d06b64",
      "#f83a22",
      "#fa573c",
      "#ff7537",
      "#ffad46",
      "#42d692",
      "#8f8f8f",
    ],
    driveThemes: ["abacus", "blueprint", "bok_choy", "coffee", "desert"].map((id, index) => ({
      id,
      backgroundImageLink: `https://ssl.gstatic.com/team_drive_themes/${id}_background.jpg`,
      colorRgb: `#${(0x3c4043 + index * 0x0a1b2c).toString(16)}`,
    })),
    teamDriveThemes: [],
    canCreateDrives: true,
    canCreateTeamDrives: true,
  };
}
