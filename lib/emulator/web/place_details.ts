/** What a place answers beyond the basics when every field of it is asked for. */

import type { JsonObject, JsonValue } from "../../json/mod.ts";
import type { SeededRandom } from "../service.ts";

const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const PLUS_CODE = "23456789CFGHJMPQRVWX";

/** Where a place is. */
export interface PlaceSpot {
  id: string;
  street: string;
  latitude: number;
  longitude: number;
}

/** Codes, hours, photos, links and amenities; some places have few of them. */
export function placeDetails(random: SeededRandom, spot: PlaceSpot): JsonObject {
  const { id, street } = spot;
  const often = (chance: number) => random.next() < chance;
  const area = code(random, 4);
  const local = `${code(random, 4)}+${code(random, 2)}`;
  const photos = Array.from(
    { length: often(0.75) ? random.int(1, 10) : 0 },
    (_, index) => photo(random.fork(`photo ${index}`), id),
  );
  const cid = `${random.int(1e9, 2e9)}${random.int(1e8, 9e8)}`;
  return {
    plusCode: {
      globalCode: `9F${area.slice(2)}${local}`,
      compoundCode: `${local} Sandvik, Sweden`,
    },
    shortFormattedAddress: `${street}, Sandvik`,
    adrFormatAddress:
      `<span class="street-address">${street}</span>, <span class="locality">Sandvik</span>, ` +
      '<span class="country-name">Sweden</span>',
    postalAddress: {
      regionCode: "SE",
      languageCode: "sv",
      locality: "Sandvik",
      addressLines: [street],
    },
    timeZone: { id: "Europe/Stockholm" },
    primaryType: "point_of_interest",
    iconMaskBaseUri: "https://maps.example.com/mapfiles/place_api/icons/v2/generic_pinlet",
    iconBackgroundColor: "#7B9EB0",
    ...(often(0.7) ? { regularOpeningHours: openingHours(random.fork("hours")) } : {}),
    ...(often(0.7)
      ? {
        internationalPhoneNumber: `+46 70-${random.int(100, 999)} ${random.int(10, 99)} ${
          random.int(10, 99)
        }`,
      }
      : {}),
    ...(photos.length > 0 ? { photos } : {}),
    googleMapsLinks: {
      directionsUri: `https://maps.example.com/maps/dir//''/data=!4m7!4m6!1m1!4e2!1m2!1m1!1s0x${
        random.hex(16)
      }:0x${random.hex(16)}!3e0`,
      placeUri: `https://maps.example.com/?cid=${cid}`,
      writeAReviewUri: `https://maps.example.com/maps/place//data=!4m3!3m2!1s0x${
        random.hex(16)
      }:0x${random.hex(16)}!12e1`,
      reviewsUri: `https://maps.example.com/maps/place//data=!4m4!3m3!1s0x${random.hex(16)}:0x${
        random.hex(16)
      }!9m1!1b1`,
      photosUri: `https://maps.example.com/maps/place//data=!4m3!3m2!1s0x${random.hex(16)}:0x${
        random.hex(16)
      }!10e5`,
    },
    ...(often(0.6)
      ? {
        accessibilityOptions: {
          wheelchairAccessibleParking: often(0.6),
          wheelchairAccessibleEntrance: often(0.8),
          wheelchairAccessibleRestroom: often(0.5),
          wheelchairAccessibleSeating: often(0.5),
        },
        paymentOptions: {
          acceptsCreditCards: true,
          acceptsDebitCards: true,
          acceptsCashOnly: false,
          acceptsNfc: often(0.7),
        },
      }
      : {}),
    ...(often(0.5)
      ? {
        dineIn: often(0.8),
        takeout: often(0.7),
        delivery: often(0.3),
        reservable: often(0.5),
        servesCoffee: often(0.9),
        goodForChildren: often(0.7),
        restroom: true,
      }
      : {}),
  };
}

function code(random: SeededRandom, length: number): string {
  return Array.from({ length }, () => PLUS_CODE[random.int(0, PLUS_CODE.length - 1)]).join("");
}

function openingHours(random: SeededRandom): JsonObject {
  const [opens, closes] = [random.int(6, 11), random.int(15, 22)];
  const closed = random.next() < 0.5 ? 6 : -1;
  const open = DAYS.map((_, index) => index).filter((index) => index !== closed);
  const spoken = (hour: number) => `${(hour + 11) % 12 + 1}:00\u202f${hour < 12 ? "AM" : "PM"}`;
  return {
    openNow: random.next() < 0.7,
    periods: open.map((index): JsonValue => {
      const day = (index + 1) % 7;
      return {
        open: { day, hour: opens, minute: 0 },
        close: { day, hour: closes, minute: 0 },
      };
    }),
    weekdayDescriptions: DAYS.map((day, index) =>
      index === closed ? `${day}: Closed` : `${day}: ${spoken(opens)}\u2009–\u2009${spoken(closes)}`
    ),
  };
}

function photo(random: SeededRandom, placeId: string): JsonObject {
  const key = Array.from({ length: 4 }, () => random.hex(32)).join("");
  const contributor = `https://maps.example.com/maps/contrib/${random.int(1e9, 2e9)}`;
  return {
    name: `places/${placeId}/photos/AUy1YQ${key}`,
    widthPx: random.pick([4032, 4080, 3024, 1600]),
    heightPx: random.pick([3024, 3072, 4032, 1200]),
    authorAttributions: [{
      displayName: random.pick(["A. Nilsson", "Kenji", "Mme. Roux", "Ż. Nowak"]),
      uri: contributor,
      photoUri: `https://lh3.example.com/a-/ALV-U${random.hex(40)}=s100-p-k-no-mo`,
    }],
    flagContentUri:
      `https://maps.example.com/local/imagery/report/?cb_client=maps_api_places.places_api&image_key=!1e10!2sCIHM0ogKEICAgID${
        random.hex(18)
      }&hl=en-US`,
    googleMapsUri: `https://maps.example.com/maps/place//data=!3m4!1e2!3m2!1sCIHM0ogKEICAgID${
      random.hex(18)
    }!2e10!4m2!3m1!1s0x${random.hex(16)}:0x${random.hex(16)}`,
  };
}
