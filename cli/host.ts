/** The real process as a {@link CommandHost}. */

import { systemClock } from "../lib/clock/mod.ts";
import { processEnvironment } from "../lib/config/environment.ts";
import { fileInput, fileOutput } from "./streams.ts";
import type { CommandHost, Factories, PermissionKind, PermissionNeeds } from "./types.ts";

const KINDS: readonly PermissionKind[] = ["read", "write", "net", "run", "env", "sys"];

/** Gives up every permission kind that is not kept; `ffi` and `import` always go. */
export function revokePermissions(kept: PermissionNeeds): void {
  for (const name of KINDS) if (!kept.includes(name)) Deno.permissions.revokeSync({ name });
  Deno.permissions.revokeSync({ name: "ffi" });
  Deno.permissions.revokeSync({ name: "import" });
}

/** The host of this process. */
export function processHost(
  options: { argv: readonly string[]; serveMcp: Factories["serveMcp"] },
): CommandHost {
  const controller = new AbortController();
  for (const name of terminationSignals()) {
    Deno.addSignalListener(name, () => {
      // The second signal does not wait for anything to wind down.
      if (controller.signal.aborted) Deno.exit(name === "SIGINT" ? 130 : 143);
      controller.abort(new Error(name));
    });
  }
  return {
    argv: options.argv,
    stdin: fileInput(Deno.stdin),
    stdout: fileOutput(Deno.stdout),
    stderr: fileOutput(Deno.stderr),
    environment: processEnvironment(),
    isTerminal: (stream) => Deno[stream].isTerminal(),
    factories: processFactories(options.serveMcp),
    signal: controller.signal,
    revoke: revokePermissions,
  };
}

function terminationSignals(): Deno.Signal[] {
  return Deno.build.os === "windows" ? ["SIGINT"] : ["SIGINT", "SIGTERM"];
}

function processFactories(serveMcp: Factories["serveMcp"]): Factories {
  return {
    async catalog() {
      const { createSnapshot, embeddedRequestSchema, loadCatalog } = await import(
        "../lib/catalog/mod.ts"
      );
      return createSnapshot(loadCatalog(), { requestSchema: embeddedRequestSchema });
    },
    search: async () => await (await import("../lib/catalog/search/mod.ts")).openSearch(),
    openSession: async (options) =>
      await (await import("../lib/session/mod.ts")).openSession(options),
    serveMcp,
    readFile: (path) => Deno.readFile(path),
    clock: systemClock,
  };
}
