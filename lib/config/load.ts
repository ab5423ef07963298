/** Reading a profile's configuration (spec 05 §3.2). */

import { GumError } from "../errors/mod.ts";
import { readOpened } from "../files/mod.ts";
import { defaultLogger, type Logger } from "../log/mod.ts";
import {
  coerce,
  CONFIG_KEYS,
  type ConfigKey,
  type ConfigKeyValue,
  type KeySpec,
  type PlainConfigKey,
  rowOf,
  type SettingValue,
  type TomlValue,
} from "./keys.ts";

/** The schema this program writes. */
export const CONFIG_SCHEMA_VERSION = 1;

const FILE_LIMIT = 256 * 1024;

/** A profile's configuration as it stands in its file. */
export interface ProfileConfig {
  readonly profileName: string;
  /** 0 for a file without a version, and for no file. */
  readonly schemaVersion: number;
  /** Flattened keys, unknown ones included, as TOML gave them. */
  readonly values: ReadonlyMap<string, TomlValue>;
  /** Values of known keys that fit, bounded. */
  readonly settings: ReadonlyMap<string, SettingValue>;
}

/** Something in the file that is not as it should be and does not stop anything. */
export interface ConfigWarning {
  event:
    | "unknown_config_key"
    | "invalid_config_value"
    | "config_value_clamped"
    | "config_permissions_loose";
  error_code:
    | "UNKNOWN_CONFIG_KEY"
    | "INVALID_CONFIG_VALUE"
    | "CONFIG_VALUE_CLAMPED"
    | "CONFIG_PERMISSIONS_LOOSE";
  key: string;
  profile: string;
  user_message: string;
}

/** Where a configuration is read from. */
export interface ConfigSource {
  profileName: string;
  /** `<config>/gum/<profile>`; undefined when there is none: the configuration is empty. */
  directory: string | undefined;
  log?: Logger;
}

/** A configuration and what is odd about it. */
export interface LoadedConfig {
  config: ProfileConfig;
  warnings: ConfigWarning[];
}

/** Path of a profile's file. */
export function configPath(directory: string): string {
  return `${directory}/config.toml`;
}

/**
 * Loads a profile's configuration. A missing file is an empty configuration.
 *
 * @throws GumError `CONFIG_PARSE_ERROR`, `CONFIG_SCHEMA_UNSUPPORTED`
 */
export async function loadConfig(source: ConfigSource): Promise<LoadedConfig> {
  const file = source.directory === undefined
    ? undefined
    : await readConfigFile(configPath(source.directory), source.profileName);
  if (file === undefined) return { config: emptyConfig(source.profileName), warnings: [] };
  const loaded = await parseConfig(file.text, { ...source, path: file.path });
  if (file.loose) {
    loaded.warnings.push(warning("CONFIG_PERMISSIONS_LOOSE", {
      key: "",
      profile: source.profileName,
      user_message: `${file.path} can be written by other users; set its mode to 600.`,
    }));
  }
  logOnce(loaded.warnings, { ...source, path: file.path });
  return loaded;
}

/** The configuration of a profile without a file. */
export function emptyConfig(profileName: string): ProfileConfig {
  return { profileName, schemaVersion: 0, values: new Map(), settings: new Map() };
}

/** A file's text; undefined when there is no file. @throws GumError `CONFIG_PARSE_ERROR` */
export async function readConfigFile(
  path: string,
  profileName: string,
): Promise<{ path: string; text: string; loose: boolean } | undefined> {
  try {
    using file = await Deno.open(path, { read: true });
    const stat = await file.stat();
    if (!stat.isFile) {
      throw unreadable(path, {
        profileName,
        reason: "it is not a regular file",
        suggestion: `Remove what lies at ${path}; gum config set writes a new file.`,
      });
    }
    if (stat.size > FILE_LIMIT) throw tooLarge(path, profileName);
    const bytes = await readOpened(file, { path, size: stat.size, limit: FILE_LIMIT });
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { path, text, loose: ((stat.mode ?? 0) & 0o022) !== 0 };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    if (error instanceof GumError) throw error;
    if (error instanceof RangeError) throw tooLarge(path, profileName);
    if (error instanceof TypeError) {
      throw unreadable(path, { profileName, reason: "it is not UTF-8 text", cause: error });
    }
    const denied = error instanceof Deno.errors.PermissionDenied;
    throw unreadable(path, {
      profileName,
      reason: denied ? "it cannot be read (permission denied)" : "it cannot be read",
      suggestion: denied
        ? `Make ${path} readable for this user.`
        : `Look at what lies at ${path}; a regular file is needed there.`,
      cause: error,
    });
  }
}

