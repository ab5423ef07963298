/** The committed validators with their type; written by `generate_validators.ts`. */

import type { CompiledValidator } from "./validation.ts";
// @ts-types="./validators.generated.d.ts"
import { VALIDATORS as generated } from "./validators.generated.js";

/** Validators by canonical tool name. */
export const VALIDATORS: Readonly<Record<string, CompiledValidator>> = generated;
