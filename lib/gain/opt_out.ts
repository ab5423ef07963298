/** Whether calls are accounted at all (spec 07 §3.11). */

import { GumError } from "../errors/mod.ts";

/** The switch of one profile, and who turned it. */
export type GainSwitch = { on: true } | { on: false; source: "env" | "config" };

/** What decides. */
export interface GainSwitchSources {
  /** `GUM_GAIN_DISABLED` is exactly `1`. */
  disabledByEnvironment: boolean;
  /** `gain.enabled` as found in configuration; anything that is not clearly false leaves it on. */
  configured?: unknown;
}

/** The variable wins over configuration; a missing or unreadable value leaves accounting on. */
export function gainSwitch(sources: GainSwitchSources): GainSwitch {
  if (sources.disabledByEnvironment) return { on: false, source: "env" };
  return isFalse(sources.configured) ? { on: false, source: "config" } : { on: true };
}

function isFalse(value: unknown): boolean {
  if (typeof value === "string") return /^\s*(false|0|f)\s*$/i.test(value);
  return value === false;
}

/** What reports answer while accounting is off. */
export function gainDisabled(source: "env" | "config"): GumError {
  return new GumError("GAIN_DISABLED", {
    message: `token accounting is off for this profile (${source})`,
    suggestion: source === "env"
      ? "Unset GUM_GAIN_DISABLED."
      : "Switch it on with `gum config set gain.enabled=true`.",
    details: { source },
  });
}
