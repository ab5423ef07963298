import assert from "node:assert/strict";
import { createExplicitAuthResolver } from "../../auth/mod.ts";
import { createKernel } from "../../dispatch/mod.ts";
import { type Fixture, openFixture, refusalOf } from "../../dispatch/testdata/fixture.ts";
import { googleAdsFailure, googleErrorBody, startEmulator } from "../../emulator/mod.ts";
import { createHttpClient } from "../../http/mod.ts";
import { json, sequence } from "../../http/testdata/peer.ts";
import type { JsonObject } from "../../json/mod.ts";
import { createGoogleAdsAdapters } from "./mod.ts";
import {
  adsOp,
  BEARER,
  DEVELOPER_TOKEN,
  FORECAST,
  HISTORICAL,
  IDEAS,
  idOf,
  openAds,
  START,
} from "./testdata/ads_fixture.ts";

function sentBody(fixture: Fixture, index = 0): JsonObject {
  return JSON.parse(fixture.peer.requests[index]?.body ?? "null");
}

Deno.test("TestBackendKindGoogleAdsSDK: dashes go, the developer token is a header and nowhere else", async () => {
  await using fixture = openAds();
  const answer = await fixture.kernel.dispatch({
    opId: idOf(IDEAS),
    args: {
      customerId: " 123-456-7890",
      loginCustomerId: "098 765 4321",
      keywords: "running shoes, ,trail shoes ",
      geoTargetConstants: ["2752", "geoTargetConstants/2840"],
      language: "1015",
      keywordPlanNetwork: "google_search_and_partners",
      includeAdultKeywords: "true",
      pageSize: 5,
      pageToken: "next",
    },
    caller: "cli",
  });
  const [request] = fixture.peer.requests;
  assert.equal(request?.method, "POST");
  assert.equal(request?.host, "googleads.googleapis.com");
  assert.equal(request?.target, "/v24/customers/1234567890:generateKeywordIdeas");
  assert.equal(request?.headers.get("authorization"), `Bearer ${BEARER}`);
  assert.equal(request?.headers.get("developer-token"), DEVELOPER_TOKEN);
  assert.equal(request?.headers.get("login-customer-id"), "0987654321");
  assert.equal(request?.headers.get("content-type"), "application/json");
  assert.deepEqual(sentBody(fixture), {
    keywordPlanNetwork: "GOOGLE_SEARCH_AND_PARTNERS",
    geoTargetConstants: ["geoTargetConstants/2752", "geoTargetConstants/2840"],
    language: "languageConstants/1015",
    includeAdultKeywords: true,
    pageSize: 5,
    pageToken: "next",
    keywordSeed: { keywords: ["running shoes", "trail shoes"] },
  });
  const told = JSON.stringify([
    { ...answer, body: new TextDecoder().decode(answer.body), upstreamBytes: "" },
    fixture.audit,
    fixture.logs,
    fixture.gain.map((row) => ({ ...row, rawBody: "", shapedBody: "" })),
    fixture.peer.requests.map(({ target, body }) => [target, body]),
  ]);
  assert.doesNotMatch(told, /canary/);
});

Deno.test("TestBackendKindGoogleAdsSDK: seeds, and what an absent argument becomes", async () => {
  await using fixture = openAds();
  const ask = (args: JsonObject) =>
    fixture.kernel.dispatch({ opId: idOf(IDEAS), args: { customerId: "1234567890", ...args } });
  await ask({ keywords: ["a"], url: "https://example.com/x" });
  await ask({ url: " https://example.com/x " });
  await ask({ keywords: ["a"], includeAdultKeywords: false, pageSize: 0 });
  const network = { keywordPlanNetwork: "GOOGLE_SEARCH" };
  assert.deepEqual(fixture.peer.requests.map(({ body }) => JSON.parse(body)), [
    { ...network, keywordAndUrlSeed: { url: "https://example.com/x", keywords: ["a"] } },
    { ...network, urlSeed: { url: "https://example.com/x" } },
    { ...network, keywordSeed: { keywords: ["a"] } },
  ]);
  assert.equal(fixture.peer.requests[0]?.headers.has("login-customer-id"), false);
});

