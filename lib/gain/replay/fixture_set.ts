/** Reads and checks the release fixture set (spec 07 §2.8, §3.16); writes nothing. */

import { sha256Hex } from "../../digest/mod.ts";
import { GumError } from "../../errors/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../../json/mod.ts";
import {
  CATEGORIES,
  type ExpectedBaseline,
  type ExpectedFixture,
  type ExpectedTokens,
  type Fixture,
  type FixtureSet,
  type ManifestEntry,
  type RecordedCall,
  type RecordedRequest,
  type RecordedSet,
  type ReleaseManifest,
} from "./types.ts";

/** Files of a fixture that were recorded; the others say what the replay must give. */
const RECORDED_FILES = ["request.json", "response.json", "response.masked.json"];

const MANIFEST_KEYS = [
  "schema_version",
  "generated_by",
  "seed",
  "world_clock",
  "catalog_sha256",
  "total",
  "entries",
];
const ENTRY_KEYS = [
  "path",
  "category",
  "op_id",
  "variant_id",
  "output_profile",
  "raw_tokens",
  "sha256",
];
const REQUEST_KEYS = ["op_id", "variant_id", "args", "naive_args", "http_status"];

/** What a set must fit. */
export interface LoadOptions {
  directory: string;
  /** Of the embedded catalog. */
  catalogSha256: string;
}

/**
 * Loads a set with what is expected of it, and checks every recorded file against the manifest.
 *
 * @throws GumError `GAIN_FIXTURE_SET_MISSING` or `GAIN_FIXTURE_SCHEMA_DRIFT`
 */
export async function loadFixtureSet(options: LoadOptions): Promise<FixtureSet> {
  const set = await loadRecordedSet(options);
  const { directory } = set;
  const fixtures: ExpectedFixture[] = [];
  for (const fixture of set.fixtures) fixtures.push(await withExpectations(fixture, directory));
  const path = "expected-baseline.json";
  const baseline = objectAt(await required(directory, path), { directory, path });
  return { ...set, fixtures, baseline: baseline as unknown as ExpectedBaseline };
}

/**
 * Loads what was recorded, for writing anew what is expected of it.
 *
 * @throws as {@link loadFixtureSet}
 */
export async function loadRecordedSet(options: LoadOptions): Promise<RecordedSet> {
  const { directory } = options;
  const manifestBytes = await readOptional(`${directory}/manifest.json`);
  if (manifestBytes === undefined) throw missing(directory);
  const manifest = manifestOf(manifestBytes, options);
  const fixtures: Fixture[] = [];
  for (const entry of manifest.entries) fixtures.push(await loadFixture(entry, directory));
  return {
    directory,
    manifest,
    session: (await sha256Hex(manifestBytes)).slice(0, 8),
    fixtures,
  };
}

function missing(directory: string): GumError {
  return new GumError("GAIN_FIXTURE_SET_MISSING", {
    message: "there are no recorded calls",
    details: { path: directory },
    suggestion: "Use a release build, or name the folder of the recorded calls in GUM_FIXTURE_DIR.",
  });
}

/** The failure of a set that is not what this build reads. */
export function schemaDrift(path: string, reason: string): GumError {
  return new GumError("GAIN_FIXTURE_SCHEMA_DRIFT", {
    message: `${path}: ${reason}`,
    details: { path, reason },
    suggestion: "Record the set again with `deno task record:release`, or use the build that the " +
      "set was recorded for.",
  });
}

function manifestOf(bytes: Uint8Array, options: LoadOptions): ReleaseManifest {
  const where = { directory: options.directory, path: "manifest.json" };
  const manifest = objectAt(new TextDecoder().decode(bytes), where);
  onlyKeys(manifest, MANIFEST_KEYS, where.path);
  if (manifest.schema_version !== 1) throw schemaDrift(where.path, "schema_version is not 1");
  if (manifest.catalog_sha256 !== options.catalogSha256) {
    throw schemaDrift(where.path, "the set belongs to another catalog");
  }
  const { entries, total } = manifest;
  if (!Array.isArray(entries)) throw schemaDrift(where.path, "entries is no list");
  if (total !== entries.length) throw schemaDrift(where.path, "total does not count the entries");
  let last = "";
  for (const entry of entries) {
    if (!isJsonObject(entry)) throw schemaDrift(where.path, "an entry is no object");
    onlyKeys(entry, ENTRY_KEYS, where.path);
    const { path, category, sha256: hashes } = entry;
    if (typeof path !== "string" || !/^[a-z_]+\/[0-9]{3}-[a-z0-9_]+$/.test(path)) {
      throw schemaDrift(where.path, `bad path ${JSON.stringify(path)}`);
    }
    if (path <= last) throw schemaDrift(where.path, `${path} is out of order`);
    last = path;
    if (!CATEGORIES.some((known) => known === category) || !path.startsWith(`${category}/`)) {
      throw schemaDrift(path, "the category does not fit");
    }
    if (!isJsonObject(hashes) || typeof entry.op_id !== "string") {
      throw schemaDrift(path, "the entry is incomplete");
    }
  }
  return manifest as unknown as ReleaseManifest;
}

