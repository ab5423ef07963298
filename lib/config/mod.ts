/**
 * The configuration of one account profile: `config.toml`, its keys, reading and changing it
 * (spec 05 §3.2, §8).
 *
 * ```ts
 * import { loadConfig, setting } from "./mod.ts";
 *
 * const { config, warnings } = await loadConfig({ profileName: "work", directory });
 * const capacity = setting(config, "rate_limit.capacity"); // number, bounded
 * ```
 *
 * @module
 */
export { type SessionAccount, type SessionAccounts, sessionAccounts } from "./accounts.ts";
export {
  coerce,
  type Coerced,
  CONFIG_KEYS,
  type ConfigKey,
  type ConfigKeyValue,
  type KeySpec,
  type PlainConfigKey,
  rowOf,
  type SettingValue,
  type TomlValue,
} from "./keys.ts";
export {
  configPath,
  type ConfigSource,
  type ConfigWarning,
  emptyConfig,
  expectedSubjects,
  invalidPolicyKey,
  loadConfig,
  type LoadedConfig,
  type ProfileConfig,
  setting,
  settingFamily,
} from "./load.ts";
export { changeConfig, type ConfigTarget, saveConfig, type SavedConfig } from "./save.ts";