Deno.test("TestBackendKindGoogleAdsSDK: wrong arguments never reach the wire", async () => {
  await using fixture = openAds();
  const good = { customerId: "1234567890", keywords: ["a"] };
  const many = (count: number) => Array.from({ length: count }, (_unused, n) => `k${n}`);
  const refused: [string, JsonObject, string | undefined][] = [
    [IDEAS, { customerId: "12345" }, "customerId"],
    [IDEAS, { ...good, loginCustomerId: "12345678901" }, "loginCustomerId"],
    [IDEAS, { customerId: "1234567890" }, undefined],
    [IDEAS, { ...good, keywords: many(21) }, "keywords"],
    [IDEAS, { ...good, language: "en" }, "language"],
    [IDEAS, { ...good, geoTargetConstants: ["SE"] }, "geoTargetConstants"],
    [IDEAS, { ...good, keywordPlanNetwork: "YOUTUBE" }, "keywordPlanNetwork"],
    [IDEAS, { customerId: "1234567890", body: "[1]" }, "body"],
    [HISTORICAL, { customerId: "1234567890", keywords: " , " }, "keywords"],
    [HISTORICAL, { ...good, keywords: many(10_001) }, "keywords"],
    [FORECAST, { ...good, matchType: "FUZZY" }, "matchType"],
    [FORECAST, { ...good, maxCpcMicros: 0 }, "maxCpcMicros"],
    [FORECAST, { ...good, forecastStartDate: "2026-02-30" }, "forecastStartDate"],
    [
      FORECAST,
      { ...good, forecastStartDate: "2026-07-02", forecastEndDate: "2026-07-01" },
      "forecastEndDate",
    ],
  ];
  for (const [method, args, field] of refused) {
    const error = await refusalOf(fixture.kernel, { opId: idOf(method), args });
    assert.equal(error.code, "INVALID_ARGS", JSON.stringify(args).slice(0, 80));
    if (field !== undefined) assert.equal(error.details.field, field);
    assert.equal(error.details.op_id, idOf(method));
  }
  assert.equal(fixture.peer.requests.length, 0);
  await fixture.kernel.dispatch({
    opId: idOf(HISTORICAL),
    args: { ...good, keywords: many(10_000) },
  });
  assert.equal((sentBody(fixture).keywords as string[]).length, 10_000);
});

Deno.test("TestBackendKindGoogleAdsSDK: the forecast window defaults to tomorrow and thirty days", async () => {
  await using fixture = openAds();
  const args = { customerId: "1234567890", keywords: ["a", "b"] };
  await fixture.kernel.dispatch({ opId: idOf(FORECAST), args });
  assert.deepEqual(sentBody(fixture), {
    campaign: {
      biddingStrategy: { manualCpcBiddingStrategy: { maxCpcBidMicros: 1000000 } },
      adGroups: [{
        keywords: [{ text: "a", matchType: "BROAD" }, { text: "b", matchType: "BROAD" }],
      }],
    },
    forecastPeriod: { startDate: "2026-05-20", endDate: "2026-06-18" },
  });
  await fixture.kernel.dispatch({
    opId: idOf(FORECAST),
    args: {
      ...args,
      matchType: "exact",
      maxCpcMicros: "2500000",
      language: "1000",
      geoTargetConstants: "2840,2752",
      forecastStartDate: "2026-07-01",
      forecastEndDate: "2026-07-01",
    },
  });
  assert.deepEqual(sentBody(fixture, 1), {
    campaign: {
      biddingStrategy: { manualCpcBiddingStrategy: { maxCpcBidMicros: 2500000 } },
      adGroups: [{
        keywords: [{ text: "a", matchType: "EXACT" }, { text: "b", matchType: "EXACT" }],
      }],
      geoTargetConstants: ["geoTargetConstants/2840", "geoTargetConstants/2752"],
      languageConstants: ["languageConstants/1000"],
    },
    forecastPeriod: { startDate: "2026-07-01", endDate: "2026-07-01" },
  });
  const half = await fixture.kernel.dispatch({
    opId: idOf(FORECAST),
    args: { ...args, forecastStartDate: "2027-01-01" },
  });
  assert.match(half.validationWarnings.join(), /both dates/);
});

Deno.test("TestBackendKindGoogleAdsSDK: a raw body goes out as it is", async () => {
  await using fixture = openAds();
  const text = '{ "keywords": ["x"], "anything": 1 }';
  await fixture.kernel.dispatch({
    opId: idOf(HISTORICAL),
    args: { customerId: "1234567890", body: text },
  });
  await fixture.kernel.dispatch({
    opId: idOf(HISTORICAL),
    args: { customerId: "1234567890", body: { keywords: ["y"] } },
  });
  await fixture.kernel.dispatch({
    opId: idOf(HISTORICAL),
    args: { customerId: "1234567890", keywords: ["z"], body: {} },
  });
  assert.equal(fixture.peer.requests[0]?.body, text);
  assert.equal(fixture.peer.requests[1]?.body, '{"keywords":["y"]}');
  assert.deepEqual(sentBody(fixture, 2).keywords, ["z"]);
});

