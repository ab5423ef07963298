/** Collecting a plugin's secrets and proving that they work (spec 06 §3.12). */

import { pluginCredentialAccount } from "../../auth/store/mod.ts";
import type { CredentialEntries } from "../../auth/store/types.ts";
import { secret } from "../../auth/mod.ts";
import { type Clock, rfc3339 } from "../../clock/mod.ts";
import type { AuditSink } from "../../dispatch/types.ts";
import { GumError } from "../../errors/mod.ts";
import type { Logger } from "../../log/mod.ts";
import { externalPrerequisites, markCanaryFailed } from "../install/mod.ts";
import { loadManifest } from "../manifest/mod.ts";
import { requirePluginId } from "../paths.ts";
import type { OwnPluginRegistry } from "../registry/mod.ts";
import type {
  CanaryOutcome,
  CredentialDescriptor,
  LiveCanary,
  PluginManifest,
  StateRow,
} from "../types.ts";

/** The person at the other end. */
export interface SetupDialogue {
  /** One line of text for them. */
  say(line: string): void;
  /** Their answer to a prompt, without its line end; undefined at the end of input. Not echoed. */
  ask(prompt: string, signal: AbortSignal): Promise<string | undefined>;
}

/** What a setup is made from. */
export interface SetupParts {
  registry: OwnPluginRegistry;
  credentials: CredentialEntries;
  profileName: string;
  dialogue: SetupDialogue;
  /** Supplied by the process host; runs without the quarantine gate, so that a setup can repair. */
  canary: LiveCanary | undefined;
  clock: Clock;
  logger: Logger;
  auditSink: AuditSink;
}

/** How a setup ended well. */
export type SetupOutcome = "activated" | "nothing_to_do";

/**
 * Sets a plugin up.
 *
 * @throws GumError `PLUGIN_MANIFEST_INVALID`, `PLUGIN_MANIFEST_NOT_FOUND`, `AUTH_REQUIRED`,
 * `AUTH_KEYCHAIN_UNAVAILABLE`, or `SERVICE_DOWN` when the canary fails.
 */
export async function setupPlugin(
  request: { name: string; signal: AbortSignal },
  parts: SetupParts,
): Promise<SetupOutcome> {
  const { signal } = request;
  const name = requirePluginId(request.name);
  const snapshot = await parts.registry.loadSnapshot();
  const lock = snapshot.lock.plugins.find((row) => row.name === name);
  const state = snapshot.state.plugins.find((row) => row.name === name);
  if (lock === undefined || state === undefined) throw notInstalled(name);
  const manifest = await installedManifest(lock.executable.install_root, name);
  for (const { display_name: displayName, setup_hint: hint } of externalPrerequisites(manifest)) {
    parts.dialogue.say(`- [ ] ${displayName}: ${hint}`);
  }
  const { credential_descriptors: descriptors } = manifest.requirements;
  if (descriptors.length === 0 && state.needs_configuration !== true) return "nothing_to_do";
  for (const descriptor of descriptors) await collect(descriptor, { name, signal, parts });
  await proveIt(name, { version: lock.version, signal, parts });
  return "activated";
}

async function installedManifest(root: string, name: string): Promise<PluginManifest> {
  try {
    return (await loadManifest(root)).manifest;
  } catch (error) {
    if (!(error instanceof GumError)) throw error;
    if (error.code === "PLUGIN_MANIFEST_NOT_FOUND") throw notInstalled(name, error);
    // The manifest's own words could name a variable.
    throw new GumError(error.code, {
      message: `the installed manifest of ${name} is not valid`,
      details: { plugin_name: name },
      suggestion: `Install the plugin again, then run \`gum plugin setup ${name}\`.`,
    });
  }
}

function notInstalled(name: string, cause?: unknown): GumError {
  return new GumError("PLUGIN_MANIFEST_NOT_FOUND", {
    message: `plugin ${name} is not installed in this profile`,
    details: { plugin_name: name },
    userMessage: `Plugin ${name} is not installed.`,
    suggestion: "Run `gum plugin install <dir> --yes` first.",
    cause,
  });
}

