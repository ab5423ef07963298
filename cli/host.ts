/** The real process as a {@link CommandHost}. */

import type { ActivePlugins } from "./active_plugins.ts";
import type { LongTailChoice } from "./long_tail.ts";
import { systemClock } from "../lib/clock/mod.ts";
import { processEnvironment } from "../lib/config/environment.ts";
import { processStreams } from "./streams.ts";
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
  options: { argv: readonly string[] } & Pick<Factories, "serveMcp" | "commandGroup">,
): CommandHost {
  const { argv, serveMcp, commandGroup } = options;
  const environment = processEnvironment();
  let signal: AbortSignal | undefined;
  return {
    argv,
    ...processStreams(),
    environment,
    factories: processFactories({
      serveMcp,
      commandGroup,
      longTail: () => choiceOf(argv),
      plugins: () => pluginsOf(argv),
    }),
    get signal() {
      // Catching signals costs what a tenth of a search does; many commands never look.
      return (signal ??= terminationSignal(async () =>
        await (await import("./wind_down.ts")).windDownMs({ argv, environment })
      ));
    },
    revoke: revokePermissions,
  };
}

/** Aborts with the first signal that asks the process to end, and ends it when time is up. */
function terminationSignal(allowedMs: () => Promise<number>): AbortSignal {
  const controller = new AbortController();
  for (const name of terminationSignals()) {
    Deno.addSignalListener(name, () => {
      const code = name === "SIGINT" ? 130 : 143;
      // The second signal does not wait for anything to wind down.
      if (controller.signal.aborted) Deno.exit(code);
      controller.abort(new Error(name));
      const end = () => Deno.exit(code);
      allowedMs().then((ms) => Deno.unrefTimer(setTimeout(end, ms)), end);
    });
  }
  return controller.signal;
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

/** What an operation id looks like. */
const OP_ID = /^[a-z][A-Za-z0-9_]*\./;

/** The real factories: modules load when they are asked for. */
export function processFactories(
  options: Pick<Factories, "serveMcp" | "commandGroup"> & {
    /** What the profile shows of the long tail; absent: its reads. */
    longTail?: () => Promise<LongTailChoice>;
    /** What the profile's plugins add; absent: nothing. */
    plugins?: () => Promise<ActivePlugins>;
  } = {},
): Factories {
  const {
    longTail = (): Promise<LongTailChoice> => Promise.resolve({ exposure: "read" }),
    plugins = (): Promise<ActivePlugins> => Promise.resolve({ ops: [], schema: () => undefined }),
  } = options;
  return {
    async catalog(words) {
      const { createSnapshot, embeddedRequestSchema, loadCatalog, openShippedSnapshot } =
        await import("../lib/catalog/lookup/mod.ts");
      const { ops: pluginOps, schema } = await plugins();
      const options = {
        requestSchema: (ref: string) => embeddedRequestSchema(ref) ?? schema(ref),
        pluginOps,
      };
      const shipped = openShippedSnapshot(options);
      const hasAll = words?.every((word) =>
        !OP_ID.test(word) || shipped.findOp(word) !== undefined
      );
      if (hasAll) return shipped;
      const { openSessionLongTail } = await import("../lib/catalog/longtail/mod.ts");
      const { exposure, updates } = await longTail();
      return createSnapshot(loadCatalog(), {
        ...options,
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
    serveMcp: options.serveMcp,
    commandGroup: options.commandGroup,
    replayFixtures: async (request) =>
      await (await import("./fixture_replay.ts")).replayFixtures(request),
    readFile: async (path, limit) =>
      await (await import("../lib/files/mod.ts")).readBounded(path, limit),
    releases: async () => (await import("../lib/notifier/mod.ts")).ownReleases(),
    clock: systemClock,
  };
}
