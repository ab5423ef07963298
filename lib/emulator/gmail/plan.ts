/** What the planners of the seeded mailbox share. */

import type { Person, SeededRandom } from "../service.ts";

/** Milliseconds of a minute. */
export const MINUTE = 60_000;
/** Milliseconds of a day. */
export const DAY = 24 * 60 * MINUTE;
const SPAN_DAYS = 90;

/** A message before it has an id; `thread` groups, in order of time. */
export interface Planned {
  date: number;
  labels: string[];
  thread: string;
  raw: () => Uint8Array<ArrayBuffer>;
  /** Saved as a draft too. */
  draft?: boolean;
}

/** What the planners share. */
export interface World {
  random: SeededRandom;
  now: number;
  owner: Person;
  others: readonly Person[];
  /** Ids of the user labels, in the order of their creation. */
  labelIds: readonly string[];
}

/** A past instant, denser near now. */
export function pastInstant(random: SeededRandom, now: number): number {
  const age = Math.pow(random.next(), 1.4) * SPAN_DAYS * DAY;
  return Math.floor((now - 20 * MINUTE - age) / 1000) * 1000;
}

/** Labels by age and sender: read or not, in the inbox or archived, starred now and then. */
export function standing(
  random: SeededRandom,
  facts: { mine: boolean; date: number; now: number; category: string },
): string[] {
  if (facts.mine) return ["SENT"];
  const age = (facts.now - facts.date) / DAY;
  const labels: string[] = [];
  if (random.next() < (age < 3 ? 0.6 : age < 20 ? 0.22 : 0.08)) labels.push("UNREAD");
  if (random.next() < 0.4 && facts.category === "CATEGORY_PERSONAL") labels.push("IMPORTANT");
  if (random.next() < 0.07) labels.push("STARRED");
  labels.push(facts.category);
  if (random.next() < (age < 14 ? 0.95 : 0.45)) labels.push("INBOX");
  return labels;
}

/** Some of the items, each once. */
export function pickSome<T>(random: SeededRandom, items: readonly T[], count: number): T[] {
  const left = [...items];
  return Array.from(
    { length: Math.min(count, left.length) },
    () => left.splice(random.int(0, left.length - 1), 1)[0] as T,
  );
}
