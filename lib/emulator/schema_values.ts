/** Values that fit a Discovery schema and look like what Google sends. */

import { isJsonObject, type JsonObject, type JsonValue, setOwn } from "../json/mod.ts";
import { proseOf, TOPICS } from "./prose.ts";
import type { SeededRandom } from "./service.ts";
import { worldPeople } from "./world.ts";

/** Where a value stands. */
export interface SchemaContext {
  schemas: JsonObject;
  random: SeededRandom;
  service: string;
  now: number;
  depth: number;
  /** Property name. */
  name: string;
  /** Names of the enclosing properties. */
  path: readonly string[];
}

/** Nesting beyond which records are left out. */
const MAX_DEPTH = 5;

/** Follows `$ref`; an unknown one is an open object. */
export function resolveSchema(schemas: JsonObject, schema: JsonObject): JsonObject {
  let current = schema;
  for (let hops = 0; hops < 8 && typeof current.$ref === "string"; hops++) {
    const target = schemas[current.$ref];
    if (!isJsonObject(target ?? null)) return { type: "object" };
    current = target as JsonObject;
  }
  return current;
}

/** A value of the schema; undefined where nesting ends. */
export function buildValue(schema: JsonObject, context: SchemaContext): JsonValue {
  return build(schema, context) ?? {};
}

function build(given: JsonObject, context: SchemaContext): JsonValue | undefined {
  const reference = typeof given.$ref === "string" ? given.$ref : undefined;
  const schema = resolveSchema(context.schemas, given);
  switch (schema.type) {
    case "array":
      return buildArray(schema, context);
    case "boolean":
      return context.random.next() < 0.5;
    case "integer":
      return integerOf(context);
    case "number":
      return numberOf(context);
    case "string":
      return stringOf(schema, context);
    case "any":
      return context.random.pick<JsonValue>(["text", 7, true]);
    default:
      break;
  }
  if (context.depth >= MAX_DEPTH) return undefined;
  // A schema inside itself (comments, groups of groups) would never end.
  if (
    reference !== undefined && context.path.filter((part) => part === `#${reference}`).length > 0
  ) {
    return undefined;
  }
  const path = reference === undefined ? context.path : [...context.path, `#${reference}`];
  if (isJsonObject(schema.properties ?? null)) {
    return buildObject(schema.properties as JsonObject, { ...context, path });
  }
  if (isJsonObject(schema.additionalProperties ?? null)) {
    const map: JsonObject = {};
    for (const key of ["primary", "secondary"]) {
      const value = build(schema.additionalProperties as JsonObject, {
        ...context,
        path,
        random: context.random.fork(key),
        depth: context.depth + 1,
      });
      if (value !== undefined) map[key] = value;
    }
    return map;
  }
  return {};
}

function buildObject(properties: JsonObject, context: SchemaContext): JsonObject {
  const record: JsonObject = {};
  for (const [key, property] of Object.entries(properties)) {
    if (!isJsonObject(property) || property.deprecated === true) continue;
    const random = context.random.fork(key);
    // Optional fields are absent now and then, as they are in life.
    const essential = /^(id|name|kind|etag|title|displayName|type|status|state)$/.test(key);
    if (!essential && random.next() < (context.depth === 0 ? 0.05 : 0.18)) continue;
    const value = build(property, {
      ...context,
      random,
      name: key,
      depth: context.depth + 1,
      path: [...context.path, key],
    });
    if (value !== undefined) setOwn(record, key, value);
  }
  return record;
}

function buildArray(schema: JsonObject, context: SchemaContext): JsonValue[] | undefined {
  if (!isJsonObject(schema.items ?? null)) return [];
  if (context.depth >= MAX_DEPTH) return undefined;
  const count = context.depth <= 1 ? context.random.int(2, 6) : context.random.int(1, 3);
  const items: JsonValue[] = [];
  for (let index = 0; index < count; index++) {
    const value = build(schema.items as JsonObject, {
      ...context,
      random: context.random.fork(`item ${index}`),
      depth: context.depth + 1,
    });
    if (value !== undefined) items.push(value);
  }
  return items;
}

function integerOf({ random, name, path }: SchemaContext): number {
  if (path.includes("#TimeOfDay")) return random.int(0, name === "hours" ? 23 : 59);
  if (/count|total|number|size|quantity/i.test(name)) return Math.floor(10 ** (random.next() * 5));
  if (/minutes|seconds/i.test(name)) return random.int(1, 240);
  if (/year/i.test(name)) return random.int(2015, 2026);
  if (/month/i.test(name)) return random.int(1, 12);
  if (/day/i.test(name)) return random.int(1, 28);
  return random.int(0, 400);
}

