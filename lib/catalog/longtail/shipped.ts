/** What the shipped pack says about itself: its lock, and the facts it was built with. */

import { readAssetText } from "../../assets/mod.ts";
import type { BuildContext } from "./build/build.ts";

/** Counts of a build, as the lock states them. */
export type PackCounts = Record<string, number>;

/** The lock of the shipped pack. */
export interface ShippedLock {
  package: string;
  version: string;
  counts: PackCounts;
  documents: Record<string, { revision: string; sha256: string }>;
}

/** Reads the lock. @throws Deno.errors.NotFound in a build without a pack */
export function shippedLock(): ShippedLock {
  return JSON.parse(readAssetText("catalog/longtail/longtail.lock"));
}

/** Reviewed facts for building the services of an update like the shipped ones. */
export function shippedContext(curatedOpIds: Iterable<string>): BuildContext {
  return {
    ...JSON.parse(readAssetText("catalog/longtail/longtail.context")),
    curatedOpIds: new Set(curatedOpIds),
  };
}
