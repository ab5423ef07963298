/** What the fuzz jobs try to break: six readers of text from outside, each with what it promises. */

import assert from "node:assert/strict";
import canonicalize from "canonicalize";
import fc from "fast-check";
import { parseCallArguments } from "../cli/arg_grammar.ts";
import { CliArgError, UsageError } from "../cli/errors.ts";
import { locate, parseWords } from "../cli/parse.ts";
import { COMMANDS } from "../cli/tree.ts";
import { GumError } from "../lib/errors/mod.ts";
import {
  decodeCompact,
  decodeToonDocument,
  encodeCompact,
  encodeToonDocument,
  jcs,
  JcsError,
  plainNumber,
  ToonDecodeError,
  toonDocumentValue,
} from "../lib/format/mod.ts";
import { isJsonObject, type JsonValue, parseJson, readJson, setOwn } from "../lib/json/mod.ts";
import { checkManifest, decodeManifest } from "../lib/plugin/mod.ts";
import { parseProfileFile } from "../lib/profile/mod.ts";

/** One reader under test. */
export interface FuzzTarget {
  /** Throws when the reader breaks a promise on this input; refusing it properly is no breach. */
  check(input: Uint8Array<ArrayBuffer>): void | Promise<void>;
  /** Inputs of the reader's own grammar. */
  grammar: fc.Arbitrary<string>;
  /** Pieces that mutations splice in. */
  pieces: readonly string[];
  /** How long 64 KiB of any input may take; absent where the chapter sets no limit. */
  limitMs?: number;
}

/** The targets, by the names that the matrix, the workflow and the corpus folders share. */
export const FUZZ_TARGETS: Readonly<Record<string, FuzzTarget>> = {
  FuzzToonDecode: {
    check: checkToon,
    grammar: fc.oneof(
      pieced(["op: o\n", "variant: v\n", "format_version: 1\n", "count: 1\n", "fields: a,b\n"]),
      fc.json(),
    ),
    pieces: [
      "op: o\nvariant: v\nformat_version: 1\ncount: 1\nfields: a\n\n",
      "json_fields: a\n",
      "meta.x: {}\n",
      "untrusted_mark: m\n",
      "records: items\n",
      "# heterogeneous\n",
      "# headers:",
      "{}",
      '""',
      ",",
      "\r\n",
    ],
  },
  FuzzJCSCanonical: { check: checkCanonical, grammar: jsonText(), pieces: jsonPieces() },
  FuzzJCSIdempotent: { check: checkIdempotent, grammar: jsonText(), pieces: jsonPieces() },
  FuzzPluginManifest: {
    check: checkManifestBytes,
    grammar: fc.oneof(jsonText(), pieced(["[plugin]\n", 'name = "a"\n', "[[tools]]\n"])),
    pieces: [
      ...jsonPieces(),
      "[plugin]\n",
      "[[tools]]\n",
      "[requirements]\n",
      'env_allow = ["PATH"]\n',
      'fs_write_dir = "../x"\n',
      "1979-05-27T07:32:00Z",
      "1e400",
      "nan",
    ],
    limitMs: 50,
  },
  FuzzParseArgs: {
    check: checkWords,
    grammar: fc.array(
      fc.oneof(
        fc.string(),
        fc.string({ unit: fc.constantFrom(...'ab.\\:=@-[]{}"1 ') }),
        fc.tuple(fc.constantFrom("a", "a.b", "b", "a\\.b"), fc.json())
          .map(([key, json]) => `${key}:=${json}`),
      ),
      { maxLength: 6 },
    ).map((words) => words.join("\n")),
    pieces: ["=", ":=", "@f", "@-", "\\.", ".", "--args", "--field-mask", "--", "a=1", "[", "{"],
    limitMs: 50,
  },
  FuzzParse: {
    check: checkProfile,
    grammar: pieced([
      "[output_profiles.a]\n",
      '[output_profiles."a.b"]\n',
      "[override_bindings]\n",
      "[[tests]]\n",
      'format = "toon"\n',
      'inherits = "a"\n',
      'field_mask = "a(b,c/d)"\n',
      "truncate_strings = { default_chars = 1 }\n",
    ]),
    pieces: [
      "limit = 99999999999999999999\n",
      "x = 1979-05-27\n",
      'on_empty = "\\ud800"\n',
      "a.b.c = 1\n",
      "__proto__ = 1\n",
      '"""',
      "'''",
      "[[",
      "=",
      "inf",
    ],
    limitMs: 50,
  },
};

