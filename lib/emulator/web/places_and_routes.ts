/** Places search and Routes. Both want to be told which fields to send. */

import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import { partialResponse } from "../partial_response.ts";
import { capital, proseOf, TOPICS } from "../prose.ts";
import {
  type EmulatedCall,
  EmulatedError,
  type EmulatedService,
  type SeededRandom,
  type ServiceSeed,
} from "../service.ts";
import { hashHex } from "../random.ts";
import { errorInfo } from "../error_body.ts";
import { paginate } from "../paging.ts";
import { placeDetails } from "./place_details.ts";

/** `places:searchText` and `places:searchNearby`. */
export function createPlaces(seed: ServiceSeed): EmulatedService {
  const search = (verb: "searchText" | "searchNearby") => ({
    methodId: `places.places.${verb}`,
    method: "POST",
    host: "places.googleapis.com",
    pattern: `/v1/places:${verb}`,
    handle(call: EmulatedCall) {
      const mask = requiredMask(call);
      const body = bodyOf(call);
      const what = verb === "searchText" ? body.textQuery : body.locationRestriction;
      if (what === undefined || what === "") {
        throw invalid(
          verb === "searchText" ? "Empty text_query." : "Missing location_restriction.",
        );
      }
      const random = seed.random.fork(`${verb} ${JSON.stringify(what)}`);
      const total = typeof what === "string" && /nowhere/i.test(what) ? 0 : random.int(3, 47);
      const page = paginate(Array.from({ length: total }, (_, index) => index), {
        pageToken: typeof body.pageToken === "string" ? body.pageToken : null,
        pageSize: typeof body.pageSize === "number"
          ? body.pageSize
          : Number(body.maxResultCount ?? 20),
        defaultSize: 20,
        maximumSize: 20,
        scope: `${verb} ${JSON.stringify(what)}`,
      });
      const whole: JsonObject = {};
      if (page.items.length > 0) {
        whole.places = page.items.map((index) => place(random.fork(`place ${index}`)));
      }
      if (page.nextPageToken !== undefined && verb === "searchText") {
        whole.nextPageToken = page.nextPageToken;
      }
      return { body: partialResponse(whole, mask) };
    },
  });
  return {
    name: "places",
    routes: [search("searchText"), search("searchNearby")],
    inspect: () => ({}),
  };
}

/** `directions/v2:computeRoutes` and `distanceMatrix/v2:computeRouteMatrix`. */
export function createRoutes(seed: ServiceSeed): EmulatedService {
  return {
    name: "routes",
    routes: [
      {
        methodId: "routes.computeRoutes",
        method: "POST",
        host: "routes.googleapis.com",
        pattern: "/directions/v2:computeRoutes",
        handle(call) {
          const mask = requiredMask(call);
          const body = bodyOf(call);
          for (const end of ["origin", "destination"]) {
            if (body[end] === undefined) throw invalid(`${capital(end)} must be set.`);
          }
          const random = seed.random.fork(
            JSON.stringify([body.origin, body.destination, body.travelMode ?? null]),
          );
          const count = body.computeAlternativeRoutes === true ? random.int(2, 3) : 1;
          const whole = {
            routes: Array.from(
              { length: count },
              (_, index) => routeOf(random.fork(`route ${index}`), index),
            ),
            geocodingResults: {},
          };
          return { body: partialResponse(whole, mask) };
        },
      },
      {
        methodId: "routes.computeRouteMatrix",
        method: "POST",
        host: "routes.googleapis.com",
        pattern: "/distanceMatrix/v2:computeRouteMatrix",
        handle(call) {
          const mask = requiredMask(call);
          const body = bodyOf(call);
          const origins = Array.isArray(body.origins) ? body.origins : [];
          const destinations = Array.isArray(body.destinations) ? body.destinations : [];
          if (origins.length === 0 || destinations.length === 0) {
            throw invalid("Origins and destinations must be set.");
          }
          const cells = origins.flatMap((origin, originIndex) =>
            destinations.map((destination, destinationIndex): JsonValue => {
              const random = seed.random.fork(JSON.stringify([origin, destination]));
              const { distanceMeters, duration } = travel(random);
              return {
                originIndex,
                destinationIndex,
                status: {},
                condition: "ROUTE_EXISTS",
                distanceMeters,
                duration: `${duration}s`,
                staticDuration: `${Math.round(duration * 0.9)}s`,
              };
            })
          );
          return { body: partialResponse(cells, mask) };
        },
      },
    ],
    inspect: () => ({}),
  };
}

function bodyOf(call: EmulatedCall): JsonObject {
  return isJsonObject(call.body ?? null) ? call.body as JsonObject : {};
}

function invalid(message: string): EmulatedError {
  return new EmulatedError(400, message, { reason: "badRequest", status: "INVALID_ARGUMENT" });
}

function requiredMask(call: EmulatedCall): string {
  const mask = call.headers.get("x-goog-fieldmask") ?? call.query.get("$fields") ??
    call.query.get("fields");
  if (mask) return mask;
  throw new EmulatedError(
    400,
    "FieldMask is a required parameter. See https://cloud.google.com/apis/docs/system-parameters on how to provide it.",
    {
      status: "INVALID_ARGUMENT",
      details: [errorInfo("FIELD_MASK_REQUIRED", { service: call.host })],
    },
  );
}

