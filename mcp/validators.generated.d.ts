import type { CompiledValidator } from "./validation.ts";
/** Validators by canonical tool name. */
export declare const VALIDATORS: Record<string, CompiledValidator>;
