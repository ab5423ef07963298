/** The emulated Drive put together. */

import type { JsonObject } from "../../json/mod.ts";
import type { EmulatedCall, EmulatedRoute, EmulatedService, ServiceSeed } from "../service.ts";
import { accountRoutes } from "./account_routes.ts";
import { fileReadRoutes } from "./file_reads.ts";
import { fileView } from "./file_view.ts";
import { fileWriteRoutes } from "./file_writes.ts";
import { NATIVE_TYPES } from "./mime_types.ts";
import { nativeFilesOf, type NativeKind } from "./native_files.ts";
import { permissionRoutes } from "./permission_routes.ts";
import { syncNativeFiles } from "./store.ts";
import { seedDrive } from "./world.ts";

const HOST = "www.googleapis.com";

/** Makes the service over a freshly seeded file tree. */
export function createDrive(seed: ServiceSeed): EmulatedService {
  const shared: ServiceSeed = { ...seed, world: seed.world ?? {} };
  const store = seedDrive(shared);
  const sync = () => syncNativeFiles(store, (kind) => NATIVE_TYPES[kind as NativeKind]);
  const routes: EmulatedRoute[] = [
    ...accountRoutes(store, HOST),
    ...fileReadRoutes(store, HOST),
    ...fileWriteRoutes(store, HOST),
    ...permissionRoutes(store, HOST),
  ];
  return {
    name: "drive",
    routes: routes.map((route) => ({
      ...route,
      async handle(call) {
        sync();
        if (needsContents(route, call)) await loadEditors(shared);
        return await route.handle(call);
      },
    })),
    inspect(): JsonObject {
      sync();
      return {
        rootId: store.rootId,
        files: [...store.files.values()].map((file) => fileView(store, file)),
        drives: store.drives.map((drive) => ({ id: drive.id, name: drive.name })),
      };
    },
  };
}

/** Export and full-text search look into native files; everything else does not. */
function needsContents(route: EmulatedRoute, call: EmulatedCall): boolean {
  return route.methodId === "drive.files.export" ||
    (route.methodId === "drive.files.list" && (call.query.get("q") ?? "").includes("fullText"));
}

/** Makes the editors that nobody has asked for yet, so that their files can be read. */
async function loadEditors(seed: ServiceSeed): Promise<void> {
  const { exporters } = nativeFilesOf(seed);
  if (!exporters.has("document")) (await import("../docs/mod.ts")).createDocs(seed);
  if (!exporters.has("spreadsheet")) (await import("../sheets/mod.ts")).createSheets(seed);
  if (!exporters.has("presentation")) (await import("../slides/mod.ts")).createSlides(seed);
}
