/** Operations that a request names by their id: no ranking of its words may put another first. */

import type { SearchHit } from "../types.ts";

const ID = /^[A-Za-z][A-Za-z0-9]*(?:\.[A-Za-z][A-Za-z0-9]*)+$/;
/** An ending that fits more operations says too little to go by. */
const MOST_ENDINGS = 4;

/** Words of a request that are written like an id. */
export function idsIn(query: string): string[] {
  return query.split(/[\s,;:`'"()]+/).map((word) => word.replace(/\.+$/, ""))
    .filter((word) => ID.test(word));
}

/**
 * Those of some ids that a request names, letter case aside; a request that is nothing but the
 * ending of ids (`messages.list`) names every one of them.
 */
export function namedAmong(query: string, ids: readonly string[]): string[] {
  const asked = new Set(idsIn(query).map((id) => id.toLowerCase()));
  if (asked.size === 0) return [];
  const whole = ids.filter((id) => asked.has(id.toLowerCase()));
  const [ending] = asked;
  if (whole.length > 0 || ending !== query.trim().toLowerCase()) return whole;
  const ended = ids.filter((id) => id.toLowerCase().endsWith(`.${ending}`));
  return ended.length > MOST_ENDINGS ? [] : ended;
}

/** The rows with the named ones first, none twice, scores still falling. */
export function namedFirst(
  rows: readonly SearchHit[],
  named: readonly SearchHit[],
): SearchHit[] {
  if (named.length === 0) return [...rows];
  const ids = new Set(named.map(({ op_id }) => op_id));
  const best = Math.max(...[...rows, ...named].map(({ score }) => score));
  const places = new Map(rows.map(({ op_id }, at) => [op_id, at]));
  const place = ({ op_id }: SearchHit) => places.get(op_id) ?? rows.length;
  return [
    ...named.toSorted((a, b) => place(a) - place(b)).map((hit) => ({ ...hit, score: best })),
    ...rows.filter(({ op_id }) => !ids.has(op_id)),
  ];
}
