/** What a confirmation says in words: what would happen, to what, and with which values. */

import type { Effect } from "../../catalog/types.ts";
import {
  isJsonObject,
  isRawNumber,
  type JsonObject,
  type JsonValue,
  setOwn,
} from "../../json/mod.ts";
import type { JudgedCall } from "./judged.ts";

/** Most facts one sentence names, and the longest value it spells out, in characters. */
const MAX_FACTS = 8;
const MAX_VALUE = 80;

const SECRET_NAME = /token|secret|password|passphrase|credential|api_?key|private_?key/i;

/** What an effect means to the person who is asked, strongest first. */
const CONSEQUENCES: readonly (readonly [Effect, string])[] = [
  ["moves_money", "can cost money"],
  ["deletes", "deletes data"],
  ["shares", "gives others access"],
  ["publishes", "publishes to others"],
  ["sends_mail", "can send mail to others"],
  ["admin", "changes how an account or a project is set up"],
];

/** The verb of the sentence: what running this variant does that a person may mind. */
export function consequence({ variant }: JudgedCall): string {
  if (variant.risk_class === "destructive") return "cannot be undone";
  const words = CONSEQUENCES.filter(([effect]) => variant.effects?.includes(effect))
    .map(([, text]) => text);
  return words.length === 0 ? "changes your data" : words.join(" and ");
}

/**
 * The values that say what a call is about: what its address names first, then the plain values of
 * its body, then the rest that the caller gave. Nested values are left to the surface's own view.
 */
export function pendingFacts(judged: JudgedCall, options: { body: boolean }): string[] {
  const { args, op, variant } = judged;
  const path = variant.binding?.http?.path ?? "";
  const inPath = [...path.matchAll(/\{\+?([^}]+)\}/g)].map((match) => match[1] ?? "");
  const defaults = new Map(
    (op.request_fields ?? []).map((field) => [field.name, field.host_default ?? field.default]),
  );
  const rest = Object.entries(args).filter(([name, value]) =>
    name !== "body" && !name.startsWith("_") && !inPath.includes(name) &&
    defaults.get(name) !== String(value)
  );
  const body = options.body && isJsonObject(args.body) ? Object.entries(args.body) : [];
  const assumed = (name: string) => defaults.get(name) === args[name];
  const entries = [
    ...inPath.flatMap((name) =>
      Object.hasOwn(args, name) && !assumed(name) ? [[name, args[name]] as const] : []
    ),
    ...body,
    ...rest,
  ];
  return entries.flatMap(([name, value]) => {
    const shown = shownPlainValue(name, value);
    return shown === undefined ? [] : [`${name} ${shown}`];
  }).slice(0, MAX_FACTS);
}

/** Whether an argument of this name may hold something that must not be repeated. */
function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !/^page_?token$/i.test(name);
}

function shownPlainValue(name: string, value: JsonValue | undefined): string | undefined {
  if (value === null || value === undefined || isSecretName(name)) return undefined;
  if (isRawNumber(value)) return value.rawJSON;
  if (typeof value === "object") return undefined;
  if (typeof value !== "string") return String(value);
  const text = value.length > MAX_VALUE ? `${value.slice(0, MAX_VALUE).toWellFormed()}…` : value;
  // Quoted unless it is one word, so that no value passes for more of the sentence.
  return /^[\w@./:+%=-]+…?$/.test(text) ? text : JSON.stringify(text);
}

/** Longest value of one argument in a list of them, in characters. */
const MAX_ARGUMENT = 160;

/** One argument of a call on one line, as the person who confirms it may see it. */
export function shownArgument(name: string, value: JsonValue): string {
  if (isSecretName(name)) return "***";
  const text = JSON.stringify(withoutSecrets(value));
  return text.length > MAX_ARGUMENT
    ? `${text.slice(0, MAX_ARGUMENT).toWellFormed()}… (${text.length} characters)`
    : text;
}

function withoutSecrets(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isJsonObject(value) || isRawNumber(value)) return value;
  const copy: JsonObject = {};
  for (const [name, inner] of Object.entries(value)) {
    setOwn(copy, name, SECRET_NAME.test(name) ? "***" : withoutSecrets(inner));
  }
  return copy;
}