Deno.test("TestBackendKindGoogleAdsSDK: 503 and 429 are waited out, four sends in all", async () => {
  const busy = (status: number, retryAfter?: string) =>
    json({ error: { code: status, message: "busy" } }, {
      status,
      headers: retryAfter === undefined ? {} : { "retry-after": retryAfter },
    });
  const call = { opId: idOf(IDEAS), args: { customerId: "1234567890", keywords: ["a"] } };
  await using patient = openAds(sequence(busy(503), busy(429, "4"), busy(500), json({})));
  await patient.kernel.dispatch(call);
  assert.equal(patient.peer.requests.length, 4);
  assert.equal(patient.clock.now() - START, 500 + 4000 + 2000);
  await using hopeless = openAds(sequence(busy(503, "120")));
  const error = await refusalOf(hopeless.kernel, call);
  assert.equal(hopeless.peer.requests.length, 4);
  assert.equal(hopeless.clock.now() - START, 3 * 30_000);
  assert.equal(error.code, "RATE_LIMITED");
  assert.equal(error.details.retry_after_ms, 120_000);
  await using broken = openAds(() => ({ kind: "drop" }));
  assert.equal((await refusalOf(broken.kernel, call)).code, "SERVICE_DOWN");
  assert.equal(broken.peer.requests.length, 1);
});

Deno.test("TestBackendKindGoogleAdsSDK: missing credentials are named before any request", async () => {
  await using fixture = openAds(undefined, { developerToken: undefined });
  const call = { opId: idOf(IDEAS), args: { customerId: "1234567890", keywords: ["a"] } };
  const error = await refusalOf(fixture.kernel, call);
  assert.equal(error.code, "AUTH_REQUIRED");
  assert.deepEqual(error.details.missing_components, ["developer_token"]);
  assert.equal(error.details.setup_command, `gum auth setup ${idOf(IDEAS)}`);
  assert.equal(error.details.next_command, "gum auth use-ads-developer-token");
  assert.equal(error.details.auth_strategy, "byo_oauth");
  await using anonymous = openAds(undefined, {
    ops: [adsOp(IDEAS, { auth_strategy: "none" })],
  });
  const noBearer = await refusalOf(anonymous.kernel, call);
  assert.equal(noBearer.code, "AUTH_REQUIRED");
  assert.equal(fixture.peer.requests.length + anonymous.peer.requests.length, 0);
});

Deno.test("TestBackendKindGoogleAdsSDK: GoogleAdsFailure decides the code", async () => {
  const call = { opId: idOf(IDEAS), args: { customerId: "1234567890", keywords: ["a"] } };
  const rows: [number, Record<string, string>, string, string[] | undefined][] = [
    [
      403,
      { authorizationError: "DEVELOPER_TOKEN_NOT_APPROVED" },
      "AUTH_REQUIRED",
      ["developer_token"],
    ],
    [401, { authenticationError: "DEVELOPER_TOKEN_INVALID" }, "AUTH_REQUIRED", ["developer_token"]],
    [403, { authorizationError: "USER_PERMISSION_DENIED" }, "AUTH_REQUIRED", [
      "account_permission",
    ]],
    [403, { authorizationError: "CUSTOMER_NOT_ENABLED" }, "AUTH_REQUIRED", ["account_permission"]],
    [403, { quotaError: "ACCESS_PROHIBITED" }, "RATE_LIMITED", undefined],
    [400, { requestError: "REQUIRED_FIELD_MISSING" }, "INVALID_ARGS", undefined],
    [404, { requestError: "RESOURCE_NOT_FOUND" }, "RESOURCE_NOT_FOUND", undefined],
  ];
  for (const [status, errorCode, code, components] of rows) {
    const fieldPath = ["keywordSeed", "keywords"];
    const failure = googleAdsFailure({ errorCode, message: "no", fieldPath, requestId: "r-1" });
    const body = googleErrorBody({ status, message: "refused", details: [failure] });
    await using fixture = openAds(() => json(body, { status }));
    const error = await refusalOf(fixture.kernel, call);
    assert.equal(error.code, code, JSON.stringify(errorCode));
    assert.equal(error.details.http_status, status);
    assert.equal(error.details.request_id, "r-1");
    assert.equal(fixture.peer.requests.length, 1);
    if (components !== undefined) {
      assert.deepEqual(error.details.missing_components, components);
      assert.equal(typeof error.details.setup_command, "string");
    }
    if (status === 400) {
      assert.deepEqual(error.details.field_violations, [{
        field: "keywordSeed.keywords",
        description: "no",
        reason: "REQUIRED_FIELD_MISSING",
      }]);
      assert.equal(error.details.source, "upstream");
    }
    if (components?.[0] === "account_permission") assert.match(error.suggestion, /loginCustomerId/);
  }
});

