/**
 * Every key of `config.toml`: type, default and range in one table (spec 05 §8).
 *
 * A name in angle brackets stands for the rest of a flattened key, such as an operation id.
 */

import { isAbsolutePath } from "./directories.ts";

/** A value as TOML gives it; integers are bigints, so that `1` and `1.0` stay apart. */
export type TomlValue =
  | string
  | number
  | bigint
  | boolean
  | Date
  | TomlValue[]
  | { [key: string]: TomlValue };

/** Further condition on a text. */
type TextCheck = "any" | "fingerprint" | "absolute_path" | "word" | "prerequisite" | "op_pattern";

/** Type, default and bounds of one key. Without `default` the key is unset until someone sets it. */
export type KeySpec =
  | { type: "bool"; default: boolean }
  | { type: "int"; min: number; max: number; default?: number }
  | { type: "number"; min: number; max: number; default?: number }
  | { type: "enum"; values: readonly string[]; default?: string }
  | { type: "string"; check: TextCheck; default?: string }
  | { type: "strings"; check: TextCheck; default?: readonly string[] };

const MEBIBYTE = 1024 * 1024;
const RISKS = ["read", "write", "destructive"] as const;
const MODES = ["read_only", "draft_only", "no_delete", "full"] as const;

/** The table. */
export const CONFIG_KEYS = {
  "config_schema_version": { type: "int", min: 1, max: 1 },
  "profile.description": { type: "string", check: "any", default: "" },
  "profile.is_dev": { type: "bool", default: false },
  "log.level": { type: "enum", values: ["debug", "info", "warn", "error"], default: "warn" },
  "auth.credential_store": {
    type: "enum",
    values: ["auto", "keychain", "vault"],
    default: "auto",
  },
  "auth.allow_manual_code": { type: "bool", default: true },
  "auth.expected_subject.<auth_strategy>": { type: "string", check: "fingerprint" },
  "auth.adc.enabled": { type: "bool", default: false },
  "auth.service_account.subject": { type: "string", check: "any" },
  "auth.acknowledged_prerequisites": { type: "strings", check: "prerequisite", default: [] },
  "auth.token_cache": { type: "bool", default: true },
  "policy.allow_ops": { type: "strings", check: "op_pattern", default: [] },
  "policy.deny_ops": { type: "strings", check: "op_pattern", default: [] },
  "policy.mode": { type: "enum", values: MODES, default: "full" },
  "policy.admin_writes": {
    type: "enum",
    values: ["confirm", "fixture_only", "off"],
    default: "confirm",
  },
  "validation.strict": { type: "bool", default: false },
  "validation.unknown_read_params_allowlist.<op_id>": { type: "strings", check: "any" },
  "dispatch.preferred_interface_kinds": { type: "strings", check: "word", default: [] },
  "rate_limit.capacity": { type: "int", min: 1, max: 10_000, default: 100 },
  "rate_limit.refill_per_second": { type: "number", min: 0.01, max: 1_000, default: 1 },
  "rate_limit.max_wait_ms": { type: "int", min: 0, max: 60_000, default: 5_000 },
  "media.dirs": { type: "strings", check: "absolute_path", default: [] },
  "media.max_download_bytes": {
    type: "int",
    min: MEBIBYTE,
    max: MEBIBYTE ** 2,
    default: 2048 * MEBIBYTE,
  },
  "output.default_format": { type: "enum", values: ["toon", "json", "csv", "markdown"] },
  "output.tee_mode": { type: "enum", values: ["off", "failures", "always"] },
  "output.tee_retention_hours": { type: "int", min: 1, max: 720, default: 24 },
  "output.big_integers": { type: "enum", values: ["auto", "string"], default: "auto" },
  "output.untrusted_text": { type: "enum", values: ["mark", "off"], default: "off" },
  "meta_tools.search_apis.k": { type: "int", min: 1, max: 20, default: 5 },
  "meta_tools.search_apis.truncate_strings.default_chars": {
    type: "int",
    min: 60,
    max: 400,
    default: 120,
  },
  "meta_tools.search_apis.collapse_arrays.max_items": { type: "int", min: 1, max: 50 },
  "meta_tools.describe_op.max_variants": { type: "int", min: 1, max: 50, default: 5 },
  "catalog.long_tail": { type: "enum", values: ["off", "read", "all"], default: "read" },
  "cache.enabled": { type: "bool", default: true },
  "cache.persist": { type: "bool", default: true },
  "cache.max_size_mb": { type: "int", min: 1, max: 4_096, default: 256 },
  "cache.max_entries": { type: "int", min: 16, max: 65_536, default: 1_024 },
  "cache.ttl.<op_id>": { type: "int", min: 0, max: 604_800 },
  "cache.normalize_datetimes": { type: "bool", default: false },
  "cache.diff_only": { type: "bool", default: false },
  "cache.etag_retention_hours": { type: "int", min: 1, max: 720, default: 168 },
  "gain.enabled": { type: "bool", default: true },
  "audit.max_size_mb": { type: "int", min: 0, max: 10_240, default: 100 },
  "audit.max_files": { type: "int", min: 0, max: 1_000, default: 5 },
  "audit.retention_days": { type: "int", min: 0, max: 3_650, default: 90 },
  "audit.unbounded": { type: "bool", default: false },
  "audit.drain_timeout_seconds": { type: "int", min: 0, max: 30, default: 2 },
  "notify.enabled": { type: "bool", default: false },
  "code.output_limit_bytes": { type: "int", min: 1_024, max: MEBIBYTE, default: 65_536 },
  "code.timeout_seconds": { type: "int", min: 1, max: 600, default: 60 },
  "code.max_steps": { type: "int", min: 10_000, max: 1_000_000_000, default: 10_000_000 },
  "code.memory_mb": { type: "int", min: 16, max: 256, default: 64 },
  "code.parallel_concurrency": { type: "int", min: 1, max: 8, default: 8 },
  "plugins.sandbox": { type: "string", check: "word", default: "auto" },
  "plugins.sandbox_network": { type: "enum", values: ["strict", "best_effort"], default: "strict" },
  "plugins.sandbox_read": { type: "enum", values: ["open", "strict"], default: "open" },
  "plugins.deno_path": { type: "string", check: "absolute_path" },
  "canary.passive_enabled": { type: "bool", default: false },
  "mcp.tool_names": { type: "enum", values: ["auto", "dotted", "underscore"], default: "auto" },
  "accounts.<name>.profile": { type: "string", check: "any" },
  "accounts.<name>.allow": { type: "strings", check: "op_pattern" },
  "accounts.<name>.deny": { type: "strings", check: "op_pattern" },
  "accounts.<name>.max_risk": { type: "enum", values: RISKS },
  "accounts.<name>.mode": { type: "enum", values: MODES },
} as const satisfies Record<string, KeySpec>;

