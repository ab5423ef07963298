/** Video search and details. Other YouTube methods are schema-built. */

import type { JsonObject, JsonValue } from "../../json/mod.ts";
import { paginate } from "../paging.ts";
import { proseOf, TOPICS } from "../prose.ts";
import { hashHex, seededRandom } from "../random.ts";
import {
  type EmulatedCall,
  EmulatedError,
  type EmulatedService,
  type SeededRandom,
  type ServiceSeed,
} from "../service.ts";

const PARTS: ReadonlySet<string> = new Set([
  "contentDetails",
  "id",
  "player",
  "recordingDetails",
  "snippet",
  "statistics",
  "status",
  "topicDetails",
  "liveStreamingDetails",
  "localizations",
]);

/** `search.list` and `videos.list`; every id that search lists has details. */
export function createVideos(seed: ServiceSeed): EmulatedService {
  const route = (id: string, answer: (call: EmulatedCall) => JsonObject) => ({
    methodId: `youtube.${id}.list`,
    method: "GET",
    host: "youtube.googleapis.com",
    pattern: `/youtube/v3/${id}`,
    handle: (call: EmulatedCall) => ({ body: answer(call) }),
  });
  return {
    name: "youtube",
    routes: [
      route("search", (call) => search(seed, call)),
      route("videos", (call) => details(seed, call)),
    ],
    inspect: () => ({}),
  };
}

function partsOf(query: URLSearchParams): string[] {
  const parts = query.getAll("part").flatMap((part) => part.split(",")).map((part) => part.trim())
    .filter(Boolean);
  if (parts.length === 0) throw invalid("Required parameter: part", "required");
  for (const part of parts) {
    if (!PARTS.has(part)) {
      throw invalid(`'${part.slice(0, 40)}' is not a valid part.`, "unknownPart");
    }
  }
  return parts;
}

function invalid(message: string, reason: string): EmulatedError {
  return new EmulatedError(400, message, { reason, status: "INVALID_ARGUMENT" });
}

function search(seed: ServiceSeed, { query }: EmulatedCall): JsonObject {
  partsOf(query);
  const wanted = query.get("q") ?? "";
  const random = seed.random.fork(`search ${wanted} ${query.get("channelId") ?? ""}`);
  const total = /nothing at all/i.test(wanted) ? 0 : 180 + random.int(0, 420);
  const ids = Array.from({ length: total }, (_, index) => videoId(`${wanted}/${index}`));
  const page = paginate(ids, {
    pageToken: query.get("pageToken"),
    pageSize: query.get("maxResults"),
    defaultSize: 5,
    maximumSize: 50,
    scope: `youtube.search ${wanted}`,
    reason: "invalidPageToken",
  });
  const withSnippet = partsOf(query).includes("snippet");
  return {
    kind: "youtube#searchListResponse",
    etag: hashHex(`search ${wanted} ${query.get("pageToken") ?? ""} ${page.items.length}`, 27),
    ...(page.nextPageToken === undefined ? {} : { nextPageToken: page.nextPageToken }),
    regionCode: "SE",
    pageInfo: { totalResults: total * 1731, resultsPerPage: page.items.length },
    items: page.items.map((id): JsonValue => ({
      kind: "youtube#searchResult",
      etag: hashHex(`result ${id}`, 27),
      id: { kind: "youtube#video", videoId: id },
      ...(withSnippet
        ? { snippet: { ...snippet(id, seed.now), publishTime: published(id, seed.now) } }
        : {}),
    })),
  };
}

function details(seed: ServiceSeed, { query }: EmulatedCall): JsonObject {
  const parts = partsOf(query);
  const ids = query.getAll("id").flatMap((id) => id.split(",")).filter(Boolean);
  if (ids.length === 0 && query.get("chart") === null) {
    throw invalid(
      "No filter selected. Expected one of: id, chart, myRating",
      "missingRequiredParameter",
    );
  }
  const shown = ids.length > 0
    ? ids
    : Array.from({ length: 5 }, (_, index) => videoId(`popular/${index}`));
  const known = shown.filter((id) => /^[\w-]{11}$/.test(id));
  return {
    kind: "youtube#videoListResponse",
    etag: hashHex(`videos ${known.join()} ${parts.join()}`, 27),
    items: known.map((id) => video(id, parts, seed.now)),
    pageInfo: { totalResults: known.length, resultsPerPage: known.length },
  };
}

