/**
 * The expression pipeline: parsed-tree stages, counts, envelope and notice (spec 03). Everything
 * here is pure; stage 1 is the kernel's and stage 9 is `lib/artifact`.
 *
 * @module
 */

import type { Shaper } from "../dispatch/types.ts";
import { expressionOf } from "./expression.ts";
import { isLossy } from "./loss.ts";
import { noticeOf } from "./notice.ts";
import { shapeBody } from "./pipeline.ts";

/** The pipeline as the kernel takes it. */
export const shaper: Shaper = {
  shape: shapeBody,
  expression: expressionOf,
  notice: noticeOf,
  isLossy,
};

export {
  type EncodedText,
  encodeMarked,
  type EncodeOptions,
  type MarkedText,
  type MarkRequest,
} from "./encode.ts";
export { expressionOf } from "./expression.ts";
export { type HoistedExpressions, hoistExpressions } from "./hoist.ts";
export { isLossy } from "./loss.ts";
export { noticeOf } from "./notice.ts";
export { shapeBody } from "./pipeline.ts";
export { bigIntegerPaths, stringifyBigIntegers } from "./tree_paths.ts";