/** A row of the table. */
export type ConfigKey = keyof typeof CONFIG_KEYS;

/** Rows without a placeholder. */
export type PlainConfigKey = Exclude<ConfigKey, `${string}<${string}>${string}`>;

type RawValue<S> = S extends { type: "bool" } ? boolean
  : S extends { type: "int" | "number" } ? number
  : S extends { type: "enum"; values: readonly (infer V)[] } ? V
  : S extends { type: "strings" } ? readonly string[]
  : string;

/** The value a key has when read: undefined is possible only without a default. */
export type ConfigKeyValue<K extends ConfigKey> = typeof CONFIG_KEYS[K] extends { default: unknown }
  ? RawValue<typeof CONFIG_KEYS[K]>
  : RawValue<typeof CONFIG_KEYS[K]> | undefined;

/** A value of the type its key asks for. */
export type SettingValue = boolean | number | string | readonly string[];

/** What a row makes of a value. */
export type Coerced =
  | { kind: "fits"; value: SettingValue }
  | { kind: "clamped"; value: number }
  | { kind: "misfit"; wanted: string };

/** The row for a flattened key; undefined for a key nobody knows. */
export function rowOf(key: string): { name: ConfigKey; spec: KeySpec } | undefined {
  if (Object.hasOwn(CONFIG_KEYS, key) && !key.includes("<")) {
    const name = key as ConfigKey; // just found in the table
    return { name, spec: CONFIG_KEYS[name] };
  }
  for (const { name, head, tail } of FAMILIES) {
    const rest = key.length - head.length - tail.length;
    if (rest > 0 && key.startsWith(head) && key.endsWith(tail)) {
      return { name, spec: CONFIG_KEYS[name] };
    }
  }
  return undefined;
}

