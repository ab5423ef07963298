/**
 * Patterns of resource names: what a reserved placeholder (`v1/{+name}`) may hold, as Discovery
 * says it. Pure, and small enough for commands that must start fast.
 *
 * @module
 */

export {
  fitsPattern,
  hasOpenEnd,
  innerPattern,
  isSafePattern,
  patternForm,
  resourceForm,
  unitedPattern,
  wholePattern,
} from "./pattern.ts";
export { singular } from "./singular.ts";
