/** Search Console's performance report. The other Search Console methods are schema-built. */

import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import { capital, proseOf, TOPICS } from "../prose.ts";
import {
  EmulatedError,
  type EmulatedService,
  type SeededRandom,
  type ServiceSeed,
} from "../service.ts";

const DIMENSIONS: ReadonlySet<string> = new Set([
  "date",
  "query",
  "page",
  "country",
  "device",
  "searchAppearance",
  "hour",
]);
const DAY = 86_400_000;

/** `searchanalytics.query` with rows by the asked dimensions. */
export function createSearchAnalytics(seed: ServiceSeed): EmulatedService {
  return {
    name: "searchconsole",
    routes: [{
      methodId: "webmasters.searchanalytics.query",
      method: "POST",
      host: "searchconsole.googleapis.com",
      pattern: "/webmasters/v3/sites/{siteUrl}/searchAnalytics/query",
      handle(call) {
        const body = isJsonObject(call.body ?? null) ? call.body as JsonObject : {};
        return { body: report(seed, String(call.params.siteUrl), body) };
      },
    }],
    inspect: () => ({}),
  };
}

function report(seed: ServiceSeed, site: string, body: JsonObject): JsonObject {
  const start = dateOf(body.startDate, "startDate");
  const end = dateOf(body.endDate, "endDate");
  if (end < start) throw invalid("endDate must not be before startDate.");
  const dimensions = Array.isArray(body.dimensions) ? body.dimensions.map(String) : [];
  for (const dimension of dimensions) {
    if (!DIMENSIONS.has(dimension)) {
      throw invalid(`Invalid value at 'dimensions': "${dimension.slice(0, 40)}"`);
    }
  }
  const random = seed.random.fork(
    `${site} ${JSON.stringify([dimensions, start, end, body.type ?? null])}`,
  );
  const limit = typeof body.rowLimit === "number"
    ? Math.min(Math.max(1, body.rowLimit), 25_000)
    : 1000;
  const first = typeof body.startRow === "number" ? body.startRow : 0;
  const days = Math.round((end - start) / DAY) + 1;
  const total = dimensions.length === 0
    ? 1
    : dimensions.includes("date")
    ? (dimensions.length === 1 ? days : days * 6)
    : 60 + random.int(0, 280);
  const rows = Array.from(
    { length: total },
    (_, index) => row(random.fork(`row ${index}`), { dimensions, site, start, days, index }),
  );
  const ordered = dimensions.length === 1 && dimensions[0] === "date"
    ? rows
    : rows.sort((left, right) => Number(right.clicks) - Number(left.clicks));
  const shown = ordered.slice(first, first + limit);
  return {
    ...(shown.length === 0 ? {} : { rows: shown }),
    responseAggregationType: dimensions.includes("page") ? "byPage" : "byProperty",
  };
}

function row(
  random: SeededRandom,
  input: {
    dimensions: readonly string[];
    site: string;
    start: number;
    days: number;
    index: number;
  },
): JsonObject {
  const impressions = Math.floor(10 ** (random.next() * 4.5)) + 1;
  const clicks = Math.floor(impressions * random.next() ** 3);
  const prose = proseOf(random.fork("words"), random.pick(TOPICS));
  const keys = input.dimensions.map((dimension): JsonValue => {
    switch (dimension) {
      case "date":
        return new Date(input.start + (input.index % input.days) * DAY).toISOString().slice(0, 10);
      case "country":
        return random.pick(["swe", "deu", "jpn", "nga", "fra", "usa", "per"]);
      case "device":
        return random.pick(["MOBILE", "DESKTOP", "TABLET"]);
      case "page":
        return `${input.site.replace(/^sc-domain:/, "https://").replace(/\/$/, "")}/${
          encodeURIComponent(prose.noun().replaceAll(" ", "-"))
        }/${random.hex(4)}`;
      case "searchAppearance":
        return random.pick(["AMP_BLUE_LINK", "VIDEO", "REVIEW_SNIPPET"]);
      case "hour":
        return new Date(input.start + input.index * 3_600_000).toISOString();
      default:
        return random.next() < 0.1
          ? prose.foreign().slice(0, 40)
          : `${prose.noun()} ${
            random.pick(["wiki", "near me", "2026", "how to", capital(prose.noun())])
          }`;
    }
  });
  return {
    ...(keys.length === 0 ? {} : { keys }),
    clicks,
    impressions,
    ctr: clicks / impressions,
    position: 1 + random.next() * 60,
  };
}

function dateOf(value: JsonValue | undefined, name: string): number {
  if (
    typeof value !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(value) ||
    Number.isNaN(Date.parse(value))
  ) {
    throw invalid(`'${name}' is required, as YYYY-MM-DD.`);
  }
  return Date.parse(value);
}

function invalid(message: string): EmulatedError {
  return new EmulatedError(400, message, {
    reason: "invalidParameter",
    status: "INVALID_ARGUMENT",
  });
}
