/** Flat fields for YouTube, Photos, Places, Routes and Maps. */

import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import {
  type AnnotatedBody,
  at,
  type Derived,
  joined,
  objectOf,
  scalarAt,
  textOf,
} from "./derive.ts";

/** What every YouTube resource says of itself. */
function snippetFields(item: JsonObject): Derived {
  return {
    title: scalarAt(item, "snippet.title"),
    description: scalarAt(item, "snippet.description"),
    published: scalarAt(item, "snippet.publishedAt"),
    channel: scalarAt(item, "snippet.channelTitle"),
    channel_id: scalarAt(item, "snippet.channelId"),
  };
}

/** A search result: which of the three ids it has says what it is. */
export function searchResultFields(item: JsonObject): Derived {
  return {
    ...snippetFields(item),
    video_id: scalarAt(item, "id.videoId"),
    playlist_id: scalarAt(item, "id.playlistId"),
    channel_id: scalarAt(item, "snippet.channelId") ?? scalarAt(item, "id.channelId"),
    live: liveState(item),
  };
}

function liveState(item: JsonObject): string | undefined {
  const state = textOf(at(item, "snippet.liveBroadcastContent"));
  return state === "none" ? undefined : state;
}

/** A video with its figures. */
export function videoFields(item: JsonObject): Derived {
  const tags = at(item, "snippet.tags");
  return {
    ...snippetFields(item),
    tags: Array.isArray(tags) ? joined(tags.filter((tag) => typeof tag === "string")) : undefined,
    duration: scalarAt(item, "contentDetails.duration"),
    captions: scalarAt(item, "contentDetails.caption"),
    views: scalarAt(item, "statistics.viewCount"),
    likes: scalarAt(item, "statistics.likeCount"),
    comments: scalarAt(item, "statistics.commentCount"),
    privacy: scalarAt(item, "status.privacyStatus"),
    live: liveState(item),
  };
}

/** A channel with its figures. */
export function channelFields(item: JsonObject): Derived {
  return {
    ...snippetFields(item),
    handle: scalarAt(item, "snippet.customUrl"),
    country: scalarAt(item, "snippet.country"),
    subscribers: scalarAt(item, "statistics.subscriberCount"),
    videos: scalarAt(item, "statistics.videoCount"),
    views: scalarAt(item, "statistics.viewCount"),
    uploads_playlist: scalarAt(item, "contentDetails.relatedPlaylists.uploads"),
  };
}

/** A playlist. */
export function playlistFields(item: JsonObject): Derived {
  return {
    ...snippetFields(item),
    videos: scalarAt(item, "contentDetails.itemCount"),
    privacy: scalarAt(item, "status.privacyStatus"),
  };
}

/** An entry of a playlist; the channel is the video's. */
export function playlistItemFields(item: JsonObject): Derived {
  return {
    title: scalarAt(item, "snippet.title"),
    description: scalarAt(item, "snippet.description"),
    added: scalarAt(item, "snippet.publishedAt"),
    position: scalarAt(item, "snippet.position"),
    video_id: scalarAt(item, "snippet.resourceId.videoId") ??
      scalarAt(item, "contentDetails.videoId"),
    channel: scalarAt(item, "snippet.videoOwnerChannelTitle"),
    published: scalarAt(item, "contentDetails.videoPublishedAt"),
    privacy: scalarAt(item, "status.privacyStatus"),
  };
}

/** A subscription; the channel is the one subscribed to. */
export function subscriptionFields(item: JsonObject): Derived {
  return {
    title: scalarAt(item, "snippet.title"),
    description: scalarAt(item, "snippet.description"),
    channel_id: scalarAt(item, "snippet.resourceId.channelId"),
    since: scalarAt(item, "snippet.publishedAt"),
    videos: scalarAt(item, "contentDetails.totalItemCount"),
    new_videos: scalarAt(item, "contentDetails.newItemCount"),
  };
}

/** A photo or a film. */
export function mediaItemFields(item: JsonObject): Derived {
  const width = textOf(at(item, "mediaMetadata.width"));
  const height = textOf(at(item, "mediaMetadata.height"));
  return {
    created: scalarAt(item, "mediaMetadata.creationTime"),
    pixels: width !== undefined && height !== undefined ? `${width}x${height}` : undefined,
  };
}

/** A place. */
export function placeFields(place: JsonObject): Derived {
  return {
    title: scalarAt(place, "displayName.text"),
    coordinates: coordinates(place.location, ["latitude", "longitude"]),
    open_now: scalarAt(place, "currentOpeningHours.openNow"),
    summary: scalarAt(place, "editorialSummary.text"),
  };
}

/** A geocoded address. */
export function geocodeFields(result: JsonObject): Derived {
  return {
    coordinates: coordinates(objectOf(result.geometry).location, ["lat", "lng"]),
    precision: scalarAt(result, "geometry.location_type"),
    kinds: Array.isArray(result.types)
      ? joined(result.types.filter((kind) => typeof kind === "string"), " ")
      : undefined,
  };
}

/** `latitude,longitude`, as the Maps services take it. */
function coordinates(value: unknown, names: readonly [string, string]): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const [latitude, longitude] = names.map((name) => value[name]);
  return typeof latitude === "number" && typeof longitude === "number"
    ? `${latitude},${longitude}`
    : undefined;
}

/** One pair of a route matrix that could not be computed says why. */
export function matrixFields(element: JsonObject): Derived {
  return {
    error: scalarAt(element, "status.message"),
    error_code: scalarAt(element, "status.code"),
  };
}

/** Adds `results` to a distance matrix: one row for each pair. */
export function annotateDistances(body: JsonObject): AnnotatedBody | undefined {
  const names = (key: string): JsonValue[] => Array.isArray(body[key]) ? body[key] : [];
  const origins = names("origin_addresses");
  const destinations = names("destination_addresses");
  if (!Array.isArray(body.rows) || Object.hasOwn(body, "results")) return undefined;
  // An element belongs to the addresses of its own place, so none is left out before it is counted.
  const listed = (value: JsonValue | undefined) => Array.isArray(value) ? value : [];
  const results = body.rows.flatMap((row, from) =>
    listed(objectOf(row).elements).flatMap((found, to): JsonObject[] => {
      if (!isJsonObject(found)) return [];
      const element = found;
      return [{
        origin: textOf(origins[from]) ?? from,
        destination: textOf(destinations[to]) ?? to,
        ...defined({
          status: textOf(element.status),
          meters: scalarAt(element, "distance.value"),
          seconds: scalarAt(element, "duration.value"),
          seconds_in_traffic: scalarAt(element, "duration_in_traffic.value"),
          fare: scalarAt(element, "fare.text"),
        }),
      }];
    })
  );
  return { body: { ...body, results }, addedPaths: ["results"] };
}

function defined(fields: Derived): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
