/**
 * A stateful Google on loopback: the embedded default of `--emulator`, and the peer of every wire
 * test (spec 00 §7, §10).
 *
 * ```ts
 * const emulator = await startEmulator({ seed: 1 });
 * const url = emulator.rewrite(new URL("https://gmail.googleapis.com/gmail/v1/users/me/labels"));
 * await fetch(url, { headers: { authorization: `Bearer ${emulator.credentials.bearer}` } });
 * await emulator.close();
 * ```
 *
 * @module
 */

export { attachEmulator } from "./attach.ts";
export { startEmulator } from "./emulator.ts";
export { WORLD_INSTANT, worldClock } from "./world.ts";
export { googleAdsFailure, googleErrorBody } from "./error_body.ts";
export { EMULATED_LIST_KEY, EMULATED_LIST_URL } from "./directory.ts";
export type { IdentitySwitches } from "./identity.ts";
export type { EmulatedOperation } from "./operations.ts";
export type {
  Emulator,
  EmulatorConnection,
  EmulatorOptions,
  ErrorForm,
  Fault,
  FaultEffect,
  FaultHandle,
  IdentityControl,
  JournalEntry,
} from "./types.ts";
