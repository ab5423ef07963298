/** `gum gain --fixture-replay` of this build: its own set, its own kernel. */

import { assetUrl } from "../lib/assets/mod.ts";
import {
  createSnapshot,
  embeddedCatalogSha256,
  embeddedRequestSchema,
  loadCatalog,
} from "../lib/catalog/mod.ts";
import { createKernel } from "../lib/dispatch/mod.ts";
import type { GainResult } from "../lib/gain/mod.ts";
import { replayFixtureSet, type ReplayFormat } from "../lib/gain/replay/mod.ts";

/** Replays the set of `directory`, or the one that ships with this build. Reads files only. */
export async function replayFixtures(request: {
  format: ReplayFormat | undefined;
  directory: string | undefined;
}): Promise<GainResult> {
  return await replayFixtureSet({
    createKernel,
    catalog: createSnapshot(loadCatalog(), { requestSchema: embeddedRequestSchema }),
    catalogSha256: embeddedCatalogSha256(),
    directory: request.directory ?? filePath(assetUrl("testdata/release_fixtures")),
    format: request.format ?? "toon",
  });
}

function filePath(url: URL): string {
  const path = decodeURIComponent(url.pathname);
  return Deno.build.os === "windows" ? path.replace(/^\/(?=[A-Za-z]:)/, "") : path;
}
