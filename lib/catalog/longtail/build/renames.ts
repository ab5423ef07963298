/**
 * Ids that Google gave up: an operation that is where another one was keeps the other's id as a
 * deprecated one for a while (spec 04 §10 "Ids").
 */

import { byCodeUnit } from "../../search/order.ts";
import type { PlacedOperation } from "../methods.ts";
import type { Rename, Renames } from "../types.ts";

/** How long an old id keeps working after its successor appeared. */
const KEPT_DAYS = 90;

/** What is known from the pack before. */
export interface EarlierPack {
  operations: readonly PlacedOperation[];
  renames: Renames;
}

/**
 * The old ids that the new operations answer to: those of before that are young enough, and those
 * that vanished now while another operation of the service took their place (method, host, path, schemas).
 * A place that several share says nothing.
 *
 * @param now Operations of the new pack; services that are not among them are left out.
 * @param revision Newest document revision of the new pack, `YYYYMMDD`: the clock of a build.
 */
export function followRenames(
  earlier: EarlierPack,
  { now, revision }: { now: readonly PlacedOperation[]; revision: string },
): Renames {
  const live = new Set(now.map(({ opId }) => opId));
  const places = onlyOnes(now);
  const earlierPlaces = onlyOnes(earlier.operations);
  const successors = new Map<string, Rename>();
  for (const [old, rename] of Object.entries(earlier.renames)) successors.set(old, rename);
  for (const one of earlier.operations) {
    const to = places.get(placeOf(one));
    const wasAlone = earlierPlaces.get(placeOf(one)) === one.opId;
    if (!live.has(one.opId) && wasAlone && to !== undefined) {
      successors.set(one.opId, { to, since: revision });
    }
  }
  const kept: [string, Rename][] = [];
  for (const [old, { to, since }] of successors) {
    // The successor may have been renamed in its turn.
    const last = live.has(to) ? to : successors.get(to)?.to;
    if (live.has(old) || last === undefined || !live.has(last)) continue;
    if (daysBetween(since, revision) < KEPT_DAYS) kept.push([old, { to: last, since }]);
  }
  return Object.fromEntries(kept.sort(([a], [b]) => byCodeUnit(a, b)));
}

function placeOf(one: PlacedOperation): string {
  const { service, httpMethod, address, request, response } = one;
  return [service, httpMethod, address, request, response].join(" ");
}

/**
 * Operations that share their place with no other. Templates such as `v1/{+name}` serve many, and
 * an id that led to another kind of resource would be worse than one that leads nowhere.
 */
function onlyOnes(operations: readonly PlacedOperation[]): Map<string, string> {
  const alone = new Map<string, string>();
  const shared = new Set<string>();
  for (const one of operations) {
    const place = placeOf(one);
    if (alone.has(place)) shared.add(place);
    alone.set(place, one.opId);
  }
  for (const place of shared) alone.delete(place);
  return alone;
}

function daysBetween(from: string, to: string): number {
  return (dayOf(to) - dayOf(from)) / 86_400_000;
}

function dayOf(revision: string): number {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)/.exec(revision) ?? [];
  return Date.UTC(Number(year), Number(month) - 1, Number(day));
}
