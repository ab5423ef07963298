/** The pack as sessions and commands use it: a damaged one costs the long tail, nothing else. */

import { findGumError } from "../../errors/mod.ts";
import { defaultLogger, type Logger } from "../../log/mod.ts";
import { embeddedSource } from "./files.ts";
import { updatedSource } from "./installed.ts";
import { layeredPack } from "./layers.ts";
import { type LongTailPack, openLongTail } from "./pack.ts";
import type { LongTailExposure, PackSource } from "./types.ts";

/** Options of {@link openSessionLongTail}. */
export interface SessionLongTailOptions {
  /** Default: the shipped pack. */
  source?: PackSource;
  /** Folder of updates, `<data>/gum/<profile>/longtail`; absent: none are looked for. */
  updates?: string;
  logger?: Logger;
}

/**
 * Opens the long tail for an exposure; undefined for `off`. Nothing is read before the first
 * lookup. A layer that turns out to be unusable is empty from then on, with one warning.
 */
export function openSessionLongTail(
  exposure: LongTailExposure,
  options: SessionLongTailOptions = {},
): LongTailPack | undefined {
  if (exposure === "off") return undefined;
  const logger = options.logger ?? defaultLogger();
  let opened: LongTailPack | undefined;
  const pack = (): LongTailPack => {
    if (opened !== undefined) return opened;
    const update = updatedSource(options.updates);
    const sources = [...update === undefined ? [] : [update], options.source ?? embeddedSource()];
    const layers = sources.map((source) => guarded(openLongTail(source, { exposure }), logger));
    opened = layeredPack(layers);
    return opened;
  };
  return {
    findOp: (opId) => pack().findOp(opId),
    findVariant: (variantId) => pack().findVariant(variantId),
    requestSchema: (ref) => pack().requestSchema(ref),
    isHidden: (opId) => pack().isHidden(opId),
    services: () => pack().services(),
    operationIds: (service) => pack().operationIds(service),
    everyOp: (service) => pack().everyOp(service),
  };
}

function guarded(pack: LongTailPack, logger: Logger): LongTailPack {
  let usable = true;
  function look<T>(lookUp: () => T, otherwise: T): T {
    if (!usable) return otherwise;
    try {
      return lookUp();
    } catch (error) {
      if (!isUnusable(error)) throw error;
      usable = false;
      logger.log("warn", "the long tail cannot be read", {
        reason: error instanceof Error ? error.message : String(error),
      });
      return otherwise;
    }
  }
  return {
    findOp: (opId) => look(() => pack.findOp(opId), undefined),
    findVariant: (variantId) => look(() => pack.findVariant(variantId), undefined),
    requestSchema: (ref) => look(() => pack.requestSchema(ref), undefined),
    isHidden: (opId) => look(() => pack.isHidden(opId), false),
    services: () => look(() => pack.services(), []),
    operationIds: (service) => look(() => pack.operationIds(service), []),
    everyOp: (service) => look(() => pack.everyOp(service), []),
  };
}

function isUnusable(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof RangeError ||
    error instanceof SyntaxError ||
    findGumError(error)?.code === "CATALOG_SCHEMA_UNSUPPORTED";
}
