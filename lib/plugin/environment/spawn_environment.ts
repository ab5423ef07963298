/** The environment of a plugin's process, made from nothing (spec 06 §3.13). */

import { GumError } from "../../errors/mod.ts";
import {
  GOOGLE_TOKEN_VARIABLE,
  isDeniedEnvName,
  isGoogleTokenName,
  isVariableName,
  wantsGoogleToken,
} from "../manifest/mod.ts";
import type { PluginManifest } from "../types.ts";
import type {
  EnvironmentSources,
  ForwardedToken,
  SpawnEnvironment,
  SpawnRequest,
} from "./types.ts";

const INHERITED = ["PATH", "HOME", "TMPDIR", "LANG"];

/** The profile's token could not be obtained: a condition of this host, not a fault of the plugin. */
export class TokenUnavailable extends Error {
  constructor(plugin: string, cause: unknown) {
    super(`the Google access token for plugin ${plugin} could not be obtained`, { cause });
    this.name = "TokenUnavailable";
  }
}

/**
 * Builds the environment of one spawn.
 *
 * @throws GumError `AUTH_REQUIRED` when a needed credential is missing and the spawn requires it.
 * @throws TokenUnavailable when the token resolver fails: no plugin starts without its token then.
 */
export async function spawnEnvironment(
  request: SpawnRequest,
  given: { sources: EnvironmentSources; signal: AbortSignal },
): Promise<SpawnEnvironment> {
  const { manifest, lock } = request;
  const { ambient } = given.sources;
  const variables = new Map<string, string>();
  for (const name of ambient.names()) {
    const value = INHERITED.includes(name) || name.startsWith("LC_")
      ? ambient.text(name)
      : undefined;
    if (value !== undefined) variables.set(name, value);
  }
  if (request.temporaryDir !== undefined) variables.set("TMPDIR", request.temporaryDir);
  for (const name of lock.declared_capabilities.env_allow) {
    // Rows of earlier installations may hold what the manifest's gate drops today.
    if (isGoogleTokenName(name) || isDeniedEnvName(name) || !isVariableName(name)) continue;
    const value = ambient.text(name);
    if (value !== undefined) variables.set(name, value);
  }
  const { found: credentials, missing } = await credentialValues(manifest, given);
  if (missing.length > 0 && request.requireCredentials) {
    throw credentialsMissing(manifest.plugin.name, missing);
  }
  for (const [name, value] of credentials) variables.set(name, value);
  const forwarded = await forwardedToken(manifest, given);
  if (forwarded !== null) variables.set(GOOGLE_TOKEN_VARIABLE, forwarded.token.reveal());
  variables.set("PLUGIN_DATA_DIR", request.dataDir);
  if (lock.package.source === "pypi") variables.set("PYTHONDONTWRITEBYTECODE", "1");
  for (const name of variables.keys()) if (isDeniedEnvName(name)) variables.delete(name);
  const secrets = [...credentials.values(), ...(forwarded ? [forwarded.token.reveal()] : [])];
  return {
    variables: Object.fromEntries(variables),
    secrets: secrets.filter((value) => value !== ""),
    ...(forwarded?.expiresAt === undefined ? {} : { tokenExpiresAt: forwarded.expiresAt }),
    recordForwarding() {
      if (forwarded !== null) recordForwarding(forwarded, { plugin: lock.name, ...given.sources });
    },
  };
}

/** Whether every credential that the manifest asks for has a value. */
export async function credentialsComplete(
  manifest: PluginManifest,
  given: { sources: EnvironmentSources; signal: AbortSignal },
): Promise<boolean> {
  return (await credentialValues(manifest, given)).missing.length === 0;
}

async function credentialValues(
  manifest: PluginManifest,
  given: { sources: EnvironmentSources; signal: AbortSignal },
): Promise<{ found: Map<string, string>; missing: string[] }> {
  const { sources, signal } = given;
  const { needs_user_creds: needs, credential_descriptors: descriptors } = manifest.requirements;
  const plugin = manifest.plugin.name;
  const found = new Map<string, string>();
  const missing: string[] = [];
  for (const name of needs) {
    if (isGoogleTokenName(name)) continue;
    const alias = descriptors.find(({ env }) => env === name)?.alias;
    const stored = alias === undefined
      ? null
      : await sources.storedSecret?.({ plugin, alias }, signal) ?? null;
    const value = stored?.reveal() ?? sources.ambient.text(name);
    if (value !== undefined) found.set(name, value);
    else missing.push(alias ?? plugin);
  }
  return { found, missing };
}

function credentialsMissing(plugin: string, aliases: string[]): GumError {
  const next = `gum plugin setup ${plugin}`;
  return new GumError("AUTH_REQUIRED", {
    message: `plugin ${plugin} has no value for ${aliases.join(", ")}`,
    details: { plugin_name: plugin, missing_components: aliases, next_command: next },
    userMessage: `The plugin ${plugin} is not set up: ${aliases.join(", ")}.`,
    suggestion: `Run \`${next}\`.`,
  });
}

async function forwardedToken(
  manifest: PluginManifest,
  { sources, signal }: { sources: EnvironmentSources; signal: AbortSignal },
): Promise<ForwardedToken | null> {
  if (!wantsGoogleToken(manifest) || sources.tokenResolver === undefined) return null;
  const scopes = [...new Set(manifest.tools.flatMap((tool) => tool.scopes))].sort();
  const plugin = manifest.plugin.name;
  let answer: ForwardedToken | null;
  try {
    answer = await sources.tokenResolver({ profile: sources.profileName, plugin, scopes }, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    throw new TokenUnavailable(plugin, error);
  }
  return answer === null || answer.token.reveal() === "" ? null : answer;
}

/** The one row that says whose token went to which plugin; the token itself is in no row. */
function recordForwarding(
  forwarded: ForwardedToken,
  { plugin, audit }: { plugin: string } & Pick<EnvironmentSources, "audit">,
): void {
  audit.append({
    event: "plugin_token_forwarded",
    plugin,
    subject_fingerprint: forwarded.subjectFingerprint,
    scopes: [...forwarded.scopes],
  });
}
