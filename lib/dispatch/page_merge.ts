/** What the pages of a list are together (spec 02 §8.3). Pure. */

import { isJsonObject, isRawNumber, type JsonObject, type JsonValue, setOwn } from "../json/mod.ts";

/** Pages on their way into one answer. */
export interface MergedPages {
  add(body: JsonValue): void;
  /** The records of all pages; what else there is comes from the last one. */
  whole(): JsonValue;
}

/**
 * Starts with no page. Which array holds the records is decided over all pages, because a page may
 * lack its list or hold another one. Where it stays open, nothing is lost: every array is joined,
 * and without any array so are the maps (`items` of an aggregated list).
 */
export function mergedPages(
  recordKey: (object: JsonObject) => string | undefined,
): MergedPages {
  const lists = new Map<string, JsonValue[]>();
  const bare: JsonValue[] = [];
  let maps: JsonObject | undefined;
  let last: JsonValue = {};
  return {
    add(body) {
      last = body;
      if (Array.isArray(body)) { for (const record of body) bare.push(record); }
      if (!isMap(body)) return;
      for (const name of Object.keys(body)) {
        const value = body[name];
        if (!Array.isArray(value)) continue;
        const list = lists.get(name) ?? [];
        lists.set(name, list);
        for (const record of value) list.push(record);
      }
      if (lists.size === 0) maps = maps === undefined ? body : joined(maps, body);
    },
    whole() {
      if (Array.isArray(last)) return bare;
      if (!isMap(last)) return last;
      if (lists.size === 0) return { ...last, ...mapsOf(maps ?? {}) };
      const all: JsonObject = {};
      for (const [name, list] of lists) setOwn(all, name, list);
      const key = recordKey(all);
      const chosen = key === undefined ? [...lists.keys()] : [key];
      const answer: JsonObject = { ...last };
      for (const name of chosen) setOwn(answer, name, lists.get(name) ?? []);
      return answer;
    },
  };
}

function mapsOf(page: JsonObject): JsonObject {
  const found: JsonObject = {};
  for (const name of Object.keys(page)) if (isMap(page[name])) setOwn(found, name, page[name]);
  return found;
}

/** Maps by name, lists behind each other; of anything else the later value. */
function joined(former: JsonObject, later: JsonObject): JsonObject {
  const both: JsonObject = { ...former };
  for (const name of Object.keys(later)) {
    const [one, other] = [Object.hasOwn(former, name) ? former[name] : undefined, later[name]];
    if (other === undefined) continue;
    if (Array.isArray(one) && Array.isArray(other)) setOwn(both, name, [...one, ...other]);
    else setOwn(both, name, isMap(one) && isMap(other) ? joined(one, other) : other);
  }
  return both;
}

function isMap(value: JsonValue | undefined): value is JsonObject {
  return isJsonObject(value) && !isRawNumber(value);
}
