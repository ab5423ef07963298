/** Canaries that run by themselves inside `gum mcp`, one at a time (spec 06 §3.18). */

import { type Clock, rfc3339 } from "../../clock/mod.ts";
import type { Logger } from "../../log/mod.ts";
import type { CanaryResult } from "../status/mod.ts";
import type { CanaryOutcome } from "../types.ts";

const FIRST_RUN_MS = 60_000;
const SHORTEST_MS = 15 * 60_000;
const DEFAULT_MS = 6 * 3_600_000;
const JITTER = 0.1;

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The interval of a schedule such as `6h`, never shorter than a quarter of an hour. */
export function scheduleMs(schedule: string | undefined): number {
  const match = /^([0-9]{1,3})([mhd])$/.exec(schedule ?? "");
  if (match === null) return DEFAULT_MS;
  return Math.max(SHORTEST_MS, Number(match[1]) * (UNIT_MS[match[2] ?? ""] ?? 0));
}

/** A plugin to look after. */
export interface WatchedPlugin {
  pluginId: string;
  schedule?: string;
}

/** What the runner is made from. */
export interface PassiveRunnerOptions {
  /** The active plugins, asked before every round. */
  plugins: () => Promise<readonly WatchedPlugin[]> | readonly WatchedPlugin[];
  run: (pluginId: string, signal: AbortSignal) => Promise<CanaryOutcome>;
  clock: Clock;
  log: Logger;
  /** 0 to 1; default the machine's randomness. */
  random?: () => number;
}

/** A running runner. */
export interface PassiveRunner {
  /** What the last run of a plugin found; undefined before the first. */
  result(pluginId: string): CanaryResult | undefined;
  /** For `gum://status/health`. */
  health(): { status: "healthy" | "degraded"; detail: string };
  /** Ends the rounds and waits for the one under way. */
  stop(): Promise<void>;
}

interface Due {
  at: number;
  everyMs: number;
}

/** Starts the rounds. The first run is no earlier than a minute from now. */
export function startPassiveRunner(options: PassiveRunnerOptions): PassiveRunner {
  const { clock, log } = options;
  const random = options.random ?? Math.random;
  const stopping = new AbortController();
  const results = new Map<string, CanaryResult>();
  const due = new Map<string, Due>();
  const startedAt = clock.now();
  let broken = false;

  const jittered = (ms: number) => ms * (1 + random() * JITTER);
  const runOne = async (pluginId: string): Promise<void> => {
    const outcome = await options.run(pluginId, stopping.signal);
    results.set(pluginId, resultOf(outcome, clock.now()));
  };
  const round = async (): Promise<number> => {
    const watched = await options.plugins();
    const known = new Set(watched.map(({ pluginId }) => pluginId));
    for (const gone of [...due.keys()].filter((id) => !known.has(id))) {
      due.delete(gone);
      results.delete(gone);
    }
    for (const { pluginId, schedule } of watched) {
      const everyMs = scheduleMs(schedule);
      const entry = due.get(pluginId) ?? {
        at: Math.max(startedAt + FIRST_RUN_MS, clock.now()),
        everyMs,
      };
      due.set(pluginId, { ...entry, everyMs });
    }
    for (const [pluginId, entry] of due) {
      if (stopping.signal.aborted || entry.at > clock.now()) continue;
      await runOne(pluginId);
      due.set(pluginId, { ...entry, at: clock.now() + jittered(entry.everyMs) });
    }
    const next = Math.min(...[...due.values()].map(({ at }) => at), clock.now() + FIRST_RUN_MS);
    return Math.max(1_000, next - clock.now());
  };
  const rounds = (async () => {
    let waitMs = FIRST_RUN_MS;
    while (!stopping.signal.aborted) {
      try {
        await clock.sleep(waitMs, stopping.signal);
        waitMs = await round();
      } catch (error) {
        if (stopping.signal.aborted) return;
        log.log("warn", "the passive canaries were interrupted", {
          error: error instanceof Error ? error.message : String(error),
        });
        waitMs = FIRST_RUN_MS;
      }
    }
  })().catch(() => {
    // Every round reports its own failure; what gets here is told by the health document.
    broken = true;
  });
  return {
    result: (pluginId) => results.get(pluginId),
    health() {
      const failing = [...results].filter(([, { status }]) => status === "failing");
      if (broken) return { status: "degraded", detail: "the canary runner stopped" };
      return failing.length === 0
        ? { status: "healthy", detail: `${results.size} plugin canaries passing` }
        : { status: "degraded", detail: `failing: ${failing.map(([id]) => id).join(", ")}` };
    },
    async stop() {
      stopping.abort(new DOMException("GUM is closing", "AbortError"));
      await rounds;
    },
  };
}

function resultOf(outcome: CanaryOutcome, now: number): CanaryResult {
  return outcome.ok
    ? { status: "passing", last_run_at: rfc3339(now), latency_ms: outcome.latency_ms }
    : {
      status: "failing",
      last_run_at: rfc3339(now),
      error_code: outcome.error_code,
    };
}
