/** The pack as sessions and commands use it: a damaged one costs the long tail, nothing else. */

import { findGumError } from "../../errors/mod.ts";
import { defaultLogger, type Logger } from "../../log/mod.ts";
import { embeddedSource } from "./files.ts";
import { type LongTailPack, openLongTail } from "./pack.ts";
import type { LongTailExposure, PackSource } from "./types.ts";

/** Options of {@link openSessionLongTail}. */
export interface SessionLongTailOptions {
  /** Default: the shipped pack. */
  source?: PackSource;
  logger?: Logger;
}

/**
 * Opens the shipped pack for an exposure; undefined for `off`. When the pack turns out to be
 * unusable, nothing is found in it and one warning is logged.
 */
export function openSessionLongTail(
  exposure: LongTailExposure,
  options: SessionLongTailOptions = {},
): LongTailPack | undefined {
  if (exposure === "off") return undefined;
  const pack = openLongTail(options.source ?? embeddedSource(), { exposure });
  let usable = true;
  function guarded<T>(look: () => T, otherwise: T): T {
    if (!usable) return otherwise;
    try {
      return look();
    } catch (error) {
      if (!isUnusable(error)) throw error;
      usable = false;
      (options.logger ?? defaultLogger()).log("warn", "the long tail cannot be read", {
        reason: error instanceof Error ? error.message : String(error),
      });
      return otherwise;
    }
  }
  return {
    findOp: (opId) => guarded(() => pack.findOp(opId), undefined),
    findVariant: (variantId) => guarded(() => pack.findVariant(variantId), undefined),
    requestSchema: (ref) => guarded(() => pack.requestSchema(ref), undefined),
    isHidden: (opId) => guarded(() => pack.isHidden(opId), false),
    services: () => guarded(() => pack.services(), []),
    operationIds: (service) => guarded(() => pack.operationIds(service), []),
  };
}

function isUnusable(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof RangeError ||
    error instanceof SyntaxError ||
    findGumError(error)?.code === "CATALOG_SCHEMA_UNSUPPORTED";
}
