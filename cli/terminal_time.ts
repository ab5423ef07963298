/** Instants the way people say them. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Beyond this a date says more than a count. */
const RELATIVE_DAYS = 30;

/** The instant a text or a member stands for; undefined when it is none. */
export function instantOf(text: string, key = ""): number | undefined {
  if (/^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:?\d{2})$/.test(text)) {
    const instant = Date.parse(text.replace(" ", "T"));
    return Number.isNaN(instant) ? undefined : instant;
  }
  // Gmail counts milliseconds in a string; the name tells it from any other long number.
  if (/^[0-9]{13}$/.test(text) && /(date|time|At|Ms)$/i.test(key)) return Number(text);
  return undefined;
}

/** `3 hours ago`, `in 2 days`, `just now`; undefined when a date says more. */
export function relativeTime(instant: number, now: number): string | undefined {
  const distance = Math.abs(now - instant);
  if (distance < MINUTE) return "just now";
  if (distance >= RELATIVE_DAYS * DAY) return undefined;
  const [size, unit] = distance < HOUR
    ? [MINUTE, "minute"] as const
    : distance < DAY
    ? [HOUR, "hour"] as const
    : [DAY, "day"] as const;
  const count = Math.floor(distance / size);
  const words = `${count} ${unit}${count === 1 ? "" : "s"}`;
  return instant <= now ? `${words} ago` : `in ${words}`;
}

/** Date and time of day as the text gives them, in the text's own zone. */
export function wallTime(text: string, instant: number): string {
  const written = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2})/.exec(text);
  if (written !== null) return `${written[1]} ${written[2]}`;
  return new Date(instant).toISOString().slice(0, 16).replace("T", " ");
}