function numberOf({ random, name }: SchemaContext): number {
  if (/^lat/i.test(name)) return Number((random.next() * 120 - 60).toFixed(6));
  if (/^(lng|lon)/i.test(name)) return Number((random.next() * 360 - 180).toFixed(6));
  if (/ctr|ratio|share|confidence/i.test(name)) return Number(random.next().toFixed(6));
  if (/rating/i.test(name)) return Number((1 + random.next() * 4).toFixed(1));
  return Number((random.next() * 1000).toFixed(random.int(1, 6)));
}

function stringOf(schema: JsonObject, context: SchemaContext): string {
  const { random, name, now } = context;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) {
    const named = schema.enum.map(String).filter((value) => !/UNSPECIFIED|UNKNOWN/i.test(value));
    return random.pick(named.length > 0 ? named : schema.enum.map(String));
  }
  if (typeof schema.default === "string" && name === "kind") return schema.default;
  const past = () => new Date(now - Math.floor(random.next() ** 2 * 400 * 86_400_000));
  switch (schema.format) {
    case "int64":
    case "uint64":
      return random.next() < 0.06
        ? `90071992547${random.int(40993, 99999)}${random.int(0, 9)}`
        : String(Math.floor(10 ** (random.next() * 9)));
    case "date-time":
    case "google-datetime":
      return past().toISOString();
    case "date":
      return past().toISOString().slice(0, 10);
    case "byte":
      return Uint8Array.fromHex(random.hex(random.int(8, 40) * 2)).toBase64();
    case "google-duration":
      return `${random.int(1, 7200)}s`;
    case "google-fieldmask":
      return "*";
  }
  return namedString(context);
}

function namedString(context: SchemaContext): string {
  const { random, name, service } = context;
  const topic = random.pick(TOPICS);
  const prose = proseOf(random.fork("prose"), topic);
  const person = () => random.pick(worldPeople(0));
  if (name === "kind") return `${service}#${context.path.at(-2)?.replace(/^#/, "") ?? "resource"}`;
  if (/^etag$/i.test(name)) return `"${random.hex(22)}"`;
  if (/^id$|Id$|^key$|^uid$/.test(name)) {
    return random.pick([random.hex(12), random.hex(20), `${random.int(1e8, 2e9)}`]);
  }
  if (/email|creator$|owner$|userKey/i.test(name)) return person().email;
  if (/thumbnail|photo|image|icon|avatar/i.test(name)) {
    return `https://media.example.com/${random.hex(24)}=s96-c`;
  }
  if (/url|uri|link|href/i.test(name)) {
    return `https://www.example.com/${random.hex(6)}/${
      encodeURIComponent(prose.noun().replaceAll(" ", "-"))
    }`;
  }
  if (/(time|date|At)$/i.test(name)) {
    return new Date(context.now - random.int(0, 30_000_000_000)).toISOString();
  }
  if (/timezone/i.test(name)) {
    return random.pick(["Europe/Stockholm", "Africa/Lagos", "Asia/Tokyo", "America/Lima"]);
  }
  if (/language|locale/i.test(name)) return random.pick(["en", "sv", "de", "fr", "ja"]);
  if (/country|region/i.test(name)) return random.pick(["SE", "DE", "JP", "NG", "PE", "FR"]);
  if (/currency/i.test(name)) return random.pick(["EUR", "SEK", "JPY"]);
  if (/phone/i.test(name)) {
    return `+46 70 ${random.int(100, 999)} ${random.int(10, 99)} ${random.int(10, 99)}`;
  }
  if (/^displayName$|^fullName$|author|channelTitle/i.test(name)) return person().displayName;
  if (/givenName/i.test(name)) return person().displayName.split(" ")[0] as string;
  if (/familyName/i.test(name)) return person().displayName.split(" ").at(-1) as string;
  if (/address/i.test(name)) {
    return `${random.int(1, 240)} Harbour Row, ${random.pick(["Sandvik", "Østby", "Nørrevig"])}`;
  }
  if (name === "name") {
    return `${context.path.at(-2)?.replace(/^#/, "") ?? service}/${random.hex(11)}`;
  }
  if (/title|subject|label|heading/i.test(name)) return prose.subject();
  if (/description|text|snippet|body|content|summary|comment|message/i.test(name)) {
    return random.next() < 0.2 ? prose.foreign() : prose.paragraph(random.int(1, 4));
  }
  if (/type|status|state|role|mode|privacy/i.test(name)) {
    return random.pick(["active", "standard", "default", "public"]);
  }
  return prose.noun();
}