function tooLarge(path: string, profileName: string): GumError {
  return unreadable(path, { profileName, reason: `it is larger than ${FILE_LIMIT} bytes` });
}

function unreadable(
  path: string,
  why: {
    profileName: string;
    reason: string;
    suggestion?: string;
    cause?: unknown;
    line?: number;
    column?: number;
  },
): GumError {
  const { line, column } = why;
  const place = line === undefined ? path : `${path}:${line}:${column ?? 1}`;
  return new GumError("CONFIG_PARSE_ERROR", {
    message: `${place}: ${why.reason}`,
    details: {
      path,
      profile: why.profileName,
      ...(line === undefined ? {} : { line }),
      ...(column === undefined ? {} : { column }),
    },
    suggestion: why.suggestion,
    cause: why.cause,
  });
}

/** Parses a file's text and judges its keys. */
export async function parseConfig(
  text: string,
  source: { profileName: string; path: string },
): Promise<LoadedConfig> {
  const { profileName, path } = source;
  const { parseFlat, TomlSyntaxError } = await import("./toml.ts");
  let values: ReadonlyMap<string, TomlValue>;
  try {
    values = parseFlat(text);
  } catch (error) {
    if (!(error instanceof TomlSyntaxError)) throw error;
    const { line, column } = error;
    throw unreadable(path, { profileName, reason: error.message, line, column, cause: error });
  }
  const schemaVersion = versionOf(values.get("config_schema_version"), source);
  const settings = new Map<string, SettingValue>();
  const warnings: ConfigWarning[] = [];
  for (const [key, value] of values) {
    if (key === "config_schema_version") continue;
    const row = rowOf(key);
    if (row === undefined) warnings.push(unknownKey(key, profileName));
    else {
      const judged = judge(key, { spec: row.spec, value, profile: profileName });
      if (judged.value !== undefined) settings.set(key, judged.value);
      if (judged.warning !== undefined) warnings.push(judged.warning);
    }
  }
  return { config: { profileName, schemaVersion, values, settings }, warnings };
}

function versionOf(
  value: TomlValue | undefined,
  source: { profileName: string; path: string },
): number {
  if (value === undefined) return 0;
  const { profileName, path } = source;
  if (typeof value !== "bigint" || value < 0n) {
    throw unreadable(path, { profileName, reason: "config_schema_version must be an integer" });
  }
  if (value <= BigInt(CONFIG_SCHEMA_VERSION)) return Number(value);
  throw new GumError("CONFIG_SCHEMA_UNSUPPORTED", {
    message: `CONFIG_SCHEMA_UNSUPPORTED: profile '${profileName}' config_schema_version=${value}` +
      `, this version reads up to ${CONFIG_SCHEMA_VERSION}`,
    details: {
      profile: profileName,
      config_schema_version: Number(value),
      supported_version: CONFIG_SCHEMA_VERSION,
    },
  });
}

