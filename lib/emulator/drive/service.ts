/** The emulated Drive put together. */

import type { JsonObject } from "../../json/mod.ts";
import type { EmulatedRoute, EmulatedService, ServiceSeed } from "../service.ts";
import { accountRoutes } from "./account_routes.ts";
import { fileReadRoutes } from "./file_reads.ts";
import { fileView } from "./file_view.ts";
import { fileWriteRoutes } from "./file_writes.ts";
import { NATIVE_TYPES } from "./mime_types.ts";
import type { NativeKind } from "./native_files.ts";
import { permissionRoutes } from "./permission_routes.ts";
import { syncNativeFiles } from "./store.ts";
import { seedDrive } from "./world.ts";

const HOST = "www.googleapis.com";

/** Makes the service over a freshly seeded file tree. */
export function createDrive(seed: ServiceSeed): EmulatedService {
  const store = seedDrive(seed);
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
      handle(call) {
        sync();
        return route.handle(call);
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
