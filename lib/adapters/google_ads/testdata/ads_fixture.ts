/** Kernels over the Keyword Planner adapters, for their tests. */

import { createExplicitAuthResolver } from "../../../auth/mod.ts";
import type { Op, Variant } from "../../../catalog/types.ts";
import { createKernel } from "../../../dispatch/mod.ts";
import {
  type Fixture,
  jumpingClock,
  op,
  openFixture,
  variant,
} from "../../../dispatch/testdata/fixture.ts";
import { createHttpClient } from "../../../http/mod.ts";
import { json, type Script } from "../../../http/testdata/peer.ts";
import { createGoogleAdsAdapters } from "../mod.ts";

/** A developer token that must show up in one header only. */
export const DEVELOPER_TOKEN = "canary-developer-token-77";
/** The bearer of the fixture. */
export const BEARER = "ya29.canary-ads-bearer";
/** Where the clock of the fixture starts. */
export const START = Date.parse("2026-05-19T20:00:00Z");

const LIST = { location: "arg", type: "array", item_type: "string" } as const;

/** The shipped operation of a method, cut down to what the kernel reads. */
export function adsOp(method: string, extra: Partial<Variant> = {}): Op {
  const id = `googleads.keywordPlanIdeas.${method}`;
  return op(id, [
    variant(`googleads.v24.rest.keywordPlanIdeas.${method}`, [
      "read",
      "POST",
      `https://googleads.googleapis.com/v24/customers/{customerId}:${method}`,
    ], {
      backend_kind: "google-ads-sdk",
      auth_strategy: "byo_oauth",
      binding: {
        binding_schema_version: 1,
        adapter_key: `googleads.${method}`,
        operation_key: id,
        http: {
          method: "POST",
          path: `https://googleads.googleapis.com/v24/customers/{customerId}:${method}`,
        },
      },
      ...extra,
    }),
  ], {
    service_family: "ads",
    request_fields: [
      { name: "customerId", location: "path", type: "string", required: true },
      { name: "loginCustomerId", location: "arg", type: "string" },
      { name: "keywords", ...LIST },
      { name: "url", location: "arg", type: "string" },
      { name: "geoTargetConstants", ...LIST },
      { name: "language", location: "arg", type: "string" },
      { name: "keywordPlanNetwork", location: "arg", type: "string", default: "GOOGLE_SEARCH" },
      { name: "includeAdultKeywords", location: "arg", type: "boolean", default: "false" },
      { name: "pageSize", location: "arg", type: "integer" },
      { name: "maxCpcMicros", location: "arg", type: "integer" },
      { name: "matchType", location: "arg", type: "string" },
      { name: "forecastStartDate", location: "arg", type: "string" },
      { name: "forecastEndDate", location: "arg", type: "string" },
    ],
  });
}

/** Method name. */
export const IDEAS = "generateKeywordIdeas";
/** Method name. */
export const HISTORICAL = "generateKeywordHistoricalMetrics";
/** Method name. */
export const FORECAST = "generateKeywordForecastMetrics";
/** The operation of a method. */
export const idOf = (method: string): string => `googleads.keywordPlanIdeas.${method}`;

/** Opens a kernel over a scripted peer. */
export function openAds(
  script: Script = () => json({ results: [] }),
  options: { developerToken?: string; bearer?: string; ops?: Op[]; capBytes?: number } = {},
): Fixture {
  const clock = jumpingClock(START);
  const extra = options.capBytes === undefined ? {} : { max_response_bytes: options.capBytes };
  const base = openFixture({
    script,
    clock,
    ops: options.ops ?? [IDEAS, HISTORICAL, FORECAST].map((method) => adsOp(method, extra)),
  });
  const http = createHttpClient({ rewriteOrigin: (url) => base.peer.rewrite(url) });
  const adapters = new Map(Object.entries(createGoogleAdsAdapters({ http, clock, version: "0" })));
  const deps = {
    ...base.deps,
    adapters: { find: (key: string) => adapters.get(key) },
    auth: createExplicitAuthResolver({
      bearer: BEARER,
      developerToken: DEVELOPER_TOKEN,
      ...options,
    }),
  };
  return {
    ...base,
    deps,
    kernel: createKernel(deps),
    async [Symbol.asyncDispose]() {
      http.close();
      await base[Symbol.asyncDispose]();
    },
  };
}