function judge(
  key: string,
  given: { spec: KeySpec; value: TomlValue; profile: string },
): { value?: SettingValue; warning?: ConfigWarning } {
  const { spec, profile } = given;
  const coerced = coerce(spec, given.value);
  if (coerced.kind === "fits") return { value: coerced.value };
  if (coerced.kind === "clamped") {
    const warned = warning("CONFIG_VALUE_CLAMPED", {
      key,
      profile,
      user_message: `${key} is out of range; ${coerced.value} is used.`,
    });
    return { value: coerced.value, warning: warned };
  }
  const instead = failsClosed(key) ? "It fails closed until it is corrected." : "It has no effect.";
  return {
    warning: warning("INVALID_CONFIG_VALUE", {
      key,
      profile,
      user_message: `${key} should be ${coerced.wanted}. ${instead}`,
    }),
  };
}

function unknownKey(key: string, profile: string): ConfigWarning {
  return warning("UNKNOWN_CONFIG_KEY", {
    key,
    profile,
    user_message: failsClosed(key)
      ? `${key} is not a key this version knows; it fails closed until it is removed.`
      : `${key} is not a key this version knows; it is kept and has no effect.`,
  });
}

function warning(
  code: ConfigWarning["error_code"],
  said: Pick<ConfigWarning, "key" | "profile" | "user_message">,
): ConfigWarning {
  const event = code.toLowerCase() as ConfigWarning["event"]; // the codes and events pair up
  return { event, error_code: code, ...said };
}

const logged = new Set<string>();

// A long-running server reads the file many times; saying it once is enough.
function logOnce(warnings: readonly ConfigWarning[], source: ConfigSource & { path: string }) {
  const log = source.log ?? defaultLogger();
  for (const one of warnings) {
    const mark = JSON.stringify([source.path, one.error_code, one.key]);
    if (logged.has(mark)) continue;
    logged.add(mark);
    log.log("warn", one.user_message, {
      event: one.event,
      error_code: one.error_code,
      key: one.key,
      profile: one.profile,
    });
  }
}

/** The value of a key: from the file when it fits, else the default. */
export function setting<K extends PlainConfigKey>(
  config: ProfileConfig,
  key: K,
): ConfigKeyValue<K> {
  const spec: KeySpec = CONFIG_KEYS[key];
  // `settings` holds only what `coerce` made for this very row.
  return (config.settings.get(key) ?? spec.default) as ConfigKeyValue<K>;
}

/** Every set key of a family, by what stands for the placeholder: `cache.ttl.<op_id>` by op id. */
export function settingFamily<K extends Exclude<ConfigKey, PlainConfigKey>>(
  config: ProfileConfig,
  family: K,
): ReadonlyMap<string, NonNullable<ConfigKeyValue<K>>> {
  const found = new Map<string, NonNullable<ConfigKeyValue<K>>>();
  const [head = "", tail = ""] = family.split(/<[^>]*>/);
  for (const [key, value] of config.settings) {
    if (rowOf(key)?.name !== family) continue;
    const rest = key.slice(head.length, key.length - tail.length);
    found.set(rest, value as NonNullable<ConfigKeyValue<K>>); // made by this row's `coerce`
  }
  return found;
}

/** True for keys whose damage must not loosen anything (spec 05 §8). */
function failsClosed(key: string): boolean {
  return key.startsWith("policy.") || key.startsWith("auth.expected_subject.") ||
    key.startsWith("accounts.");
}

/**
 * The first `policy.*` key that cannot be used; then nothing may be dispatched. A key that nobody
 * knows counts too: misspelled, or of a later version, it is a restriction that would not hold.
 */
export function invalidPolicyKey(config: ProfileConfig): string | undefined {
  return [...config.values.keys()].find((key) =>
    key.startsWith("policy.") && !config.settings.has(key)
  );
}

/**
 * Expected principals by auth strategy. A malformed one is kept as it is: it matches nothing, so
 * the check refuses instead of falling away.
 */
export function expectedSubjects(config: ProfileConfig): Readonly<Record<string, string>> {
  const head = "auth.expected_subject.";
  const found: Record<string, string> = {};
  for (const [key, value] of config.values) {
    if (!key.startsWith(head)) continue;
    const text = typeof value === "string" && value !== "" ? value : "(malformed)";
    found[key.slice(head.length)] = text;
  }
  return found;
}
