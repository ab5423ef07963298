/** Programmable web search. */

import type { JsonObject, JsonValue } from "../../json/mod.ts";
import { proseOf, TOPICS } from "../prose.ts";
import {
  type EmulatedCall,
  EmulatedError,
  type EmulatedService,
  type SeededRandom,
  type ServiceSeed,
} from "../service.ts";

/** `cse.list`. */
export function createWebSearch(seed: ServiceSeed): EmulatedService {
  return {
    name: "customsearch",
    routes: [{
      methodId: "search.cse.list",
      method: "GET",
      host: "customsearch.googleapis.com",
      pattern: "/customsearch/v1",
      handle: (call) => ({ body: searchWeb(seed, call) }),
    }],
    inspect: () => ({}),
  };
}

function searchWeb(seed: ServiceSeed, { query }: EmulatedCall): JsonObject {
  const wanted = query.get("q");
  const engine = query.get("cx");
  if (!wanted || !engine) {
    throw new EmulatedError(400, "Request contains an invalid argument.", {
      reason: "badRequest",
      status: "INVALID_ARGUMENT",
    });
  }
  const random = seed.random.fork(`web ${wanted} ${engine}`);
  const total = /qqxyzzyqq/.test(wanted) ? 0 : random.int(12, 900_000);
  const start = Math.max(1, Number(query.get("start") ?? "1") || 1);
  const count = Math.min(10, Math.max(1, Number(query.get("num") ?? "10") || 10));
  const size = Math.max(0, Math.min(count, Math.min(total, 100) - start + 1));
  const page = (at: number): JsonValue => [{
    title: `Emulated Search - ${wanted}`,
    totalResults: String(total),
    searchTerms: wanted,
    count: size,
    startIndex: at,
    inputEncoding: "utf8",
    outputEncoding: "utf8",
    safe: "off",
    cx: engine,
  }];
  return {
    kind: "customsearch#search",
    url: {
      type: "application/json",
      template:
        "https://www.googleapis.com/customsearch/v1?q={searchTerms}&num={count?}&start={startIndex?}&cx={cx?}&alt=json",
    },
    queries: {
      request: page(start),
      ...(start + size <= Math.min(total, 100) ? { nextPage: page(start + size) } : {}),
    },
    context: { title: "Harbour pages" },
    searchInformation: {
      searchTime: Number((0.1 + random.next()).toFixed(6)),
      formattedSearchTime: "0.31",
      totalResults: String(total),
      formattedTotalResults: String(total).replace(/\B(?=(\d{3})+$)/g, ","),
    },
    ...(size === 0 ? {} : {
      items: Array.from(
        { length: size },
        (_, index) => result(random.fork(`result ${start + index}`), wanted),
      ),
    }),
  };
}

function result(random: SeededRandom, wanted: string): JsonObject {
  const prose = proseOf(random.fork("prose"), random.pick(TOPICS));
  const domain = `www.${
    random.pick(["tideline", "ledgerlatch", "branchline", "koechin-koch"])
  }.example.org`;
  const title = `${prose.subject()} – ${wanted}`;
  const text = random.next() < 0.25 ? prose.foreign() : prose.paragraph(2);
  const link = `https://${domain}/${random.hex(5)}/${
    encodeURIComponent(prose.noun().replaceAll(" ", "-"))
  }`;
  return {
    kind: "customsearch#result",
    title,
    htmlTitle: title.replace(wanted, `<b>${wanted}</b>`),
    link,
    displayLink: domain,
    snippet: text,
    htmlSnippet: text.replaceAll("the ", "<b>the</b> "),
    formattedUrl: link,
    htmlFormattedUrl: link,
    ...(random.next() < 0.7
      ? {
        pagemap: {
          metatags: [{ "og:title": title, "og:type": "article", viewport: "width=device-width" }],
          cse_image: [{ src: `https://img.example.com/${random.hex(20)}.jpg` }],
        },
      }
      : {}),
    ...(random.next() < 0.15 ? { mime: "application/pdf", fileFormat: "PDF/Adobe Acrobat" } : {}),
  };
}
