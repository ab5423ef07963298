/** From arguments to the body of a Keyword Planner call (spec 02 §3.11.4). Pure. */

import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../../json/mod.ts";
import { invalidArgument, missingArguments } from "../refusals.ts";
import {
  accountId,
  calendarDate,
  choice,
  flag,
  given,
  isoDate,
  resourceName,
  textArgument,
  textList,
  wholeNumber,
} from "./values.ts";

/** The custom methods this adapter knows; any other is refused. */
export const KEYWORD_METHODS = [
  "generateKeywordIdeas",
  "generateKeywordHistoricalMetrics",
  "generateKeywordForecastMetrics",
] as const;

/** A custom method of Keyword Planner. */
export type KeywordMethod = typeof KEYWORD_METHODS[number];

/** Everything of a call that comes from its arguments. */
export interface KeywordRequest {
  /** Ten digits. */
  customerId: string;
  /** Ten digits; sent as a header. */
  loginCustomerId?: string;
  body: string;
  /** Keywords as the caller gave them, for the annotator. */
  keywords: string[];
  warnings: string[];
}

const NETWORKS = ["GOOGLE_SEARCH", "GOOGLE_SEARCH_AND_PARTNERS"] as const;
const MATCH_TYPES = ["BROAD", "PHRASE", "EXACT"] as const;
const MOST_SEEDS = 20;
const MOST_KEYWORDS = 10_000;
const DEFAULT_MAX_CPC_MICROS = 1_000_000;
const DAY_MS = 86_400_000;

/**
 * Builds the request of `method`; `now` dates the default forecast window.
 *
 * @throws GumError `INVALID_ARGS` that names the field.
 */
export function keywordRequest(
  method: KeywordMethod,
  given: { args: JsonObject; now: number },
): KeywordRequest {
  const { args, now } = given;
  const customerId = accountId(args, "customerId");
  if (customerId === undefined) throw missingArguments(["customerId"]);
  const loginCustomerId = accountId(args, "loginCustomerId");
  const login = loginCustomerId === undefined ? {} : { loginCustomerId };
  const verbatim = verbatimBody(args);
  if (verbatim !== undefined) {
    return { customerId, ...login, ...verbatim, warnings: [] };
  }
  const keywords = textList(args, "keywords");
  const warnings: string[] = [];
  const body = BODIES[method]({ args, keywords, now, warnings });
  return { customerId, ...login, body: JSON.stringify(body), keywords, warnings };
}

/** The keywords of a call, for matching its answer. */
export function requestedKeywords(args: JsonObject): string[] {
  return verbatimBody(args)?.keywords ?? textList(args, "keywords");
}

interface BodyParts {
  args: JsonObject;
  keywords: string[];
  now: number;
  /** What the caller should know of the request that was built. */
  warnings: string[];
}

const BODIES: Readonly<Record<KeywordMethod, (parts: BodyParts) => JsonObject>> = {
  generateKeywordIdeas({ args, keywords }) {
    const url = textArgument(args, "url");
    if (keywords.length > MOST_SEEDS) {
      throw invalidArgument("keywords", `holds more than ${MOST_SEEDS} seed keywords`);
    }
    const pageSize = wholeNumber(args, "pageSize") ?? 0;
    const pageToken = textArgument(args, "pageToken");
    return {
      ...audience(args),
      ...(flag(args, "includeAdultKeywords") ? { includeAdultKeywords: true } : {}),
      ...(pageSize > 0 ? { pageSize } : {}),
      ...(pageToken === undefined ? {} : { pageToken }),
      ...seed(keywords, url),
    };
  },
  generateKeywordHistoricalMetrics({ args, keywords }) {
    if (keywords.length === 0) throw missingArguments(["keywords"]);
    if (keywords.length > MOST_KEYWORDS) {
      throw invalidArgument("keywords", `holds more than ${MOST_KEYWORDS} keywords`);
    }
    return { keywords, ...audience(args) };
  },
  generateKeywordForecastMetrics({ args, keywords, now, warnings }) {
    if (keywords.length === 0) throw missingArguments(["keywords"]);
    const maxCpcBidMicros = wholeNumber(args, "maxCpcMicros") ?? DEFAULT_MAX_CPC_MICROS;
    if (maxCpcBidMicros <= 0) throw invalidArgument("maxCpcMicros", "must be more than zero");
    // Refused when wrong although this method's body has no place for it.
    choice(args, { name: "keywordPlanNetwork", choices: NETWORKS, fallback: "GOOGLE_SEARCH" });
    const matchType = choice(args, {
      name: "matchType",
      choices: MATCH_TYPES,
      fallback: "BROAD",
    });
    const geoTargetConstants = geoTargets(args);
    const language = languageConstant(args);
    return {
      campaign: {
        biddingStrategy: { manualCpcBiddingStrategy: { maxCpcBidMicros } },
        adGroups: [{ keywords: keywords.map((text) => ({ text, matchType })) }],
        ...(geoTargetConstants.length > 0 ? { geoTargetConstants } : {}),
        ...(language === undefined ? {} : { languageConstants: [language] }),
      },
      forecastPeriod: forecastPeriod(args, { now, warnings }),
    };
  },
};