function pieced(lines: readonly string[]): fc.Arbitrary<string> {
  const piece = fc.oneof(fc.constantFrom(...lines), fc.string({ maxLength: 12 }));
  return fc.array(piece).map((parts) => parts.join(""));
}

function jsonText(): fc.Arbitrary<string> {
  return fc.oneof(fc.json(), fc.json({ depthSize: "large", stringUnit: "binary" }));
}

function jsonPieces(): string[] {
  return [
    "null",
    "-0",
    "1e309",
    "5e-324",
    "9007199254740993",
    "1E+21",
    '"\\ud83d"',
    '"\\u0000"',
    '"\ufb33"',
    '{"__proto__":1}',
    "[]",
    "{",
    "]",
  ];
}

/** The input as text where it is UTF-8; readers of text never see anything else. */
function asText(input: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(input);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** The value of `read`, or undefined for a refusal that `isRefusal` knows; anything else escapes. */
function accepted<T>(read: () => T, isRefusal: (error: unknown) => boolean): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

function checkToon(input: Uint8Array): void {
  const text = asText(input);
  if (text === undefined) return;
  const refused = (error: unknown) =>
    error instanceof ToonDecodeError ||
    (error instanceof GumError && error.code === "TOON_VERSION_UNSUPPORTED");
  const compact = accepted(() => decodeCompact(text), refused);
  if (compact !== undefined) compactSurvives(compact);
  const document = accepted(() => decodeToonDocument(text), refused);
  if (document !== undefined) documentSurvives(toonDocumentValue(document));
  const json = accepted(() => readJson(text), (error) => error instanceof SyntaxError);
  if (json === undefined) return;
  compactSurvives(json.value);
  documentSurvives(json.value);
}

function compactSurvives(value: JsonValue): void {
  // In a table cell, text that reads like an object or a list becomes one: the form's known limit.
  const ambiguous = Array.isArray(value) &&
    value.some((row) =>
      isJsonObject(row) && Object.values(row).some((v) => typeof v === "string" && /^[{[]/.test(v))
    );
  if (!ambiguous) sameValue(decodeCompact(encodeCompact(value)), value);
}

function documentSurvives(value: JsonValue): void {
  const written = encodeToonDocument(value, { op: "o", variant: "v" });
  if (written === undefined) return; // shown as JSON instead
  sameValue(
    withoutNullCells(toonDocumentValue(decodeToonDocument(written))),
    withoutNullCells(value),
  );
}

/** In a document, null and absent are the same cell. */
function withoutNullCells(value: JsonValue): JsonValue {
  const rows = (list: JsonValue[]) =>
    list.map((row) =>
      isJsonObject(row)
        ? Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== null))
        : row
    );
  if (Array.isArray(value)) return rows(value);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map((
      [key, member],
    ) => [key, Array.isArray(member) ? rows(member) : member]),
  );
}

function sameValue(actual: JsonValue, expected: JsonValue): void {
  assert.equal(digits(actual), digits(expected));
}

/** Canonical text with every number as plain digits: a double or its text, it is the same number. */
function digits(value: JsonValue): string {
  const text = jcs(value, { loneSurrogates: "escape" });
  return text.replace(
    /"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*/g,
    (token) => token.startsWith('"') ? token : plainNumber({ rawJSON: token }),
  );
}

/** What the input holds as JSON, and its canonical text; undefined where either is refused. */
function canonicalOf(input: Uint8Array): { value: JsonValue; canonical: string } | undefined {
  const text = asText(input);
  if (text === undefined) return undefined;
  const value = accepted(() => parseJson(text), (error) => error instanceof SyntaxError);
  if (value === undefined) return undefined;
  const canonical = accepted(() => jcs(value), (error) => error instanceof JcsError);
  return canonical === undefined ? undefined : { value, canonical };
}

