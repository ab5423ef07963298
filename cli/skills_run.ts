/** What the `gum skills` commands do (spec 08 §4.10). */

import { ensurePrivateDir, parentDir, pathExists, writeFileAtomic } from "../lib/files/mod.ts";
import { findSkill, installedSkillFiles, type SkillFile, skillList } from "../lib/skills/mod.ts";
import { choiceOf } from "./choices.ts";
import { invalidArg } from "./errors.ts";
import { placesOf } from "./places.ts";
import type { CommandContext } from "./types.ts";

/** Runs `gum skills list`. */
export async function runList(context: CommandContext): Promise<void> {
  const { host } = context;
  const skills = await skillList();
  if (formatOf(context) === "json") {
    return host.stdout.write(JSON.stringify({ skills }, null, 2) + "\n");
  }
  const width = Math.max(...skills.map(({ name }) => name.length));
  for (const { name, version, summary } of skills) {
    host.stdout.write(`${name.padEnd(width)}  ${version}  ${summary}\n`);
  }
}

/** Runs `gum skills show`. */
export async function runShow(context: CommandContext): Promise<void> {
  const { host, flags, words } = context;
  const format = formatOf(context);
  const name = words[0] ?? "";
  const version = flags.text("version") ?? "latest";
  if (!/^[a-z0-9-]{1,64}$/.test(name)) throw invalidArg(name, "not a skill name");
  if (version !== "latest" && (!/^\d+\.\d+\.\d+$/.test(version) || version.length > 32)) {
    throw invalidArg("--version", `${JSON.stringify(version)} is neither latest nor M.m.p`);
  }
  const found = await findSkill(name, version);
  if (found.kind !== "found") {
    const known = (await skillList()).map((skill) => `${skill.name} ${skill.version}`).join(", ");
    const what = found.kind === "unknown_name" ? `no skill ${name}` : `no ${name} ${version}`;
    throw invalidArg(undefined, `${what}; there are: ${known}`);
  }
  const { skill } = found;
  if (format === "json") return host.stdout.write(JSON.stringify(skill, null, 2) + "\n");
  const { body, ...facts } = skill;
  const headers = Object.entries(facts).map(([key, value]) => `${key}: ${value}\n`).join("");
  host.stdout.write(`${headers}\n${body}`);
}

/** Runs `gum skills export`. */
export async function runExport(context: CommandContext): Promise<void> {
  const { host, flags } = context;
  const dir = absolute(flags.text("out") ?? "", context);
  const written = await writeSkills(dir, { force: flags.on("force"), dryRun: false });
  host.stdout.write(JSON.stringify({ dir, written }, null, 2) + "\n");
}

/** Runs `gum skills install`. */
export async function runInstall(context: CommandContext): Promise<void> {
  const { host, flags } = context;
  const target = flags.text("target") ?? "";
  if (target !== "codex") {
    throw invalidArg("--target", `${JSON.stringify(target)} is not codex; see gum agents install`);
  }
  const codexHome = host.environment.text("CODEX_HOME");
  const named = flags.text("dir");
  const dir = named !== undefined
    ? absolute(named, context)
    : codexHome !== undefined
    ? `${codexHome.replace(/\/+$/, "")}/skills`
    : `${placesOf(context).home}/.codex/skills`;
  const dryRun = flags.on("dry-run");
  const written = await writeSkills(dir, { force: flags.on("force"), dryRun });
  host.stdout.write(JSON.stringify({ target, dir, dry_run: dryRun, written }, null, 2) + "\n");
}

async function writeSkills(
  dir: string,
  options: { force: boolean; dryRun: boolean },
): Promise<string[]> {
  const files: SkillFile[] = await installedSkillFiles();
  // Every file is looked at before the first is written: half an export helps nobody.
  for (const { path } of files) {
    if (!options.force && await pathExists(`${dir}/${path}`)) {
      throw new Error(`${dir}/${path} exists already; --force replaces it`);
    }
  }
  if (!options.dryRun) {
    for (const { path, text } of files) {
      await ensurePrivateDir(parentDir(`${dir}/${path}`));
      await writeFileAtomic(`${dir}/${path}`, new TextEncoder().encode(text));
    }
  }
  return files.map(({ path }) => path);
}

function absolute(path: string, context: CommandContext): string {
  const plain = path.replace(/\/+$/, "") || path;
  return /^(\/|[A-Za-z]:[\\/])/.test(plain)
    ? plain
    : `${placesOf(context).project}/${plain.replace(/^\.\//, "")}`;
}

function formatOf({ flags }: CommandContext): "text" | "json" {
  return choiceOf(flags, { flag: "format", choices: ["text", "json"] });
}
