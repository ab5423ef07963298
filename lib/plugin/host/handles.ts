/** One live process per plugin: shared starts, dead ones dropped, idle ones stopped (spec 06 §3.16). */

import type { Clock } from "../../clock/mod.ts";
import type { Logger } from "../../log/mod.ts";
import type { RunningPlugin } from "./types.ts";

/** This many unexpected exits … */
const STORM_EXITS = 3;
/** … within this time count as one crash. */
const STORM_MS = 5 * 60_000;
/** A forwarded token with less than this to live is exchanged before a call. */
const TOKEN_MARGIN_MS = 5 * 60_000;

/** What handles are made from. */
export interface HandleOptions {
  /** Starts a plugin; a supervisor, where quarantine is to be respected. */
  start: (pluginId: string, signal: AbortSignal) => Promise<RunningPlugin>;
  /** Told when a plugin keeps dying after good starts. */
  onStorm?: (pluginId: string) => Promise<void>;
  /** Milliseconds without a call after which a process is stopped; absent: never. */
  idleMs?: number;
  clock: Clock;
  log: Logger;
}

/** The live processes of one GUM process. */
export interface PluginHandles {
  /**
   * Runs `work` with a live plugin, starting it when needed. Callers who come at the same time
   * share one start; it is given up when all of them gave up.
   */
  use<T>(
    pluginId: string,
    work: (plugin: RunningPlugin) => Promise<T>,
    options: { signal: AbortSignal },
  ): Promise<T>;
  /** The live handle; undefined when none is cached, dead ones included. */
  peek(pluginId: string): RunningPlugin | undefined;
  /** Stops one plugin, e.g. because its registry row changed. */
  stop(pluginId: string): Promise<void>;
  /** Stops everything; later uses are refused. */
  close(): Promise<void>;
}

interface Handle {
  plugin: RunningPlugin;
  inUse: number;
  /** Ends the wait for idleness. */
  idle?: AbortController;
}

interface Start {
  plugin: Promise<Handle>;
  controller: AbortController;
  waiting: number;
}

/** Makes an empty set of handles. */
export function createPluginHandles(options: HandleOptions): PluginHandles {
  const { clock, log } = options;
  const handles = new Map<string, Handle>();
  const starts = new Map<string, Start>();
  const exits = new Map<string, number[]>();
  const endings = new Set<Promise<void>>();
  let closed = false;

  const inBackground = (work: Promise<void>, what: string) => {
    const ending = work.catch((error) => {
      log.log("warn", what, { error: error instanceof Error ? error.message : String(error) });
    }).then(() => void endings.delete(ending));
    endings.add(ending);
  };

  const discard = (handle: Handle) => {
    const { pluginId } = handle.plugin;
    if (handles.get(pluginId) === handle) handles.delete(pluginId);
    handle.idle?.abort();
    inBackground(handle.plugin.stop(), "a plugin could not be stopped");
  };

  const watch = async (plugin: RunningPlugin): Promise<void> => {
    const { expected } = await plugin.exited;
    if (expected) return;
    const now = clock.now();
    const recent = [...exits.get(plugin.pluginId) ?? [], now].filter((at) => now - at < STORM_MS);
    exits.set(plugin.pluginId, recent);
    log.log("warn", "a plugin ended by itself", { plugin: plugin.pluginId, exits: recent.length });
    if (recent.length < STORM_EXITS) return;
    exits.delete(plugin.pluginId);
    await options.onStorm?.(plugin.pluginId);
  };

  const startNow = async (pluginId: string, signal: AbortSignal): Promise<Handle> => {
    const plugin = await options.start(pluginId, signal);
    const handle: Handle = { plugin, inUse: 0 };
    handles.set(pluginId, handle);
    // Whoever asked for it may have given up in the meantime.
    waitForIdleness(handle);
    inBackground(watch(plugin), "a plugin's crash could not be recorded");
    return handle;
  };

  const shared = (pluginId: string): Start => {
    const known = starts.get(pluginId);
    if (known !== undefined && !known.controller.signal.aborted) return known;
    const controller = new AbortController();
    const plugin = startNow(pluginId, controller.signal).finally(() => {
      if (starts.get(pluginId) === start) starts.delete(pluginId);
    });
    // Whoever waits sees the failure; with nobody waiting it is not news.
    plugin.catch(() => {});
    const start: Start = { plugin, controller, waiting: 0 };
    starts.set(pluginId, start);
    return start;
  };

  const started = async (pluginId: string, signal: AbortSignal): Promise<Handle> => {
    const start = shared(pluginId);
    start.waiting++;
    try {
      return await abortable(start.plugin, signal);
    } finally {
      start.waiting--;
      if (start.waiting === 0 && signal.aborted) start.controller.abort(signal.reason);
    }
  };

  // A handle that is given out counts as used from that moment, or idleness could end it first.
  const acquired = (handle: Handle): Handle => {
    handle.idle?.abort();
    handle.inUse++;
    return handle;
  };

  const acquire = async (pluginId: string, signal: AbortSignal): Promise<Handle> => {
    if (closed) throw new Error("plugins are not started while GUM is closing");
    const known = handles.get(pluginId);
    if (known !== undefined) {
      if (known.plugin.alive && !tokenExpiring(known)) return acquired(known);
      // Dropped before a replacement is tried, so that a failed start leaves nothing behind.
      discard(known);
    }
    return acquired(await started(pluginId, signal));
  };

  const tokenExpiring = ({ plugin, inUse }: Handle): boolean =>
    inUse === 0 && plugin.tokenExpiresAt !== undefined &&
    plugin.tokenExpiresAt - clock.now() < TOKEN_MARGIN_MS;

  const waitForIdleness = (handle: Handle) => {
    if (options.idleMs === undefined || closed || handle.inUse > 0) return;
    const idle = new AbortController();
    handle.idle = idle;
    inBackground(
      clock.sleep(options.idleMs, idle.signal).then(() => {
        if (!idle.signal.aborted && handle.inUse === 0) discard(handle);
      }, () => {}),
      "an idle plugin could not be stopped",
    );
  };

  return {
    async use(pluginId, work, { signal }) {
      signal.throwIfAborted();
      const handle = await acquire(pluginId, signal);
      try {
        return await work(handle.plugin);
      } finally {
        handle.inUse--;
        waitForIdleness(handle);
      }
    },
    peek: (pluginId) => handles.get(pluginId)?.plugin,
    async stop(pluginId) {
      const handle = handles.get(pluginId);
      if (handle === undefined) return;
      discard(handle);
      await handle.plugin.stop();
    },
    async close() {
      closed = true;
      for (const { controller } of starts.values()) {
        controller.abort(new DOMException("GUM is closing", "AbortError"));
      }
      await Promise.allSettled([...starts.values()].map(({ plugin }) => plugin));
      for (const handle of [...handles.values()]) discard(handle);
      while (endings.size > 0) await Promise.all(endings);
    },
  };
}

/** The promise's outcome, or the signal's reason as soon as it aborts. */
function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
