/** Web services that no Discovery document describes: Maps, and content generation. */

import type { JsonObject, JsonValue } from "../json/mod.ts";
import { isJsonObject } from "../json/mod.ts";
import { hashHex, seededRandom } from "./random.ts";
import {
  type EmulatedAnswer,
  type EmulatedCall,
  EmulatedError,
  type SeededRandom,
} from "./service.ts";

/** Answers of these services; undefined for every other path. */
export function answerPlainWebService(
  call: EmulatedCall,
  seed: number,
): EmulatedAnswer | undefined {
  const random = (text: string) => seededRandom(seed, `web/${call.path}/${text}`);
  const maps = /^\/maps\/api\/([a-z]+)\/json$/.exec(call.path)?.[1];
  if (call.host === "maps.googleapis.com" && maps !== undefined) {
    return mapsAnswer(maps, call.query, random);
  }
  const model = /^\/v1(?:beta)?\/models\/([^/:]+):generateContent$/.exec(call.path)?.[1];
  if (call.host === "generativelanguage.googleapis.com" && model !== undefined) {
    return { body: generatedContent(model, call.body, random) };
  }
  return undefined;
}

type RandomOf = (text: string) => SeededRandom;

function mapsAnswer(service: string, query: URLSearchParams, random: RandomOf): EmulatedAnswer {
  const invalid = (what: string): EmulatedAnswer => ({
    body: {
      error_message: `Invalid request. Missing the '${what}' parameter.`,
      status: "INVALID_REQUEST",
    },
  });
  switch (service) {
    case "geocode": {
      const address = query.get("address") ?? query.get("latlng");
      if (!address) return invalid("address");
      if (/nowhere/i.test(address)) return { body: { results: [], status: "ZERO_RESULTS" } };
      return { body: { results: [geocodeResult(address, random(address))], status: "OK" } };
    }
    case "timezone": {
      if (!query.get("location")) return invalid("location");
      return {
        body: {
          dstOffset: 3600,
          rawOffset: 3600,
          status: "OK",
          timeZoneId: "Europe/Stockholm",
          timeZoneName: "Central European Summer Time",
        },
      };
    }
    case "distancematrix": {
      const origins = list(query.get("origins"));
      const destinations = list(query.get("destinations"));
      if (origins.length === 0) return invalid("origins");
      if (destinations.length === 0) return invalid("destinations");
      return {
        body: {
          destination_addresses: destinations,
          origin_addresses: origins,
          rows: origins.map((origin): JsonValue => ({
            elements: destinations.map((destination) => leg(random(`${origin}>${destination}`))),
          })),
          status: "OK",
        },
      };
    }
    case "directions": {
      const origin = query.get("origin");
      const destination = query.get("destination");
      if (!origin) return invalid("origin");
      if (!destination) return invalid("destination");
      const own = random(`${origin}>${destination}`);
      const { status: _status, ...distances } = leg(own);
      return {
        body: {
          geocoded_waypoints: [origin, destination].map((place): JsonValue => ({
            geocoder_status: "OK",
            place_id: placeId(place),
            types: ["locality", "political"],
          })),
          routes: [{
            summary: `Route ${own.int(2, 99)}`,
            legs: [{ ...distances, start_address: origin, end_address: destination, steps: [] }],
            overview_polyline: { points: own.hex(60) },
            warnings: [],
            waypoint_order: [],
          }],
          status: "OK",
        },
      };
    }
    default:
      throw new EmulatedError(404, `No such Maps service: ${service}`, { reason: "notFound" });
  }
}

function list(text: string | null): string[] {
  return (text ?? "").split("|").map((item) => item.trim()).filter((item) => item !== "");
}

function placeId(text: string): string {
  return `ChIJ${
    Uint8Array.fromHex(hashHex(`place ${text}`, 34)).toBase64({
      alphabet: "base64url",
      omitPadding: true,
    })
  }`;
}

function geocodeResult(address: string, random: SeededRandom): JsonObject {
  const lat = Number((55 + random.next() * 10).toFixed(7));
  const lng = Number((8 + random.next() * 14).toFixed(7));
  const corner = (by: number): JsonObject => ({
    lat: Number((lat + by).toFixed(7)),
    lng: Number((lng + by).toFixed(7)),
  });
  return {
    address_components: [
      { long_name: address, short_name: address.slice(0, 12), types: ["route"] },
      { long_name: "Sweden", short_name: "SE", types: ["country", "political"] },
    ],
    formatted_address: `${address}, ${random.int(10000, 99999)} Sandvik, Sweden`,
    geometry: {
      location: { lat, lng },
      location_type: "ROOFTOP",
      viewport: { northeast: corner(0.00135), southwest: corner(-0.00135) },
    },
    place_id: placeId(address),
    types: ["street_address"],
  };
}

function leg(random: SeededRandom): JsonObject {
  const metres = random.int(400, 640_000);
  const seconds = Math.round(metres / (8 + random.next() * 20));
  return {
    distance: { text: `${(metres / 1000).toFixed(1)} km`, value: metres },
    duration: { text: `${Math.max(1, Math.round(seconds / 60))} mins`, value: seconds },
    status: "OK",
  };
}

function generatedContent(
  model: string,
  body: JsonValue | undefined,
  random: RandomOf,
): JsonObject {
  const contents = isJsonObject(body ?? null) ? (body as JsonObject).contents : undefined;
  if (!Array.isArray(contents) || contents.length === 0) {
    throw new EmulatedError(400, "* GenerateContentRequest.contents: contents is not specified\n", {
      status: "INVALID_ARGUMENT",
      reason: "badRequest",
    });
  }
  const prompt = JSON.stringify(contents);
  const own = random(prompt);
  const words = prompt.split(/[^\p{L}]+/u).filter((word) => word.length > 3);
  const text = `Emulated answer ${own.hex(6)}: ${words.slice(0, 12).join(" ")}.`;
  const promptTokens = Math.ceil(prompt.length / 4);
  return {
    candidates: [{ content: { parts: [{ text }], role: "model" }, finishReason: "STOP", index: 0 }],
    usageMetadata: {
      promptTokenCount: promptTokens,
      candidatesTokenCount: Math.ceil(text.length / 4),
      totalTokenCount: promptTokens + Math.ceil(text.length / 4),
    },
    modelVersion: model,
    responseId: own.hex(22),
  };
}