function checkCanonical(input: Uint8Array): void {
  const read = canonicalOf(input);
  if (read === undefined) return;
  const { value, canonical } = read;
  sameValue(parseJson(canonical), value);
  // The other implementation rounds what no double holds.
  if (!/[0-9]{16}/.test(canonical)) assert.equal(canonical, canonicalize(value));
}

function checkIdempotent(input: Uint8Array): void {
  const read = canonicalOf(input);
  if (read === undefined) return;
  const { value, canonical } = read;
  assert.equal(jcs(parseJson(canonical)), canonical);
  assert.equal(jcs(reversed(value)), canonical);
}

/** The same value with the members of every object in reverse order, at any depth. */
function reversed(root: JsonValue): JsonValue {
  const copy = (value: JsonValue): JsonValue => {
    if (!Array.isArray(value) && !isJsonObject(value)) return value;
    const empty: JsonValue = Array.isArray(value) ? [] : {};
    waiting.push([value, empty]);
    return empty;
  };
  const waiting: [JsonValue, JsonValue][] = [];
  const top = copy(root);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [from, to] = next;
    if (Array.isArray(from) && Array.isArray(to)) { for (const item of from) to.push(copy(item)); }
    else if (isJsonObject(from) && isJsonObject(to)) {
      for (const key of Object.keys(from).reverse()) setOwn(to, key, copy(from[key] ?? null));
    }
  }
  return top;
}

/** Codes with which a manifest may be refused (spec 06 §4). */
const MANIFEST_REFUSALS: ReadonlySet<string> = new Set([
  "AUTH_COMPONENT_UNKNOWN",
  "BINDING_SCHEMA_UNSUPPORTED",
  "PLUGIN_BINDING_INVALID",
  "PLUGIN_CREDENTIAL_DESCRIPTOR_INVALID",
  "PLUGIN_ENV_PROHIBITED",
  "PLUGIN_FS_WRITE_OUTSIDE_SANDBOX",
  "PLUGIN_MANIFEST_INVALID",
  "PLUGIN_MANIFEST_SCHEMA_UNSUPPORTED",
  "PLUGIN_SHAPE_UNSUPPORTED",
  "SERVICE_ROOT_TEMPLATE_DEFERRED",
  "UNKNOWN_BACKEND_KIND",
  "UNKNOWN_CAPABILITY",
  "UNKNOWN_INTERFACE_KIND",
]);

async function checkManifestBytes(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  for (const fileName of ["plugin.toml", "manifest.json"] as const) {
    try {
      await checkManifest(await decodeManifest({ fileName, bytes }));
    } catch (error) {
      if (!(error instanceof GumError && MANIFEST_REFUSALS.has(error.code))) throw error;
    }
  }
}

/** A line is a word; the first also says what every file holds. */
async function checkWords(input: Uint8Array): Promise<void> {
  const text = asText(input);
  if (text === undefined) return;
  const words = text.split("\n");
  try {
    const args = await parseCallArguments(words, {
      arrayFields: new Map([["a", "string"], ["b", "array"]]),
      readSource: () => Promise.resolve(new TextEncoder().encode(words[0])),
    });
    jcs(args, { loneSurrogates: "escape" });
  } catch (error) {
    if (!(error instanceof CliArgError)) throw error;
  }
  const { path, rest } = locate(COMMANDS, words);
  accepted(
    () => parseWords(rest, path.at(-1)?.flags ?? []),
    (error) => error instanceof CliArgError || error instanceof UsageError,
  );
}

async function checkProfile(input: Uint8Array): Promise<void> {
  const text = asText(input);
  if (text === undefined) return;
  try {
    await parseProfileFile(text, { path: "fuzzed.toml" });
  } catch (error) {
    const refusals = ["PROFILE_INVALID", "OVERRIDE_BINDING_INVALID"];
    if (!(error instanceof GumError && refusals.includes(error.code))) throw error;
  }
}
