/** The real process as a {@link CommandHost}. */

import type { ActivePlugins } from "./active_plugins.ts";
import type { LongTailChoice } from "./long_tail.ts";
import { systemClock } from "../lib/clock/mod.ts";
import { processEnvironment } from "../lib/config/environment.ts";
import { processStreams } from "./streams.ts";
import type { CommandHost, Factories, PermissionKind, PermissionNeeds } from "./types.ts";

/** How long work in flight may take to notice a signal; more than the two seconds MCP drains. */
const WIND_DOWN_MS = 5_000;

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
      const code = name === "SIGINT" ? 130 : 143;
      // The second signal does not wait for anything to wind down.
      if (controller.signal.aborted) Deno.exit(code);
      controller.abort(new Error(name));
      Deno.unrefTimer(setTimeout(() => Deno.exit(code), WIND_DOWN_MS));
    });
  }
  return {
    argv: options.argv,
    ...processStreams(),
    environment: processEnvironment(),
    factories: processFactories(
      options.serveMcp,
      () => choiceOf(options.argv),
      () => pluginsOf(options.argv),
    ),
    signal: controller.signal,
    revoke: revokePermissions,
  };
}

function terminationSignals(): Deno.Signal[] {
  return Deno.build.os === "windows" ? ["SIGINT"] : ["SIGINT", "SIGTERM"];
}

async function choiceOf(argv: readonly string[]): Promise<LongTailChoice> {
  const { longTailChoice } = await import("./long_tail.ts");
  return await longTailChoice(argv, processEnvironment());
}

async function pluginsOf(argv: readonly string[]): Promise<ActivePlugins> {
  const { activePlugins } = await import("./active_plugins.ts");
  return await activePlugins(argv, {
    environment: processEnvironment(),
    now: systemClock.now(),
  });
}

/** The real factories: modules load when they are asked for. */
export function processFactories(
  serveMcp: Factories["serveMcp"],
  longTail: () => Promise<LongTailChoice> = () => Promise.resolve({ exposure: "read" }),
  plugins: () => Promise<ActivePlugins> = () =>
    Promise.resolve({ ops: [], schema: () => undefined }),
): Factories {
  return {
    async catalog() {
      const { createSnapshot, embeddedRequestSchema, loadCatalog, openSessionLongTail } =
        await import("../lib/catalog/mod.ts");
      const { exposure, updates } = await longTail();
      const { ops: pluginOps, schema } = await plugins();
      return createSnapshot(loadCatalog(), {
        requestSchema: (ref) => embeddedRequestSchema(ref) ?? schema(ref),
        pluginOps,
        longTail: openSessionLongTail(exposure, { updates }),
      });
    },
    async search() {
      const { openSearch } = await import("../lib/catalog/search/mod.ts");
      const { ops: pluginOps } = await plugins();
      return await openSearch({ longTail: await longTail(), pluginOps });
    },
    openSession: async (options) =>
      await (await import("../lib/session/mod.ts")).openSession(options),
    serveMcp,
    replayFixtures: async (request) =>
      await (await import("./fixture_replay.ts")).replayFixtures(request),
    readFile: (path) => Deno.readFile(path),
    releases: async () => (await import("../lib/notifier/mod.ts")).ownReleases(),
    clock: systemClock,
  };
}
