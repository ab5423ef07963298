/** What `gum init` does (spec 08 §4.8). */

import {
  type AgentTarget,
  clientFile,
  noteOwnEntry,
  patchClientFile,
  readTextIfPresent,
  withSortedServer,
} from "../lib/agents/mod.ts";
import { baseDirectories } from "../lib/config/directories.ts";
import { writeFileAtomic } from "../lib/files/mod.ts";
import { visibleText } from "../lib/format/text/mod.ts";
import { isJsonObject, type JsonObject } from "../lib/json/mod.ts";
import { invalidArg, PlanDeclinedError } from "./errors.ts";
import { askYes } from "./ask_line.ts";
import { guideText } from "./init_guide.ts";
import { INIT_TARGETS } from "./init.ts";
import { placesOf } from "./places.ts";
import { say } from "./say.ts";
import { warnAboutOtherProgram } from "./init_path.ts";
import { writeDiff } from "./terminal_diff.ts";
import type { CommandContext } from "./types.ts";

type InitTarget = typeof INIT_TARGETS[number];

/** Runs `gum init`. */
export async function runInit(context: CommandContext): Promise<void> {
  const { flags, host } = context;
  const named = flags.text("target");
  const target = INIT_TARGETS.find((name) => name === named);
  if (target === undefined) {
    throw invalidArg(
      "--target",
      `${JSON.stringify(named)} is none of ${INIT_TARGETS.join(", ")}`,
    );
  }
  if (flags.on("global") && target !== "claude-code") {
    throw invalidArg("--global", "is for --target claude-code only");
  }
  if (host.isTerminal("stderr")) await warnAboutOtherProgram(context);
  if (!flags.on("refresh")) await patchSettings(target, context);
  await writeGuide(context);
  if (!flags.on("refresh")) await showReadiness(context);
}

function settingsPath(target: InitTarget, context: CommandContext): string {
  const places = placesOf(context);
  if (target === "claude-code") {
    const base = context.flags.on("global") ? places.home : places.project;
    return `${base}/.claude/settings.json`;
  }
  const path = clientFile(target, { scope: "user", places });
  if (path === undefined) throw new Error(`${target} has no settings file`);
  return path;
}

async function patchSettings(target: InitTarget, context: CommandContext): Promise<void> {
  const { host, flags, profile, signal } = context;
  const path = settingsPath(target, context);
  const client: AgentTarget = target === "claude-code" ? "claude" : target;
  const merge = (text: string | undefined) => {
    try {
      return withSortedServer(text, client);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new Error(`${path}: ${why}; it was not changed`, { cause: error });
    }
  };
  const before = await readTextIfPresent(path);
  const planned = merge(before);
  const recordDirectory = `${baseDirectories(host.environment).data}/gum/${profile}`;
  if (planned === before) {
    await noteOwnEntry(path, { text: planned, target: client, recordDirectory });
    return host.stdout.write(`No changes: ${path} already starts gum\n`);
  }
  host.stdout.write(`${before === undefined ? "CREATE" : "UPDATE"} ${path}\n`);
  host.stdout.write(visibleText(planned));
  if (!flags.on("yes")) {
    if (host.isTerminal("stderr") && before !== undefined) {
      writeDiff({ before, after: planned }, host);
    }
    if (!await askYes(host, { text: `Apply this patch to ${path}? [y/N]: `, signal })) {
      throw new PlanDeclinedError("init: patch declined by user");
    }
  }
  await patchClientFile(path, {
    target: client,
    merge: (text) => withSortedServer(text, client),
    recordDirectory,
    signal,
  });
  host.stdout.write(`Patched ${path}\n`);
}

async function writeGuide(context: CommandContext): Promise<void> {
  const { home, project } = placesOf(context);
  const path = `${context.flags.on("global") ? home : project}/GUM.md`;
  await writeFileAtomic(path, new TextEncoder().encode(guideText()), { mode: 0o644 });
  context.host.stdout.write(`Wrote ${path}\n`);
}

async function showReadiness(context: CommandContext): Promise<void> {
  const { host, signal } = context;
  const { withOperatorAuth } = await import("./operator_auth.ts");
  const report = await withOperatorAuth(
    context,
    (auth) => auth.status({ scopes: ["https://www.googleapis.com/auth/gmail.readonly"], signal }),
  );
  const ready = report.provider !== "none";
  const hasClient = ownClientIsStored(report);
  const steps: string[] = [];
  if (!ready) {
    host.stdout.write(`No usable Google credential in profile ${context.profile} yet.\n`);
    if (!hasClient) steps.push("gum auth use-oauth-client --client-json client_secret.json");
    steps.push("gum auth login");
    if (hasClient && host.isTerminal("stdin") && host.isTerminal("stderr")) {
      if (await askYes(host, { text: "Sign in to Google now? [y/N]: ", signal })) {
        // None of the login's flags exist here; unset ones read as their defaults.
        await (await import("./login_run.ts")).runLogin(context);
        steps.pop();
      }
    }
  }
  steps.push("gum doctor", "restart the client");
  host.stdout.write("Next:\n" + steps.map((step, index) => `  ${index + 1}. ${step}\n`).join(""));
  if (context.emulator) say(context, "the emulator needs no credential");
}

function ownClientIsStored(report: JsonObject): boolean {
  const lines = Array.isArray(report.strategies) ? report.strategies : [];
  const own = lines.find((line) => isJsonObject(line) && line.strategy === "byo_oauth");
  // With a client in store the report names it as the source, or the grant it gave.
  return isJsonObject(own) && (own.source === "client" || own.source === "grant");
}