Deno.test("TestBackendKindGoogleAdsSDK: an answer over the cap names pageSize", async () => {
  await using fixture = openAds(() => json({ results: ["x".repeat(200)] }), { capBytes: 64 });
  const call = { opId: idOf(IDEAS), args: { customerId: "1234567890", keywords: ["a"] } };
  const error = await refusalOf(fixture.kernel, call);
  assert.equal(error.code, "RESPONSE_TOO_LARGE");
  assert.equal(error.details.cap_bytes, 64);
  assert.match(error.suggestion, /pageSize.*pageToken/);
  assert.equal(fixture.peer.requests.length, 1);
});

Deno.test("TestBackendBindingGoogleAds: a binding of another method is refused unsent", async () => {
  const wrong = adsOp(IDEAS);
  const [only] = wrong.variants;
  if (only?.binding?.http !== undefined) {
    only.binding.http.path =
      "https://googleads.googleapis.com/v24/customers/{customerId}:mutateEverything";
  }
  await using fixture = openAds(undefined, { ops: [wrong] });
  const error = await refusalOf(fixture.kernel, {
    opId: idOf(IDEAS),
    args: { customerId: "1234567890", keywords: ["a"] },
  });
  assert.equal(error.code, "SERVICE_DOWN");
  assert.equal(error.details.reason, "binding_invalid");
  assert.equal(fixture.peer.requests.length, 0);
});

Deno.test("TestKeywordHistoryCountsMatchTheBody: 243 rows of the emulator are counted and capped", async () => {
  await using emulator = await disposableEmulator();
  await using base = openFixture({ ops: [adsOp(HISTORICAL)] });
  using http = createHttpClient({ rewriteOrigin: (url) => emulator.rewrite(url) });
  const adapters = new Map(
    Object.entries(createGoogleAdsAdapters({ http, version: "0", clock: base.clock })),
  );
  const kernel = createKernel({
    ...base.deps,
    adapters: { find: (key) => adapters.get(key) },
    auth: createExplicitAuthResolver({ ...emulator.credentials }),
  });
  const keywords = Array.from({ length: 243 }, (_unused, n) => `kettle ${n} litre`);
  const ask = (inputs: string[]) =>
    kernel.dispatch({
      opId: idOf(HISTORICAL),
      args: { customerId: "1234567890", keywords: inputs },
      maxItems: 100,
      format: "json",
    });
  const answer = await ask([...keywords, "Kettle  0 litre", "kettles 0 litre"]);
  const shaped = answer.structuredContent as { results: JsonObject[] };
  assert.equal(shaped.results.length, 100);
  assert.deepEqual(shaped.results[0]?.closeVariants, ["kettles 0 litre"]);
  assert.deepEqual(shaped.results[0]?.matchedInputs, [
    "kettle 0 litre",
    "Kettle  0 litre",
    "kettles 0 litre",
  ]);
  assert.equal(answer.expression?.result_count, 100);
  assert.equal(answer.expression?.results_omitted_count ?? answer.expression?.omitted_count, 143);
  assert.deepEqual(answer.annotationPaths, ["results.matchedInputs"]);
  const managed = await refusalOf(kernel, {
    opId: idOf(HISTORICAL),
    args: { customerId: "555-123-4567", keywords: ["a"] },
  });
  assert.deepEqual(managed.details.missing_components, ["account_permission"]);
  await kernel.dispatch({
    opId: idOf(HISTORICAL),
    args: { customerId: "555-123-4567", loginCustomerId: "1234567890", keywords: ["a"] },
  });
});

async function disposableEmulator(): Promise<
  Awaited<ReturnType<typeof startEmulator>> & AsyncDisposable
> {
  const emulator = await startEmulator();
  return Object.assign(emulator, { [Symbol.asyncDispose]: () => emulator.close() });
}

Deno.test("TestBackendKindGoogleAdsSDK: a dry run shows long integers of a raw body as they would go out", async () => {
  await using fixture = openAds();
  const answer = await fixture.kernel.dispatch({
    opId: idOf(IDEAS),
    args: { customerId: "1234567890", body: '{"pageSize":9007199254740993}' },
    dryRun: true,
    format: "json",
  });
  assert.match(new TextDecoder().decode(answer.body), /"pageSize":\s*9007199254740993/);
});
