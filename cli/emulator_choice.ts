/** Whether and which emulator a command uses (spec 08 §3.1, §8); on the hot path. */

import type { Environment } from "../lib/config/environment.ts";
import { invalidArg } from "./errors.ts";

/** The origin of a served emulator: this machine only. */
export const EMULATOR_ORIGIN = /^http:\/\/(127\.0\.0\.1|localhost):[0-9]{1,5}\/?$/;

/** What a command is told about the emulator. */
export interface EmulatorChoice {
  emulator: boolean;
  /** The running emulator to use, instead of one of this process. */
  emulatorOrigin?: string;
}

/**
 * `--emulator` beats `GUM_EMULATOR`; an origin of either names a running emulator.
 *
 * @param flag Value of the flag when it was typed: `true`, `false` or an origin.
 * @throws CliArgError for a variable that is neither: going on would mean calling Google.
 */
export function emulatorChoice(
  flag: string | undefined,
  environment: Environment,
): EmulatorChoice {
  if (flag === "false") return { emulator: false };
  const variable = environment.text("GUM_EMULATOR");
  const origin = [flag, variable].find((text) => text !== undefined && EMULATOR_ORIGIN.test(text));
  if (origin !== undefined) return { emulator: true, emulatorOrigin: origin.replace(/\/$/, "") };
  if (flag === "true" || variable === "1") return { emulator: true };
  if (variable === undefined || /^(0|false)$/i.test(variable)) return { emulator: false };
  throw invalidArg("GUM_EMULATOR", "expected 1, or the origin that gum emulator serve printed");
}
