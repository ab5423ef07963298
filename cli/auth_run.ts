/** What the storing `gum auth` commands do. */

import { adcReadiness, gcloudCredentialsPath } from "../lib/auth/readiness/mod.ts";
import {
  apiKeyAccount,
  developerTokenAccount,
  openCredentialStore,
} from "../lib/auth/store/mod.ts";
import {
  baseDirectories,
  DEFAULT_PROFILE,
  isProfileName,
  profileDirectories,
} from "../lib/config/directories.ts";
import { loadConfig, saveConfig, setting } from "../lib/config/mod.ts";
import { isGumError } from "../lib/errors/mod.ts";
import { pathExists } from "../lib/files/mod.ts";
import { silentLogger } from "../lib/log/mod.ts";
import { accepted } from "./choices.ts";
import { commandStore } from "./credential_store.ts";
import { invalidArg } from "./errors.ts";
import { say } from "./say.ts";
import { readSecret } from "./secret_input.ts";
import type { CommandContext } from "./types.ts";

/** Runs `gum auth use-api-key`. */
export async function runUseApiKey(context: CommandContext): Promise<void> {
  await storeSecret(context, {
    what: "API key",
    item: "api_key",
    account: apiKeyAccount(context.profile),
    variable: "GUM_API_KEY",
  });
}

/** Runs `gum auth use-ads-developer-token`. */
export async function runUseDeveloperToken(context: CommandContext): Promise<void> {
  await storeSecret(context, {
    what: "developer token",
    item: "developer_token",
    account: developerTokenAccount(context.profile),
    variable: "GUM_GOOGLE_ADS_DEVELOPER_TOKEN",
  });
}

async function storeSecret(
  context: CommandContext,
  item: { what: string; item: string; account: string; variable: string },
): Promise<void> {
  const { flags, host, profile, signal } = context;
  if (flags.on("stdin") && flags.changed("from-file")) {
    throw invalidArg("--from-file", "excludes --stdin");
  }
  const value = await readSecret(context, { what: item.what, file: flags.text("from-file") });
  const { options } = await commandStore(context, { prompt: true });
  const store = openCredentialStore(options);
  try {
    await store.set(item.account, value, { signal });
  } catch (error) {
    if (isGumError(error, "AUTH_KEYCHAIN_UNAVAILABLE")) {
      say(
        context,
        `without a store, a password manager can give it for one call: ` +
          `${item.variable}="$(pass show google/${item.item})" gum …`,
      );
    }
    throw error;
  }
  const { backend } = await store.probe({ signal });
  const report = { profile, stored: item.item, credential_store: backend };
  host.stdout.write(JSON.stringify(report, null, 2) + "\n");
}

/** Runs `gum auth use-adc`. */
export async function runUseAdc(context: CommandContext): Promise<void> {
  const { flags, host, profile, log, signal } = context;
  const enabled = !flags.on("off");
  const directory = profileDirectories(baseDirectories(host.environment), profile).config;
  await saveConfig({ profileName: profile, directory, log, signal }, {
    "auth.adc.enabled": enabled ? true : undefined,
  });
  const { environment } = host;
  const os = Deno.build.os;
  const found = await adcReadiness({ environment, os, adcEnabled: enabled });
  const named = environment.text("GOOGLE_APPLICATION_CREDENTIALS");
  const report = {
    profile,
    // The variable holds for this process whatever the profile says.
    adc_enabled: found.enabled,
    source: found.path === undefined
      ? named === undefined ? "metadata_server" : "missing_file"
      : named === undefined
      ? "gcloud_file"
      : "environment_file",
    path: named ?? gcloudCredentialsPath({ environment, os }) ?? null,
    path_present: found.path !== undefined,
  };
  host.stdout.write(JSON.stringify(report, null, 2) + "\n");
  if (enabled && found.path === undefined) {
    say(context, "no credentials file is there; only a host with a metadata server will do");
  }
}

/** One account profile and what there is of it. */
interface ProfileRow {
  name: string;
  current: boolean;
  config: boolean;
  credentials: boolean;
  description?: string;
}

/** Runs `gum auth profiles`. */
export async function runProfiles(context: CommandContext): Promise<void> {
  const { host, flags, profile } = context;
  const format = flags.text("format")?.toLowerCase();
  if (format !== "text" && format !== "json") {
    throw invalidArg("--format", accepted(format ?? "", ["text", "json"]));
  }
  const bases = baseDirectories(host.environment);
  const names = new Set([DEFAULT_PROFILE, profile]);
  for (const base of [bases.config, bases.data]) {
    for (const name of await foldersIn(`${base}/gum`)) if (isProfileName(name)) names.add(name);
  }
  const rows: ProfileRow[] = [];
  for (const name of [...names].sort()) {
    const own = profileDirectories(bases, name);
    const description = await descriptionOf(name, own.config);
    rows.push({
      name,
      current: name === profile,
      config: await pathExists(`${own.config}/config.toml`),
      credentials: await pathExists(`${own.data}/credential-store.json`) ||
        await pathExists(`${own.data}/credentials.vault`),
      ...(description === "" ? {} : { description }),
    });
  }
  if (format === "json") {
    return host.stdout.write(JSON.stringify({ profiles: rows }, null, 2) + "\n");
  }
  const width = Math.max(...rows.map((row) => row.name.length));
  for (const row of rows) {
    const has = [row.config ? "config" : "", row.credentials ? "credentials" : ""]
      .filter(Boolean).join(", ") || "empty";
    const what = row.description === undefined ? "" : `  ${row.description}`;
    host.stdout.write(`${row.current ? "*" : " "} ${row.name.padEnd(width)}  ${has}${what}\n`);
  }
}

async function descriptionOf(profileName: string, directory: string): Promise<string> {
  try {
    const { config } = await loadConfig({ profileName, directory, log: silentLogger });
    return setting(config, "profile.description").replace(/\p{Cc}/gu, " ");
  } catch (error) {
    // The list should show a profile whose configuration is broken, too.
    if (isGumError(error)) return "(configuration cannot be read)";
    throw error;
  }
}

async function foldersIn(path: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const entry of Deno.readDir(path)) if (entry.isDirectory) names.push(entry.name);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return names;
}