const FAMILIES = (Object.keys(CONFIG_KEYS) as ConfigKey[]).flatMap((name) => {
  const [, head, tail] = /^([^<]*)<[^>]*>(.*)$/.exec(name) ?? [];
  return head === undefined || tail === undefined ? [] : [{ name, head, tail }];
});

/** Reads a TOML value as its key wants it; text is accepted where it can mean only one value. */
export function coerce(spec: KeySpec, value: TomlValue): Coerced {
  switch (spec.type) {
    case "bool":
      return coerceBool(value);
    case "int":
    case "number":
      return coerceNumber(spec, value);
    case "enum":
      return typeof value === "string" && spec.values.includes(value)
        ? { kind: "fits", value }
        : { kind: "misfit", wanted: `one of ${spec.values.join(", ")}` };
    case "string":
      return typeof value === "string" && passes(value, spec.check)
        ? { kind: "fits", value }
        : { kind: "misfit", wanted: TEXT_CHECKS[spec.check].wanted };
    case "strings":
      return Array.isArray(value) && value.every(isText) &&
          value.every((item) => passes(item, spec.check))
        ? { kind: "fits", value }
        : { kind: "misfit", wanted: `a list: ${TEXT_CHECKS[spec.check].wanted}` };
  }
}

function coerceBool(value: TomlValue): Coerced {
  if (typeof value === "boolean") return { kind: "fits", value };
  const text = typeof value === "string" ? value.trim().toLowerCase() : "";
  if (["true", "t", "1"].includes(text)) return { kind: "fits", value: true };
  if (["false", "f", "0"].includes(text)) return { kind: "fits", value: false };
  return { kind: "misfit", wanted: "true or false" };
}

function coerceNumber(spec: KeySpec & { type: "int" | "number" }, value: TomlValue): Coerced {
  const number = numberOf(value, spec.type);
  if (number === undefined) {
    const kind = spec.type === "int" ? "a whole number" : "a number";
    return { kind: "misfit", wanted: `${kind} from ${spec.min} to ${spec.max}` };
  }
  const within = Math.min(Math.max(number, spec.min), spec.max);
  return within === number ? { kind: "fits", value: number } : { kind: "clamped", value: within };
}

function numberOf(value: TomlValue, type: "int" | "number"): number | undefined {
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number") {
    return type === "number" && !Number.isNaN(value) ? value : undefined;
  }
  if (typeof value !== "string") return undefined;
  const grammar = type === "int" ? /^[+-]?[0-9]{1,15}$/ : /^[+-]?[0-9]{1,15}(\.[0-9]{1,15})?$/;
  return grammar.test(value.trim()) ? Number(value) : undefined;
}

const TEXT_CHECKS: Readonly<
  Record<TextCheck, { test: (text: string) => boolean; wanted: string }>
> = {
  any: { test: () => true, wanted: "text" },
  fingerprint: {
    test: (text) => /^[0-9a-f]{16}$/.test(text),
    wanted: "16 lower-case hexadecimal digits",
  },
  absolute_path: { test: isAbsolutePath, wanted: "an absolute path" },
  word: { test: (text) => /^[a-z][a-z0-9_-]*$/.test(text), wanted: "a lower-case word" },
  prerequisite: {
    test: (text) => /^[A-Za-z0-9_.-]+:[A-Za-z0-9_-]+$/.test(text),
    wanted: "<op_id>:<kind>",
  },
  op_pattern: {
    test: (text) => /^[A-Za-z0-9_.*-]+$/.test(text),
    wanted: "operation ids, with * for any part",
  },
};

function passes(text: string, check: TextCheck): boolean {
  return TEXT_CHECKS[check].test(text);
}

function isText(value: TomlValue): value is string {
  return typeof value === "string";
}
