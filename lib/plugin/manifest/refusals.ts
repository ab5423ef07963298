/** Refusals of the manifest gates. */

import { type ErrorCode, GumError } from "../../errors/mod.ts";
import type { JsonObject } from "../../json/mod.ts";

/** A structural fault at a JSON pointer. */
export function invalidManifest(path: string, why: string, cause?: unknown): GumError {
  return new GumError("PLUGIN_MANIFEST_INVALID", {
    message: `plugin manifest${path === "" ? "" : ` ${path}`}: ${why}`,
    details: { path },
    cause,
  });
}

/** A fault with a code of its own. */
export function refused(code: ErrorCode, message: string, details: JsonObject = {}): GumError {
  return new GumError(code, { message: `plugin manifest: ${message}`, details });
}