function videoId(text: string): string {
  return Uint8Array.fromHex(hashHex(`video ${text}`, 18)).toBase64({ alphabet: "base64url" }).slice(
    0,
    11,
  );
}

function randomOf(id: string): SeededRandom {
  return seededRandom(1, `video ${id}`);
}

function published(id: string, now: number): string {
  return new Date(now - randomOf(id).fork("date").int(1, 3000) * 86_400_000).toISOString().replace(
    /\.\d{3}/,
    "",
  );
}

function snippet(id: string, now: number): JsonObject {
  const random = randomOf(id).fork("snippet");
  const prose = proseOf(random.fork("prose"), random.pick(TOPICS));
  const thumbnail = (name: string, width: number, height: number): JsonObject => ({
    url: `https://i.media.example.com/vi/${id}/${name}.jpg`,
    width,
    height,
  });
  return {
    publishedAt: published(id, now),
    channelId: `UC${hashHex(`channel ${random.int(1, 40)}`, 22)}`,
    title: random.next() < 0.2 ? prose.foreign() : prose.subject(),
    description: prose.paragraph(random.int(1, 3)),
    thumbnails: {
      default: thumbnail("default", 120, 90),
      medium: thumbnail("mqdefault", 320, 180),
      high: thumbnail("hqdefault", 480, 360),
    },
    channelTitle: random.pick([
      "Tideline Films",
      "ミナトTV",
      "Kantine 3",
      "Dév'Mag Vidéo",
      "Branch Library",
    ]),
    liveBroadcastContent: "none",
  };
}

function video(id: string, parts: readonly string[], now: number): JsonObject {
  const random = randomOf(id).fork("details");
  const prose = proseOf(random.fork("prose"), random.pick(TOPICS));
  const views = Math.floor(10 ** (2 + random.next() * 6));
  const all: JsonObject = {
    snippet: {
      ...snippet(id, now),
      description: Array.from({ length: random.int(1, 7) }, () => prose.paragraph(3)).join("\n\n"),
      ...(random.next() < 0.6
        ? { tags: Array.from({ length: random.int(2, 14) }, () => prose.noun()) }
        : {}),
      categoryId: String(random.int(1, 29)),
      defaultAudioLanguage: random.pick(["en", "sv", "ja"]),
    },
    contentDetails: {
      duration: `PT${random.int(0, 58)}M${random.int(0, 59)}S`,
      dimension: "2d",
      definition: "hd",
      caption: random.next() < 0.4 ? "true" : "false",
      licensedContent: random.next() < 0.5,
      contentRating: {},
      projection: "rectangular",
    },
    statistics: {
      viewCount: String(views),
      ...(random.next() < 0.9
        ? { likeCount: String(Math.floor(views * random.next() * 0.08)) }
        : {}),
      favoriteCount: "0",
      ...(random.next() < 0.85
        ? { commentCount: String(Math.floor(views * random.next() * 0.01)) }
        : {}),
    },
    status: {
      uploadStatus: "processed",
      privacyStatus: "public",
      license: "youtube",
      embeddable: true,
      publicStatsViewable: true,
      madeForKids: false,
    },
    player: {
      embedHtml:
        `<iframe width="480" height="270" src="//www.media.example.com/embed/${id}" frameborder="0" allowfullscreen></iframe>`,
    },
    topicDetails: {
      topicCategories: [
        `https://en.wikipedia.example.org/wiki/${prose.noun().replaceAll(" ", "_")}`,
      ],
    },
  };
  const shown: JsonObject = { kind: "youtube#video", etag: hashHex(`video etag ${id}`, 27), id };
  for (const part of parts) if (all[part] !== undefined) shown[part] = all[part] as JsonValue;
  return shown;
}
