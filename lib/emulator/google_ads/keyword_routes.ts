/** The three custom methods of Keyword Planner. */

import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import { paginate } from "../paging.ts";
import type { EmulatedAnswer, EmulatedCall, EmulatedRoute, SeededRandom } from "../service.ts";
import { foldedRows, keywordIdeas, keywordMetrics } from "./keyword_metrics.ts";
import { adsError } from "./refusal.ts";

const HOST = "googleads.googleapis.com";

/** A customer that only its manager account reaches. */
const MANAGED_CUSTOMER = "5551234567";

/** A customer that was closed. */
const CLOSED_CUSTOMER = "5550000000";

/** The routes over one generator of numbers. */
export function keywordRoutes(random: SeededRandom): EmulatedRoute[] {
  const route = (
    method: string,
    answer: (call: EmulatedCall, body: JsonObject) => EmulatedAnswer,
  ): EmulatedRoute => ({
    methodId: `googleads.customers.${method}`,
    method: "POST",
    host: HOST,
    pattern: `/v24/customers/{customerId}:${method}`,
    handle(call) {
      checkCustomer(call);
      return answer(call, isJsonObject(call.body ?? null) ? call.body as JsonObject : {});
    },
  });
  return [
    route("generateKeywordIdeas", (call, body) => ideas(call, { body, random })),
    route("generateKeywordHistoricalMetrics", (call, body) => {
      const keywords = requiredKeywords(body.keywords, ["keywords"]);
      return { body: { results: foldedRows(keywords, { random, now: call.now }) } };
    }),
    route("generateKeywordForecastMetrics", (call, body) => forecast(call, { body, random })),
  ];
}

function checkCustomer(call: EmulatedCall): void {
  const customer = call.params.customerId ?? "";
  const login = call.headers.get("login-customer-id");
  if (!/^[0-9]{10}$/.test(customer) || (login !== null && !/^[0-9]{10}$/.test(login))) {
    throw adsError(400, {
      errorCode: { requestError: "INVALID_CUSTOMER_ID" },
      message: "Invalid customer ID.",
    });
  }
  if (customer === CLOSED_CUSTOMER) {
    throw adsError(403, {
      errorCode: { authorizationError: "CUSTOMER_NOT_ENABLED" },
      message: "The customer account can't be accessed because it is not yet enabled or has been " +
        "deactivated.",
    });
  }
  if (customer === MANAGED_CUSTOMER && login === null) {
    throw adsError(403, {
      errorCode: { authorizationError: "USER_PERMISSION_DENIED" },
      message: "User doesn't have permission to access customer. Note: If you're accessing a " +
        "client customer, the manager's customer id must be set in the 'login-customer-id' header.",
    });
  }
}

function ideas(
  call: EmulatedCall,
  context: { body: JsonObject; random: SeededRandom },
): EmulatedAnswer {
  const { body, random } = context;
  const seeds = seedsOf(body);
  if (seeds.length === 0) {
    throw adsError(400, {
      errorCode: { requestError: "REQUIRED_FIELD_MISSING" },
      message: "The required field was not present.",
      fieldPath: ["seed"],
    });
  }
  const rows = keywordIdeas(seeds, { random, now: call.now });
  const page = paginate(rows, {
    pageToken: typeof body.pageToken === "string" ? body.pageToken : null,
    pageSize: typeof body.pageSize === "number" ? body.pageSize : null,
    defaultSize: 10_000,
    maximumSize: 10_000,
    scope: `ideas/${call.params.customerId}/${seeds.join("/")}`,
  });
  return {
    body: {
      results: page.items,
      totalSize: String(rows.length),
      ...(page.nextPageToken === undefined ? {} : { nextPageToken: page.nextPageToken }),
    },
  };
}

function seedsOf(body: JsonObject): string[] {
  for (const name of ["keywordSeed", "keywordAndUrlSeed"]) {
    const seed = body[name];
    if (isJsonObject(seed)) return textsOf(seed.keywords);
  }
  const { urlSeed } = body;
  const url = isJsonObject(urlSeed) && typeof urlSeed.url === "string" ? urlSeed.url : undefined;
  if (url === undefined) return [];
  const words = url.replace(/^https?:\/\/(www\.)?/, "").split(/[^\p{L}]+/u);
  return words.filter((word) => word.length > 3).slice(0, 3);
}

function forecast(
  call: EmulatedCall,
  context: { body: JsonObject; random: SeededRandom },
): EmulatedAnswer {
  const { body, random } = context;
  const campaign = isJsonObject(body.campaign) ? body.campaign : {};
  const groups = Array.isArray(campaign.adGroups) ? campaign.adGroups : [];
  const keywords = requiredKeywords(
    groups.flatMap((group) => isJsonObject(group) ? listOf(group.keywords) : [])
      .map((keyword) => isJsonObject(keyword) ? keyword.text ?? null : keyword),
    ["campaign", "adGroups"],
  );
  const period = isJsonObject(body.forecastPeriod) ? body.forecastPeriod : {};
  const start = Date.parse(String(period.startDate));
  const end = Date.parse(String(period.endDate));
  const days = (end - start) / 86_400_000 + 1;
  if (!(days >= 1) || start <= call.now - 86_400_000) {
    throw adsError(400, {
      errorCode: { dateRangeError: "INVALID_DATE" },
      message: "The forecast period must be in the future.",
      fieldPath: ["forecastPeriod"],
    });
  }
  const searches = keywords.reduce((sum, text) => {
    const { avgMonthlySearches } = keywordMetrics(text, { random, now: call.now });
    return sum + Number(avgMonthlySearches);
  }, 0);
  const impressions = searches * days / 30.4 * 0.62;
  const clicks = impressions * 0.043;
  return {
    body: {
      campaignForecastMetrics: {
        impressions,
        clickThroughRate: 0.043,
        averageCpcMicros: "412000",
        clicks,
        costMicros: String(Math.round(clicks * 412_000)),
        conversions: clicks * 0.031,
      },
    },
  };
}

function requiredKeywords(value: JsonValue | undefined, fieldPath: readonly string[]): string[] {
  const keywords = textsOf(value);
  if (keywords.length > 0) return keywords;
  throw adsError(400, {
    errorCode: { requestError: "REQUIRED_FIELD_MISSING" },
    message: "The required field was not present.",
    fieldPath,
  });
}

function textsOf(value: JsonValue | undefined): string[] {
  return listOf(value).filter((text) => typeof text === "string");
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}
