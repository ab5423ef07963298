/** Shapes that cross the kernel's border (spec 02 §2). Other folders import these types only. */

export type { RiskClass } from "../catalog/types.ts";
export type * from "./types/invocation.ts";
export type * from "./types/execution.ts";
export type * from "./types/shaping.ts";
export type * from "./types/services.ts";
export type * from "./types/response.ts";
export type * from "./types/kernel.ts";
