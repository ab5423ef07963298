/** `gum completion install <shell>`: the script in its place, and the line that loads it. */

import {
  type BlockMarks,
  patchFile,
  readTextIfPresent,
  removeBlock,
  setBlock,
} from "../lib/agents/mod.ts";
import { baseDirectories } from "../lib/config/directories.ts";
import { ensurePrivateDir, parentDir, writeFileAtomic } from "../lib/files/mod.ts";
import { completionScript, type Shell } from "./completion_scripts.ts";
import { invalidArg } from "./errors.ts";
import { placesOf } from "./places.ts";
import { say } from "./say.ts";
import { writeDiff } from "./terminal_diff.ts";
import type { CommandContext } from "./types.ts";

const MARKS: BlockMarks = {
  begin: "# BEGIN gum completion",
  end: "# END gum completion",
};

interface ShellFiles {
  script: string;
  /** The start-up file and the lines in it; absent where the shell finds the script by itself. */
  startup?: { path: string; lines: string[] };
}

/** Runs `gum completion install` and `gum completion uninstall`. */
export async function runCompletionFiles(
  action: "install" | "uninstall",
  context: CommandContext,
): Promise<void> {
  const { host, flags, words, signal } = context;
  const shell = shellOf(words[1], { action, context });
  const files = filesOf(shell, context);
  const dry = flags.on("dry-run");
  const said = (verb: string, path: string) => host.stdout.write(`${verb} ${path}\n`);
  const { startup } = files;
  if (startup !== undefined) {
    const merge = (text: string | undefined) =>
      action === "install"
        ? setBlock(text ?? "", MARKS, startup.lines)
        : text === undefined
        ? undefined
        : withoutLines(text);
    const before = await readTextIfPresent(startup.path);
    const after = merge(before);
    if (dry) writeDiff({ before, after }, host);
    if (before === after) said("unchanged", startup.path);
    else if (dry) said("would_write", startup.path);
    else {
      await patchFile(startup.path, merge, { signal });
      said("wrote", startup.path);
    }
  }
  if (action === "uninstall") return await removeScript(files.script, { dry, said });
  if (dry) return said("would_write", files.script);
  await ensurePrivateDir(parentDir(files.script));
  const script = completionScript(shell, !flags.on("no-descriptions"));
  await writeFileAtomic(files.script, new TextEncoder().encode(script), { mode: 0o644 });
  said("wrote", files.script);
  said("Start a new", `${shell} to use it.`);
}

// A start-up file that held nothing else was made here.
function withoutLines(text: string): string | undefined {
  const rest = removeBlock(text, MARKS);
  return rest.trim() === "" ? undefined : rest;
}

async function removeScript(
  path: string,
  { dry, said }: { dry: boolean; said: (verb: string, path: string) => void },
): Promise<void> {
  if (await readTextIfPresent(path) === undefined) return;
  if (dry) return said("would_remove", path);
  await Deno.remove(path);
  said("removed", path);
}

/** The shell that was named, else the one the person logged in with. */
function shellOf(
  word: string | undefined,
  { action, context }: { action: string; context: CommandContext },
): Shell {
  const login = context.host.environment.text("SHELL")?.replace(/^.*[/\\]/, "")
    .replace(/\.exe$/i, "").toLowerCase();
  const name = word ?? (login === "pwsh" ? "powershell" : login) ??
    (placesOf(context).os === "windows" ? "powershell" : undefined);
  if (name !== undefined && isShell(name)) {
    if (word === undefined) say(context, `for ${name}, your login shell`);
    return name;
  }
  const why = word === undefined && name !== undefined ? `your shell ${name} has no script; ` : "";
  throw invalidArg(word ?? `completion ${action}`, `${why}name a shell: ${SHELLS.join(", ")}`);
}

const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

function isShell(word: string): word is Shell {
  return SHELLS.some((shell) => shell === word);
}

function filesOf(shell: Shell, context: CommandContext): ShellFiles {
  const { home, os } = placesOf(context);
  const { data, config } = baseDirectories(context.host.environment);
  switch (shell) {
    case "bash": {
      // The place bash-completion looks at; the line below works without that package too.
      const script = `${data}/bash-completion/completions/gum`;
      const lines = [`[ -r ${posixWord(script)} ] && . ${posixWord(script)}`];
      return { script, startup: { path: `${home}/.bashrc`, lines } };
    }
    case "zsh": {
      const script = `${data}/zsh/site-functions/_gum`;
      const lines = [
        "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }",
        `[ -r ${posixWord(script)} ] && . ${posixWord(script)}`,
      ];
      return { script, startup: { path: `${home}/.zshrc`, lines } };
    }
    case "fish":
      return { script: `${config}/fish/completions/gum.fish` };
    case "powershell": {
      const folder = os === "windows" ? `${home}/Documents/PowerShell` : `${config}/powershell`;
      const script = `${folder}/gum_completion.ps1`;
      const quoted = `'${script.replaceAll("'", "''")}'`;
      const lines = [`if (Test-Path ${quoted}) { . ${quoted} }`];
      const path = `${folder}/Microsoft.PowerShell_profile.ps1`;
      return { script, startup: { path, lines } };
    }
  }
}

function posixWord(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}
