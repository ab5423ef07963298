/** What `gum status` gathers and prints. Local, and nothing is written. */

import {
  AGENT_TARGETS,
  type AgentTarget,
  hasServer,
  readTextIfPresent,
  serverFiles,
} from "../lib/agents/mod.ts";
import { baseDirectories, profileDirectories } from "../lib/config/directories.ts";
import { loadConfig, setting } from "../lib/config/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../lib/json/mod.ts";
import { VERSION } from "../lib/version/mod.ts";
import { choiceOf } from "./choices.ts";
import { fileExists } from "./early_profile.ts";
import { sizeText } from "./media_calls.ts";
import { placesOf } from "./places.ts";
import { labelledLines } from "./terminal_labels.ts";
import { stylesFor, terminalWidth } from "./terminal_text.ts";
import type { CommandContext } from "./types.ts";

/** Runs `gum status`. */
export async function runStatus(context: CommandContext): Promise<void> {
  const { host, flags } = context;
  const format = flags.changed("format")
    ? choiceOf(flags, { flag: "format", choices: ["text", "json"] })
    : host.isTerminal("stdout")
    ? "text"
    : "json";
  const document = await statusDocument(context);
  host.stdout.write(
    format === "json" ? JSON.stringify(document, null, 2) + "\n" : statusText(document, context),
  );
}

async function statusDocument(context: CommandContext): Promise<JsonObject> {
  const { host, profile, log, emulator, emulatorOrigin } = context;
  const folders = profileDirectories(baseDirectories(host.environment), profile);
  const { config } = await loadConfig({ profileName: profile, directory: folders.config, log });
  const adc = setting(config, "auth.adc.enabled");
  // At once: what each of them loads and reads would otherwise be waited for one after the other.
  const [signedIn, plugins, cache, startedBy] = await Promise.all([
    emulator ? null : signIn(context, { directory: folders.data, adc }),
    pluginCounts(context, folders.data),
    cacheFacts(context, folders.cache),
    clients(context),
  ]);
  return {
    version: VERSION,
    profile,
    emulator: emulator ? emulatorOrigin ?? "built-in" : null,
    sign_in: signedIn,
    policy_mode: setting(config, "policy.mode"),
    settings: config.values.size,
    long_tail: setting(config, "catalog.long_tail"),
    plugins,
    cache,
    clients: startedBy,
    folders: { ...folders },
  };
}

const FIRST_STEP = "gum auth use-oauth-client --client-id <id> --secret-stdin";

async function signIn(
  context: CommandContext,
  { directory, adc }: { directory: string; adc: boolean },
): Promise<JsonObject> {
  const { host, signal } = context;
  const given = ["GUM_API_KEY", "GUM_SERVICE_ACCOUNT_KEY", "GUM_USE_ADC"] as const;
  const stored = fileExists(`${directory}/credential-store.json`) ||
    fileExists(`${directory}/credentials.vault`);
  // The stores are slow to open and need not be asked about what was never put there.
  if (
    !stored && !adc && given.every((name) => host.environment.text(name) === undefined)
  ) {
    return { provider: "none", source: "", credential_store: null, next_command: FIRST_STEP };
  }
  const { withOperatorAuth } = await import("./operator_auth.ts");
  const report = await withOperatorAuth(context, (auth) => auth.status({ scopes: [], signal }));
  const ways = Array.isArray(report.strategies) ? report.strategies.filter(isJsonObject) : [];
  const next = ways.find((way) => typeof way.next_command === "string")?.next_command;
  return {
    provider: report.provider ?? "none",
    source: report.source ?? "",
    credential_store: report.credential_store ?? null,
    ...(report.provider === "none" && next !== undefined ? { next_command: next } : {}),
  };
}

async function pluginCounts(context: CommandContext, directory: string): Promise<JsonObject> {
  if (!fileExists(`${directory}/plugin-catalog.json`)) return {};
  const { openPluginView, pluginPaths } = await import("../lib/plugin/status/mod.ts");
  const view = openPluginView({
    paths: pluginPaths(directory),
    sessionStartedAt: context.host.factories.clock.now(),
    logger: context.log,
  });
  const counts: Record<string, number> = {};
  for (const row of view.rows()) {
    const status = String(row.status);
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

async function cacheFacts(context: CommandContext, directory: string): Promise<JsonObject> {
  if (!fileExists(`${directory}/http-wal.db`)) return { entries: 0, bytes: 0 };
  const { readCacheStats } = await import("../lib/cache/mod.ts");
  const { semantic, http } = await readCacheStats(directory, {
    now: context.host.factories.clock.now(),
  });
  const sum = (name: string) => Number(semantic[name] ?? 0) + Number(http[name] ?? 0);
  return { entries: sum("entries"), bytes: sum("bytes") };
}

/** Agent clients whose files start gum. */
async function clients(context: CommandContext): Promise<AgentTarget[]> {
  const places = placesOf(context);
  const starts = await Promise.all(AGENT_TARGETS.map(async (target) => {
    const paths = (["user", "project"] as const)
      .flatMap((scope) => serverFiles(target, { scope, places }));
    // What cannot be read starts nothing that this command could tell of.
    const texts = paths.map((path) => readTextIfPresent(path).catch(() => undefined));
    return (await Promise.all(texts)).some((text) => text !== undefined && hasServer(text, target));
  }));
  return AGENT_TARGETS.filter((_, index) => starts[index]);
}

function statusText(document: JsonObject, { host }: CommandContext): string {
  const look = { styles: stylesFor(host, "stdout"), width: terminalWidth(host) };
  const lines: [string, string][] = [
    ["Version", text(document.version)],
    ["Profile", text(document.profile)],
    ["Signs in with", signInText(document)],
    ["Policy", text(document.policy_mode)],
    ["Operations", operationsText(document.long_tail)],
    ["Plugins", countsText(document.plugins)],
    ["Cache", cacheText(document.cache)],
    ["Agent clients", clientsText(document.clients)],
  ];
  return lines.flatMap((line) => labelledLines(line, look)).join("\n") + "\n";
}

function signInText({ emulator, sign_in: found }: JsonObject): string {
  if (typeof emulator === "string") return `nothing; the ${emulator} emulator answers`;
  const { provider, source, next_command: next } = isJsonObject(found) ? found : {};
  if (text(provider) !== "none") return `${text(provider)} (${text(source)})`;
  return `nothing yet; ${text(next) === "" ? "gum login" : text(next)}`;
}

function operationsText(exposure: JsonValue | undefined): string {
  const beyond: Record<string, string> = {
    off: "the curated ones only",
    read: "curated, and the reads of every other Google API",
    all: "curated, and every other Google API",
  };
  return beyond[text(exposure)] ?? `curated, and the long tail: ${text(exposure)}`;
}

function countsText(value: JsonValue | undefined): string {
  const counts = Object.entries(isJsonObject(value) ? value : {});
  if (counts.length === 0) return "none";
  return counts.map(([status, count]) => `${count} ${status.replaceAll("_", " ")}`).join(", ");
}

function cacheText(value: JsonValue | undefined): string {
  const { entries, bytes } = isJsonObject(value) ? value : {};
  if (entries === 0) return "empty";
  return `${entries} ${entries === 1 ? "answer" : "answers"}, ${sizeText(Number(bytes ?? 0))}`;
}

function clientsText(value: JsonValue | undefined): string {
  const names = Array.isArray(value) ? value.map(text) : [];
  return names.length === 0 ? "none yet; gum setup installs into them" : names.join(", ");
}

function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
