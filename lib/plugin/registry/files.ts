/** The three registry files as bytes and as values (spec 06 §2.3). */

import { GumError } from "../../errors/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import type {
  PluginCatalogFile,
  PluginPaths,
  PluginRegistryFiles,
  PluginsLockFile,
  PluginStateFile,
  RegistryStamp,
} from "../types.ts";

/** Largest registry file that is read. */
export const REGISTRY_FILE_LIMIT = 32 * 1024 * 1024;

/** The three files, in the order in which they are published. */
export const REGISTRY_KINDS = ["catalog", "lock", "state"] as const;

/** One of the three files. */
export type RegistryKind = typeof REGISTRY_KINDS[number];

interface KindFacts {
  versionKey: string;
  rows: "variants" | "plugins";
  rowKey: string;
  unsupported:
    | "PLUGIN_CATALOG_SCHEMA_UNSUPPORTED"
    | "PLUGIN_LOCK_SCHEMA_UNSUPPORTED"
    | "PLUGIN_STATE_SCHEMA_UNSUPPORTED";
  leading: readonly string[];
}

const STAMP_KEYS = ["install_generation", "install_txid"];

const KINDS: Readonly<Record<RegistryKind, KindFacts>> = {
  catalog: {
    versionKey: "plugin_catalog_schema_version",
    rows: "variants",
    rowKey: "variant_id",
    unsupported: "PLUGIN_CATALOG_SCHEMA_UNSUPPORTED",
    leading: ["plugin_catalog_schema_version", ...STAMP_KEYS, "updated_at"],
  },
  lock: {
    versionKey: "plugins_lock_schema_version",
    rows: "plugins",
    rowKey: "name",
    unsupported: "PLUGIN_LOCK_SCHEMA_UNSUPPORTED",
    leading: ["plugins_lock_schema_version", ...STAMP_KEYS],
  },
  state: {
    versionKey: "plugin_state_schema_version",
    rows: "plugins",
    rowKey: "name",
    unsupported: "PLUGIN_STATE_SCHEMA_UNSUPPORTED",
    leading: ["plugin_state_schema_version", ...STAMP_KEYS],
  },
};

/** Where a kind's published file lies. */
export function finalPath(paths: PluginPaths, kind: RegistryKind): string {
  return paths[kind];
}

/** What a file of the registry says. */
export interface RegistryMember {
  kind: RegistryKind;
  /** Undefined when the file carries no pair. */
  stamp: RegistryStamp | undefined;
  content: JsonObject;
}

/** A file that is not JSON of the right outline; its bytes mean nothing. */
export class MalformedRegistryFile extends Error {
  override readonly name = "MalformedRegistryFile";
}

/**
 * Reads one file's bytes.
 *
 * @throws GumError `PLUGIN_…_SCHEMA_UNSUPPORTED` for any version but the integer 1.
 * @throws MalformedRegistryFile when it is not a JSON object.
 */
export function parseRegistryFile(
  kind: RegistryKind,
  bytes: Uint8Array,
  options: { path: string; acceptUnversioned?: boolean },
): RegistryMember {
  const facts = KINDS[kind];
  const malformed = (why: string, cause?: unknown) =>
    new MalformedRegistryFile(`${options.path}: ${why}`, { cause });
  if (bytes.length > REGISTRY_FILE_LIMIT) throw malformed("larger than 32 MiB");
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw malformed("not JSON", error);
  }
  if (!isJsonObject(parsed)) throw malformed("not a JSON object");
  const version = parsed[facts.versionKey];
  const unversioned = version === undefined && options.acceptUnversioned === true;
  if (version !== 1 && !unversioned) throw unsupportedVersion(facts, { version, ...options });
  const rows = parsed[facts.rows];
  const kept = Array.isArray(rows) ? rows.filter((row) => isRow(row, facts.rowKey)) : [];
  const content: JsonObject = { ...parsed, [facts.versionKey]: 1, [facts.rows]: kept };
  return { kind, stamp: stampOf(parsed), content };
}

function unsupportedVersion(
  facts: KindFacts,
  found: { version: JsonValue | undefined; path: string },
): GumError {
  const shown = found.version === undefined ? null : found.version;
  return new GumError(facts.unsupported, {
    message: `${found.path}: ${facts.versionKey} ${JSON.stringify(shown)} is not supported`,
    details: { found: shown, path: found.path, supported: [1] },
  });
}

function isRow(row: JsonValue, key: string): boolean {
  return isJsonObject(row) && typeof row[key] === "string" && row[key] !== "";
}

function stampOf(content: JsonObject): RegistryStamp | undefined {
  const { install_generation: generation, install_txid: txid } = content;
  if (generation === undefined && txid === undefined) return undefined;
  return {
    install_generation: typeof generation === "number" && Number.isInteger(generation)
      ? generation
      : 0,
    install_txid: typeof txid === "string" ? txid : "",
  };
}

/** The file of a profile that has none yet. */
export function emptyMember(kind: RegistryKind): RegistryMember {
  const facts = KINDS[kind];
  const stamp = { install_generation: 0, install_txid: "" };
  const content: JsonObject = { [facts.versionKey]: 1, ...stamp, [facts.rows]: [] };
  if (kind === "catalog") content.updated_at = "";
  return { kind, stamp, content };
}

/** The three members as one typed value; the rows were checked for their keys only. */
export function filesOf(
  members: Readonly<Record<RegistryKind, RegistryMember>>,
): PluginRegistryFiles {
  // Rows come from disk: readers of single fields treat them as possibly absent.
  return {
    catalog: members.catalog.content as unknown as PluginCatalogFile,
    lock: members.lock.content as unknown as PluginsLockFile,
    state: members.state.content as unknown as PluginStateFile,
  };
}

/** Bytes of a file: two-space indent, sorted keys with version and stamp first, no final newline. */
export function serializeRegistryFile(kind: RegistryKind, content: JsonObject): Uint8Array {
  const { leading } = KINDS[kind];
  const ordered: JsonObject = {};
  const rest = Object.keys(content).filter((key) => !leading.includes(key)).sort();
  for (const key of [...leading, ...rest]) {
    const value = content[key];
    if (value !== undefined) ordered[key] = sortedKeys(value);
  }
  return new TextEncoder().encode(JSON.stringify(ordered, null, 2));
}

function sortedKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (!isJsonObject(value)) return value;
  const sorted: JsonObject = {};
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member !== undefined) sorted[key] = sortedKeys(member);
  }
  return sorted;
}

/** True when two stamps name the same publish. */
export function sameStamp(a: RegistryStamp | undefined, b: RegistryStamp | undefined): boolean {
  return a !== undefined && b !== undefined && a.install_generation === b.install_generation &&
    a.install_txid === b.install_txid;
}
