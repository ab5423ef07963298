/** Refusals of the manifest gates, and where they go. */

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

/** Takes a refusal: throws it, or keeps it and lets the checks go on. */
export type Refusals = (error: GumError) => void;

/** The first refusal ends the checks. */
export function thrown(error: GumError): never {
  throw error;
}

/** Runs one check; what it throws goes where refusals go. Undefined when it refused. */
export function attempt<T>(to: Refusals, check: () => T): T | undefined {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof GumError)) throw error;
    to(error);
    return undefined;
  }
}
