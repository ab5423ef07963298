/**
 * The savings claim, measured: recorded calls run through the real kernel, both sides counted, every
 * figure compared with what is expected (spec 07 §3.15, §3.16). Nothing is written and nothing is
 * sent. The compact TOON form of a body alone is a separate baseline, not bytes that GUM emits.
 *
 * ```ts ignore
 * const { savings_pct } = await replayFixtureSet({ directory, format: "toon", ...parts });
 * ```
 *
 * @module
 */
export {
  createFixtureKernel,
  type FixtureKernel,
  type ReplayedCall,
  type ReplayParts,
  textOf,
} from "./fixture_kernel.ts";
export {
  asSent,
  loadFixtureSet,
  type LoadOptions,
  loadRecordedSet,
  schemaDrift,
} from "./fixture_set.ts";
export {
  batchIdOf,
  elementsText,
  type MeasuredFixture,
  type MeasuredRow,
  rememberingCounter,
} from "./measure.ts";
export {
  baselineOf,
  measureCalls,
  measureSet,
  replayFixtureSet,
  type ReplayOptions,
  tokensOf,
} from "./replay.ts";
export type * from "./types.ts";