/** Network, places and language; omitted places or language mean all of them. */
function audience(args: JsonObject): JsonObject {
  const geoTargetConstants = geoTargets(args);
  const language = languageConstant(args);
  return {
    keywordPlanNetwork: choice(args, {
      name: "keywordPlanNetwork",
      choices: NETWORKS,
      fallback: "GOOGLE_SEARCH",
    }),
    ...(geoTargetConstants.length > 0 ? { geoTargetConstants } : {}),
    ...(language === undefined ? {} : { language }),
  };
}

function geoTargets(args: JsonObject): string[] {
  return textList(args, "geoTargetConstants").map((id) =>
    resourceName(id, { field: "geoTargetConstants", collection: "geoTargetConstants" })
  );
}

function languageConstant(args: JsonObject): string | undefined {
  const id = textArgument(args, "language");
  return id === undefined
    ? undefined
    : resourceName(id, { field: "language", collection: "languageConstants" });
}

function seed(keywords: string[], url: string | undefined): JsonObject {
  if (url !== undefined && keywords.length > 0) return { keywordAndUrlSeed: { url, keywords } };
  if (keywords.length > 0) return { keywordSeed: { keywords } };
  if (url !== undefined) return { urlSeed: { url } };
  throw missingArguments(["keywords", "url"], "give seed keywords, a url, or both");
}

function forecastPeriod(
  args: JsonObject,
  context: { now: number; warnings: string[] },
): JsonObject {
  const startDate = calendarDate(args, "forecastStartDate");
  const endDate = calendarDate(args, "forecastEndDate");
  if (startDate !== undefined && endDate !== undefined) {
    if (endDate < startDate) throw invalidArgument("forecastEndDate", "is before the start date");
    return { startDate, endDate };
  }
  const { now, warnings } = context;
  const period = { startDate: isoDate(now + DAY_MS), endDate: isoDate(now + 30 * DAY_MS) };
  if (startDate !== undefined || endDate !== undefined) {
    warnings.push(
      `a forecast window needs both dates; ${period.startDate} to ${period.endDate} was used`,
    );
  }
  return period;
}

/** The raw-body way in: a non-empty object, or its JSON text, goes out as it is. */
function verbatimBody(args: JsonObject): { body: string; keywords: string[] } | undefined {
  const value = given(args, "body");
  if (value === undefined || value === "") return undefined;
  const parsed = typeof value === "string" ? parsedText(value) : value;
  if (!isJsonObject(parsed)) throw invalidArgument("body", "must be a JSON object");
  if (Object.keys(parsed).length === 0) return undefined;
  const listed = Array.isArray(parsed.keywords) ? parsed.keywords : [];
  return {
    body: typeof value === "string" ? value : JSON.stringify(parsed),
    keywords: listed.filter((keyword) => typeof keyword === "string"),
  };
}

function parsedText(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined; // refused by the caller, which knows the field
  }
}
