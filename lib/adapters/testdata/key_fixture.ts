/** A kernel over adapters that call with an API key, for their tests. */

import { createExplicitAuthResolver } from "../../auth/mod.ts";
import type { Op } from "../../catalog/types.ts";
import type { Clock } from "../../clock/mod.ts";
import { createKernel } from "../../dispatch/mod.ts";
import { type Fixture, jumpingClock, openFixture } from "../../dispatch/testdata/fixture.ts";
import type { Adapter } from "../../dispatch/types.ts";
import { createHttpClient, type HttpClient } from "../../http/mod.ts";
import type { Script } from "../../http/testdata/peer.ts";
import { createAdapterRegistry } from "../registry.ts";

/** What the adapters under test are made with. */
export interface KeyAdapterTools {
  http: HttpClient;
  clock: Clock;
  version: string;
  random: () => number;
}

/** Opens a kernel over a scripted peer, with the adapters of `make` beside the usual ones. */
export function openKeyFixture(options: {
  script: Script;
  ops: Op[];
  apiKey: string;
  make(tools: KeyAdapterTools): Record<string, Adapter>;
}): Fixture {
  const { script, ops, apiKey, make } = options;
  const clock = jumpingClock();
  const base = openFixture({ script, clock, ops });
  const http = createHttpClient({ rewriteOrigin: (url) => base.peer.rewrite(url) });
  const kernel = createKernel({
    ...base.deps,
    auth: createExplicitAuthResolver({ apiKey }),
    adapters: createAdapterRegistry({
      others: make({ http, clock, version: "0", random: () => 0.5 }),
    }),
  });
  return {
    ...base,
    kernel,
    async [Symbol.asyncDispose]() {
      http.close();
      await base[Symbol.asyncDispose]();
    },
  };
}
