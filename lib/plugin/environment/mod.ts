/**
 * The environment of a plugin's process: what it inherits, which secrets it is given, and what
 * never reaches it (spec 06 §3.13, §3.14).
 *
 * @module
 */
export { redactor } from "./redact.ts";
export { credentialsComplete, spawnEnvironment, TokenUnavailable } from "./spawn_environment.ts";
export type {
  EnvironmentSources,
  ForwardedToken,
  SpawnEnvironment,
  SpawnRequest,
  StoredSecret,
  TokenResolver,
} from "./types.ts";
