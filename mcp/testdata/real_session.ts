/** Test only: what the shipped catalog looks like to the surface. */

import {
  createSnapshot,
  embeddedCatalogBytes,
  embeddedRequestSchema,
  loadCatalog,
  openSearch,
} from "../../lib/catalog/mod.ts";
import { type Answer, type FakeSession, fakeSession } from "./fake_session.ts";
import type { SurfaceSeams } from "../types.ts";

/** A session over the shipped catalog with a scripted kernel. */
export async function catalogSession(
  options: { answer?: Answer; seams?: SurfaceSeams } = {},
): Promise<FakeSession> {
  const catalog = loadCatalog();
  const fake = fakeSession({ ...options, catalog });
  const search = await openSearch();
  return {
    ...fake,
    session: {
      ...fake.session,
      catalog: createSnapshot(catalog, { requestSchema: embeddedRequestSchema }),
      catalogBytes: embeddedCatalogBytes,
      search: () => search,
    },
  };
}
