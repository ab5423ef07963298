/** What a gate judges: the parsed call and the variant that would run. */

import type { Variant } from "../../catalog/types.ts";
import type { ParsedCall } from "../stages.ts";

/** A parsed call whose selection succeeded. */
export type JudgedCall = ParsedCall & { variant: Variant };
