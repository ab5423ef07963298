/** Instants, dates and zones of the emulated calendar. */

import type { JsonObject } from "../../json/mod.ts";
import { invalid } from "../drive/mod.ts";
import { EmulatedError } from "../service.ts";

/** A start or end: a whole day, or an instant that belongs to a zone. */
export type EventTime =
  | { kind: "date"; date: string }
  | { kind: "instant"; at: number; zone: string };

/** Milliseconds at which an event time begins; days begin in `zone`. */
export function beginOf(time: EventTime, zone: string): number {
  if (time.kind === "instant") return time.at;
  return Temporal.PlainDate.from(time.date).toZonedDateTime(zone).epochMilliseconds;
}

/** RFC 3339 text of an instant with the offset that its zone had then. */
export function offsetText(at: number, zone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
    .toString({ timeZoneName: "never", smallestUnit: "second", offset: "auto" })
    .replace(/\+00:00$/, "Z");
}

/** An event time as the API prints it; instants in the zone of the answer. */
export function timeView(time: EventTime, zone: string): JsonObject {
  if (time.kind === "date") return { date: time.date };
  return { dateTime: offsetText(time.at, zone), timeZone: time.zone };
}

/** The suffix that names an instance of a recurring event by its original start. */
export function instanceSuffix(time: EventTime): string {
  if (time.kind === "date") return time.date.replaceAll("-", "");
  return new Date(time.at).toISOString().replace(/\.[0-9]{3}Z$/, "Z").replace(/[-:]/g, "");
}

/** A known zone name; 400 otherwise. */
export function zoneName(text: string): string {
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text).timeZoneId;
  } catch (cause) {
    if (cause instanceof RangeError) throw invalid(`Invalid time zone definition: ${text}.`);
    throw cause;
  }
}

/**
 * Reads `{date}` or `{dateTime, timeZone}` of a body.
 *
 * @throws EmulatedError 400 for what Calendar refuses.
 */
export function readTime(
  given: JsonObject | undefined,
  { name, zone }: { name: string; zone: string },
): EventTime {
  if (given === undefined) {
    throw new EmulatedError(400, `Missing ${name} time.`, { reason: "required" });
  }
  const { date, dateTime, timeZone } = given;
  if (typeof date === "string") {
    try {
      return { kind: "date", date: Temporal.PlainDate.from(date).toString() };
    } catch (cause) {
      if (cause instanceof RangeError) {
        throw invalid(`Invalid value for: Invalid format: "${date}"`);
      }
      throw cause;
    }
  }
  if (typeof dateTime !== "string") {
    throw new EmulatedError(400, `Missing ${name} time.`, { reason: "required" });
  }
  const named = typeof timeZone === "string" ? zoneName(timeZone) : undefined;
  try {
    if (/(Z|[+-][0-9]{2}:?[0-9]{2})$/i.test(dateTime)) {
      return {
        kind: "instant",
        at: Temporal.Instant.from(dateTime).epochMilliseconds,
        zone: named ?? zone,
      };
    }
    if (named === undefined) {
      throw new EmulatedError(400, `Missing time zone definition for ${name} time.`, {
        reason: "required",
      });
    }
    return {
      kind: "instant",
      at: Temporal.PlainDateTime.from(dateTime).toZonedDateTime(named).epochMilliseconds,
      zone: named,
    };
  } catch (cause) {
    if (cause instanceof RangeError) {
      throw invalid(`Invalid value for: Invalid format: "${dateTime}"`);
    }
    throw cause;
  }
}