async function collect(
  descriptor: CredentialDescriptor,
  { name, signal, parts }: { name: string; signal: AbortSignal; parts: SetupParts },
): Promise<void> {
  const { alias, kind, display_name: displayName, setup_hint: hint } = descriptor;
  const { dialogue, credentials } = parts;
  const account = pluginCredentialAccount(parts.profileName, { plugin: name, alias });
  if (hint !== "") dialogue.say(hint);
  const answer = await dialogue.ask(`${displayName} (${kind}): `, signal);
  const given = (answer ?? "").replace(/[\r\n]+$/, "");
  if (given !== "") return await credentials.set(account, secret(given), { signal });
  if (await credentials.get(account, { signal }) !== null) return;
  throw new GumError("AUTH_REQUIRED", {
    message: `${displayName} was not given and is not stored`,
    details: {
      plugin_name: name,
      auth_strategy: "plugin_managed",
      missing_components: [alias],
      next_command: `gum plugin setup ${name}`,
    },
    userMessage: `${displayName} is missing.`,
    suggestion: `Run \`gum plugin setup ${name}\` again with ${displayName} at hand.`,
  });
}

async function proveIt(
  name: string,
  given: { version: string; signal: AbortSignal; parts: SetupParts },
): Promise<void> {
  const { signal, parts } = given;
  const { canary, registry, clock, auditSink } = parts;
  if (canary === undefined) {
    throw new GumError("SERVICE_DOWN", {
      message: "this build cannot start plugins, so the setup cannot be proved",
      details: { plugin_name: name, reason: "plugin_host_absent" },
    });
  }
  const outcome = await canary(name, signal);
  const now = rfc3339(clock.now());
  const change = async (work: (row: StateRow) => void) => {
    await registry.writeTransaction((draft) => {
      const row = draft.state.plugins.find((known) => known.name === name);
      if (row === undefined) throw notInstalled(name);
      work(row);
    }, { signal });
  };
  if (outcome.ok) {
    await change((row) => activate(row, { now }));
    auditSink.append({ event: "plugin_activated", plugin: name, version: given.version });
    return;
  }
  parts.logger.log("debug", "the live canary of a setup failed", {
    plugin: name,
    source_error_code: outcome.source_error_code,
    detail: outcome.message,
  });
  // What was given is stored; the plugin itself was not even tried.
  if (outcome.host_condition === true) throw notTried(name, outcome);
  await change((row) => markCanaryFailed(row, { now }));
  auditSink.append({
    event: "plugin_quarantined",
    plugin: name,
    last_error_code: "CANARY_FAILED",
    permanent: false,
  });
  throw new GumError("SERVICE_DOWN", {
    message: `plugin ${name} does not work with these credentials`,
    details: { plugin_name: name, reason: "canary_failed" },
    userMessage: `Plugin ${name} did not pass its live canary and is quarantined.`,
    suggestion: `Check the credentials, then run \`gum plugin setup ${name}\` again, or ` +
      `\`gum plugin reload ${name}\`.`,
  });
}

function notTried(name: string, outcome: CanaryOutcome & { ok: false }): GumError {
  const unconfined = outcome.source_error_code === "ErrSandboxUnsupported";
  return new GumError(unconfined ? "PLUGIN_SANDBOX_UNSUPPORTED" : "SERVICE_DOWN", {
    message: unconfined ? outcome.message : `plugin ${name} could not be tried on this machine`,
    details: { plugin_name: name, reason: "canary_not_run" },
    userMessage: `What was given is stored, but plugin ${name} could not be tried here` +
      (unconfined ? `: ${outcome.message}.` : "."),
    suggestion: `See \`gum doctor\`, then run \`gum plugin setup ${name}\` again.`,
  });
}

/** A plugin that has just proved itself is healthy, whatever was said of it before. */
export function activate(row: StateRow, { now }: { now: string }): void {
  row.status = "active";
  row.activated_at = now;
  row.needs_configuration = false;
  row.quarantined = false;
  row.permanent_quarantine = false;
  row.retry_count = 0;
  row.backoff_step = 0;
  for (const field of ["reason", "quarantined_at", "last_error_code", "next_retry_at"] as const) {
    delete row[field];
  }
}