async function loadFixture(entry: ManifestEntry, directory: string): Promise<Fixture> {
  const files = new Map<string, string>();
  for (const name of RECORDED_FILES) {
    const hash = entry.sha256[name];
    const path = `${entry.path}/${name}`;
    const bytes = await readOptional(`${directory}/${path}`);
    if (bytes === undefined && hash === undefined && name === "response.masked.json") continue;
    if (bytes === undefined) throw schemaDrift(path, "the file is missing");
    if (await sha256Hex(bytes) !== hash) {
      throw schemaDrift(path, "the file is not the recorded one");
    }
    files.set(name, new TextDecoder().decode(bytes));
  }
  return { entry, calls: callsOf(entry, files, directory) };
}

async function withExpectations(fixture: Fixture, directory: string): Promise<ExpectedFixture> {
  const folder = fixture.entry.path;
  const expectedText = await required(directory, `${folder}/expected-toon.txt`);
  const path = `${folder}/expected-tokens-cl100k.json`;
  const tokens = objectAt(await required(directory, path), { directory, path });
  return { ...fixture, expectedText, expectedTokens: tokens as unknown as ExpectedTokens };
}

function callsOf(
  entry: ManifestEntry,
  files: ReadonlyMap<string, string>,
  directory: string,
): RecordedCall[] {
  const requestPath = `${entry.path}/request.json`;
  const request = objectAt(files.get("request.json") ?? "", { directory, path: requestPath });
  const body = files.get("response.json") ?? "";
  const responsePath = `${entry.path}/response.json`;
  if (request.op_id !== entry.op_id) throw schemaDrift(requestPath, "another operation");
  if (entry.category !== "gum_parallel_batch") {
    if (body.trim() !== "") jsonAt(body, { directory, path: responsePath });
    return [{ request: requestOf(request, requestPath), body, masked: files.get(MASKED) }];
  }
  const args = isJsonObject(request.args) ? request.args : {};
  const answer = objectAt(body, { directory, path: responsePath });
  const { results } = answer;
  const { elements } = args;
  if (!Array.isArray(elements) || !Array.isArray(results) || results.length !== elements.length) {
    throw schemaDrift(entry.path, "elements and results do not match");
  }
  const masked = files.get(MASKED);
  const maskedBodies = masked === undefined
    ? {}
    : objectAt(masked, { directory, path: `${entry.path}/${MASKED}` });
  return elements.map((element, index): RecordedCall => {
    const result = results[index];
    if (!isJsonObject(element) || !isJsonObject(result) || result.op_id !== element.op_id) {
      throw schemaDrift(entry.path, `element ${index} does not match its result`);
    }
    const own = maskedBodies[String(index)];
    return {
      request: requestOf(element, requestPath),
      body: asSent(result.data ?? null),
      masked: own === undefined ? undefined : JSON.stringify(own),
    };
  });
}

const MASKED = "response.masked.json";

/** A value in the form that Google sends: indented by two, with a newline. */
export function asSent(value: JsonValue): string {
  return value === null ? "" : `${JSON.stringify(value, null, 2)}\n`;
}

function requestOf(value: JsonObject, path: string): RecordedRequest {
  onlyKeys(value, REQUEST_KEYS, path);
  if (typeof value.op_id !== "string" || !isJsonObject(value.args)) {
    throw schemaDrift(path, "op_id and args are required");
  }
  return value as unknown as RecordedRequest;
}

function onlyKeys(value: JsonObject, keys: readonly string[], path: string): void {
  const unknown = Object.keys(value).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw schemaDrift(path, `unknown key ${unknown}`);
}

interface Where {
  directory: string;
  path: string;
}

function jsonAt(text: string, where: Where): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw schemaDrift(where.path, "malformed JSON");
    throw error;
  }
}

function objectAt(text: string, where: Where): JsonObject {
  const value = jsonAt(text, where);
  if (!isJsonObject(value)) throw schemaDrift(where.path, "must be an object");
  return value;
}

async function required(directory: string, path: string): Promise<string> {
  const bytes = await readOptional(`${directory}/${path}`);
  if (bytes === undefined) throw schemaDrift(path, "the file is missing");
  return new TextDecoder().decode(bytes);
}

async function readOptional(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return await Deno.readFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return undefined;
    }
    throw error;
  }
}
