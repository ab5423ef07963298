/** What `gum setup`, `gum agents install` and `gum agents uninstall` do (spec 08 §4.9). */

import {
  AGENT_TARGETS,
  type AgentAction,
  type AgentFeature,
  type AgentTarget,
  ALL_TARGETS,
  applyInstall,
  applyUninstall,
  clientFile,
  type InstallRequest,
  planInstall,
  type PlannedAction,
  planUninstall,
} from "../lib/agents/mod.ts";
import { baseDirectories } from "../lib/config/directories.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { askYes } from "./ask_line.ts";
import { notAChoice } from "./choices.ts";
import { invalidArg, PlanDeclinedError } from "./errors.ts";
import { placesOf } from "./places.ts";
import { writeDiff } from "./terminal_diff.ts";
import { stylesFor } from "./terminal_text.ts";
import type { CommandContext } from "./types.ts";

/** Where `gum setup` leads. */
const NEXT_STEPS = [
  "register an OAuth client: gum auth use-oauth-client --client-json client_secret.json",
  "sign in: gum auth login",
  "check: gum doctor",
  "restart the client",
];

/** Runs `gum agents install`. */
export async function runInstall(context: CommandContext): Promise<void> {
  const { request, echo, json } = installation(context);
  const plan = await planInstall(request);
  const dry = context.flags.on("dry-run");
  if (dry && !json) showDiffs(plan, context);
  const actions = dry ? plan : await applyInstall(plan, request);
  report(actions, { echo: { ...echo, dry_run: dry }, json }, context);
}

/** Runs `gum agents uninstall`. */
export async function runUninstall(context: CommandContext): Promise<void> {
  const { request, echo, json } = installation(context);
  const plan = await planUninstall(request);
  const dry = context.flags.on("dry-run");
  if (dry && !json) showDiffs(plan, context);
  const actions = dry ? plan : await applyUninstall(plan, request);
  const { toolset: _toolset, ...named } = echo;
  report(actions, { echo: { ...named, dry_run: dry }, json }, context);
}

/** Runs `gum setup`. */
export async function runSetup(context: CommandContext): Promise<void> {
  const { flags, host, signal } = context;
  const { request, echo, json } = installation(context);
  const plan = await planInstall(request);
  const dry = flags.on("dry-run");
  if (!json) {
    host.stdout.write("gum setup installs agent skills and the MCP server.\n\nPlan:\n");
    host.stdout.write(actionLines(plan));
    showDiffs(plan, context);
  }
  let applied = false;
  let actions: readonly PlannedAction[] = plan;
  if (!dry) {
    if (!flags.on("yes") && !await askYes(host, { text: "Apply these changes? [y/N]: ", signal })) {
      throw new PlanDeclinedError("setup cancelled; nothing was written");
    }
    actions = await applyInstall(plan, request);
    applied = true;
  }
  if (json) {
    const document = {
      request: {
        ...echo,
        ...(dry ? { dry_run: true } : {}),
        ...(request.force ? { force: true } : {}),
      },
      agent_plan: { ...echo, dry_run: dry, actions: actions.map(actionRow) },
      applied,
      next: NEXT_STEPS,
    };
    return host.stdout.write(JSON.stringify(document, null, 2) + "\n");
  }
  if (dry) return host.stdout.write("dry run complete\n");
  host.stdout.write("setup complete\n" + actionLines(actions) + "\nNext:\n");
  host.stdout.write(NEXT_STEPS.map((step, index) => `  ${index + 1}. ${step}\n`).join(""));
}

interface Installation {
  request: InstallRequest;
  echo: JsonObject;
  json: boolean;
}

function installation(context: CommandContext): Installation {
  const { flags, host, profile, signal } = context;
  const format = oneOf(context, { flag: "format", choices: ["text", "json"] });
  const scope = oneOf(context, { flag: "scope", choices: ["user", "project"] });
  const toolset = flags.spec("toolset") === undefined
    ? "core"
    : oneOf(context, { flag: "toolset", choices: ["core"] });
  const features = featuresOf(flags.text("features") ?? "");
  const word = flags.text("target") ?? "all";
  const targets = targetsOf(word);
  const extra = flags.list("mcp-arg");
  for (const arg of extra) {
    // deno-lint-ignore no-control-regex -- NUL is what is looked for
    if (arg === "" || /[\u0000\r\n]/.test(arg)) {
      throw invalidArg("--mcp-arg", "must be one line and not empty");
    }
  }
  const places = placesOf(context);
  for (const target of targets) {
    if (features.includes("mcp") && clientFile(target, { scope, places }) === undefined) {
      throw invalidArg("--scope", `${target} has no MCP file in a project; use --scope user`);
    }
  }
  return {
    request: {
      targets,
      scope,
      features,
      extra,
      force: flags.on("force"),
      places,
      recordDirectory: `${baseDirectories(host.environment).data}/gum/${profile}`,
      signal,
    },
    echo: { target: word, scope, features, toolset },
    json: format === "json",
  };
}

function oneOf<const Choice extends string>(
  { flags }: CommandContext,
  { flag, choices }: { flag: string; choices: readonly Choice[] },
): Choice {
  const typed = flags.text(flag) ?? "";
  const found = choices.find((choice) => choice === typed.toLowerCase());
  if (found === undefined) throw invalidArg(`--${flag}`, notAChoice(typed, choices));
  return found;
}

function targetsOf(text: string): AgentTarget[] {
  const targets = new Set<AgentTarget>();
  for (const word of text.split(",").map((item) => item.trim())) {
    const found = AGENT_TARGETS.find((target) => target === word);
    if (word === "all") ALL_TARGETS.forEach((target) => targets.add(target));
    else if (found !== undefined) targets.add(found);
    else {
      throw invalidArg(
        "--target",
        `${JSON.stringify(word)} is none of all, ${AGENT_TARGETS.join(", ")}`,
      );
    }
  }
  return [...targets];
}

function featuresOf(text: string): AgentFeature[] {
  const words = new Set(text.split(",").map((item) => item.trim()));
  for (const word of words) {
    if (word !== "skills" && word !== "mcp") {
      throw invalidArg("--features", `${JSON.stringify(word)} is none of skills, mcp`);
    }
  }
  return (["skills", "mcp"] as const).filter((feature) => words.has(feature));
}

function actionRow({ target, kind, path, status }: AgentAction): JsonObject {
  return { target, kind, path, status };
}

function actionLines(actions: readonly AgentAction[]): string {
  return actions.map(({ status, target, kind, path }) => `${status} ${target} ${kind} ${path}\n`)
    .join("");
}

function report(
  actions: readonly AgentAction[],
  form: { echo: JsonObject; json: boolean },
  { host }: CommandContext,
): void {
  if (!form.json) {
    if (actions.length === 0 && host.isTerminal("stderr")) {
      host.stderr.write("nothing of gum's was found\n");
    }
    return host.stdout.write(actionLines(actions));
  }
  const document = { ...form.echo, actions: actions.map(actionRow) };
  host.stdout.write(JSON.stringify(document, null, 2) + "\n");
}

// On stderr: stdout has one line a file, whoever reads it.
function showDiffs(plan: readonly PlannedAction[], { host }: CommandContext): void {
  const styles = stylesFor(host, "stderr");
  for (const { kind, path, before, after, status } of plan) {
    if (kind !== "mcp" || status === "skipped" || before === after) continue;
    host.stderr.write(styles.bold(`${before === undefined ? "new " : ""}${path}`) + "\n");
    writeDiff({ before, after }, host);
  }
}