function place(random: SeededRandom): JsonObject {
  const prose = proseOf(random.fork("prose"), random.pick(TOPICS));
  const id = `ChIJ${
    Uint8Array.fromHex(hashHex(random.hex(20), 34)).toBase64({
      alphabet: "base64url",
      omitPadding: true,
    })
  }`;
  const name = random.pick([
    `${capital(prose.noun())} & ${capital(prose.noun())}`,
    `Café ${capital(prose.noun())}`,
    `${capital(prose.noun())} ${random.pick(["Bar", "Stuga", "亭", "Haus"])}`,
  ]);
  const street = `${random.int(1, 180)} ${
    random.pick(["Harbour Row", "Kajgatan", "Am Deich", "Rue du Port"])
  }`;
  const latitude = Number((55 + random.next() * 9).toFixed(7));
  const longitude = Number((8 + random.next() * 14).toFixed(7));
  const often = (chance: number) => random.next() < chance;
  const reviews = Array.from({ length: random.int(0, 3) }, (_, index): JsonValue => {
    const own = random.fork(`review ${index}`);
    return {
      name: `places/${id}/reviews/${own.hex(40)}`,
      relativePublishTimeDescription: `${own.int(2, 11)} months ago`,
      rating: own.int(1, 5),
      text: {
        text: own.next() < 0.3 ? prose.foreign() : prose.paragraph(own.int(1, 4)),
        languageCode: "en",
      },
      authorAttribution: {
        displayName: own.pick(["A. Nilsson", "Kenji", "Mme. Roux", "Ż. Nowak"]),
        uri: `https://maps.example.com/contrib/${own.hex(12)}`,
      },
      publishTime: new Date(Date.UTC(2025, own.int(5, 16), own.int(1, 28), own.int(6, 22)))
        .toISOString(),
    };
  });
  return {
    name: `places/${id}`,
    id,
    types: [
      random.pick(["cafe", "hardware_store", "library", "marina", "school"]),
      "point_of_interest",
      "establishment",
    ],
    ...(often(0.8)
      ? {
        nationalPhoneNumber: `070-${random.int(100, 999)} ${random.int(10, 99)} ${
          random.int(10, 99)
        }`,
      }
      : {}),
    formattedAddress: `${street}, ${random.int(10000, 99999)} Sandvik, Sweden`,
    addressComponents: [
      { longText: street, shortText: street, types: ["route"], languageCode: "sv" },
      { longText: "Sweden", shortText: "SE", types: ["country", "political"], languageCode: "en" },
    ],
    location: { latitude, longitude },
    viewport: {
      low: { latitude: latitude - 0.0013, longitude: longitude - 0.0013 },
      high: { latitude: latitude + 0.0013, longitude: longitude + 0.0013 },
    },
    ...(often(0.85)
      ? {
        rating: Number((2.5 + random.next() * 2.5).toFixed(1)),
        userRatingCount: random.int(1, 4800),
      }
      : {}),
    googleMapsUri: `https://maps.example.com/?cid=${random.int(1e9, 2e9)}${random.int(1e8, 9e8)}`,
    ...(often(0.6) ? { websiteUri: `https://www.${random.hex(6)}.example.org/` } : {}),
    utcOffsetMinutes: 120,
    businessStatus: often(0.93) ? "OPERATIONAL" : "CLOSED_TEMPORARILY",
    ...(often(0.4)
      ? { priceLevel: random.pick(["PRICE_LEVEL_INEXPENSIVE", "PRICE_LEVEL_MODERATE"]) }
      : {}),
    displayName: { text: name, languageCode: "en" },
    ...(often(0.5) ? { editorialSummary: { text: prose.sentence(), languageCode: "en" } } : {}),
    ...(reviews.length > 0 ? { reviews } : {}),
    ...placeDetails(random.fork("details"), { id, street, latitude, longitude }),
  };
}

function travel(random: SeededRandom): { distanceMeters: number; duration: number } {
  const distanceMeters = random.int(400, 640_000);
  return { distanceMeters, duration: Math.round(distanceMeters / (8 + random.next() * 20)) };
}

function routeOf(random: SeededRandom, index: number): JsonObject {
  const { distanceMeters, duration } = travel(random);
  const steps = Array.from({ length: random.int(3, 24) }, (_, at): JsonValue => {
    const own = random.fork(`step ${at}`);
    return {
      distanceMeters: own.int(20, 9000),
      staticDuration: `${own.int(5, 900)}s`,
      polyline: { encodedPolyline: own.hex(own.int(8, 90)) },
      navigationInstruction: {
        maneuver: own.pick(["TURN_LEFT", "TURN_RIGHT", "STRAIGHT", "ROUNDABOUT_RIGHT"]),
        instructions: `${own.pick(["Turn left onto", "Turn right onto", "Continue on"])} ${
          own.pick(["Kajgatan", "E18", "Rue du Port"])
        }`,
      },
    };
  });
  const localizedValues: JsonObject = {
    distance: { text: `${(distanceMeters / 1000).toFixed(1)} km` },
    duration: { text: `${Math.max(1, Math.round(duration / 60))} mins` },
  };
  return {
    routeLabels: [index === 0 ? "DEFAULT_ROUTE" : "DEFAULT_ROUTE_ALTERNATE"],
    legs: [{
      distanceMeters,
      duration: `${duration}s`,
      staticDuration: `${duration}s`,
      polyline: { encodedPolyline: random.hex(120) },
      steps,
      localizedValues,
    }],
    distanceMeters,
    duration: `${duration}s`,
    staticDuration: `${Math.round(duration * 0.94)}s`,
    polyline: { encodedPolyline: random.hex(180) },
    description: random.pick(["E18", "Route 55 and E4", "Kustvägen"]),
    localizedValues,
  };
}
