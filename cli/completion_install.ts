/** `gum completion install <shell>`: the script in its place, and the line that loads it. */

import {
  BlockError,
  type BlockMarks,
  exactOriginal,
  type FileChange,
  forgetChange,
  patchFile,
  readTextIfPresent,
  recordedChanges,
  rememberChange,
  removeBlock,
  setBlock,
} from "../lib/agents/mod.ts";
import { baseDirectories, DEFAULT_PROFILE } from "../lib/config/directories.ts";
import { ensurePrivateDir, parentDir, writeFileAtomic } from "../lib/files/mod.ts";
import { completionScript, type Shell } from "./completion_scripts.ts";
import { invalidArg } from "./errors.ts";
import { placesOf } from "./places.ts";
import { say } from "./say.ts";
import { filesOf, type ShellFiles, shellPlaces } from "./shell_files.ts";
import { writeDiff } from "./terminal_diff.ts";
import type { CommandContext } from "./types.ts";

const MARKS: BlockMarks = {
  begin: "# BEGIN gum completion",
  end: "# END gum completion",
};

/** What a script of gum's own holds and one of the unrelated program of that name does not. */
const OWN_SCRIPT: Record<Shell, RegExp> = {
  bash: /^__gum_words\(\)/m,
  zsh: /^_gum\(\) \{\n {2}local line directive=0/m,
  fish: /^function __gum_complete$/m,
  powershell: /-CommandName gum -ScriptBlock/,
};

/** Runs `gum completion install` and `gum completion uninstall`. */
export async function runCompletionFiles(
  action: "install" | "uninstall",
  context: CommandContext,
): Promise<void> {
  const { host, flags, words } = context;
  const shell = shellOf(words[1], { action, context });
  const files = filesOf(shell, await shellPlaces(context));
  const dry = flags.on("dry-run");
  const present = await readTextIfPresent(files.script);
  const foreign = present !== undefined && !OWN_SCRIPT[shell].test(present);
  const said = (verb: string, path: string) => host.stdout.write(`${verb} ${path}\n`);
  if (action === "uninstall") {
    await changeStartup(action, { files, dry, context });
    if (present === undefined) return;
    if (foreign) return said("skipped", files.script);
    if (dry) return said("would_remove", files.script);
    await Deno.remove(files.script);
    return said("removed", files.script);
  }
  if (foreign) {
    throw new Error(
      `${files.script} completes another program named gum; move it away first, nothing was changed`,
    );
  }
  const script = completionScript(shell, !flags.on("no-descriptions"));
  if (present === script) said("unchanged", files.script);
  else if (dry) said("would_write", files.script);
  else {
    await ensurePrivateDir(parentDir(files.script));
    await writeFileAtomic(files.script, new TextEncoder().encode(script), { mode: 0o644 });
    said("wrote", files.script);
  }
  await changeStartup(action, { files, dry, context });
  if (!dry) said("Start a new", `${shell} to use it.`);
}

/** Puts the lines into the start-up file, or takes them out as if they had never been there. */
async function changeStartup(
  action: "install" | "uninstall",
  { files, dry, context }: { files: ShellFiles; dry: boolean; context: CommandContext },
): Promise<void> {
  const { host, signal } = context;
  const { startup } = files;
  if (startup === undefined) return;
  const { path, lines } = startup;
  // One record for all account profiles: a shell has only one start-up file.
  const data = `${baseDirectories(host.environment).data}/gum`;
  const record = `${data}/${DEFAULT_PROFILE}`;
  const change = (await recordedChanges(record)).get(path);
  const merge = async (text: string | undefined) => {
    if (action === "install") return setBlock(text ?? "", MARKS, lines);
    return text === undefined ? undefined : await withoutLines(text, change);
  };
  const said = (verb: string) => host.stdout.write(`${verb} ${path}\n`);
  try {
    const before = await readTextIfPresent(path);
    const after = await merge(before);
    if (dry) writeDiff({ before, after }, host);
    if (before === after) {
      if (before !== undefined) said("unchanged");
    } else if (dry) said(after === undefined ? "would_remove" : "would_write");
    else {
      await patchFile(path, async (text) => {
        const merged = await merge(text);
        if (action === "install" && merged !== undefined && merged !== text) {
          await rememberChange(record, { path, before: text, after: merged }, {
            undo: withoutLines,
          });
        }
        return merged;
      }, {
        signal,
        // Beside a start-up file a lock would be one more file in somebody's home.
        lock: `${data}/completion.lock`,
        ...(action === "uninstall" ? { finish: () => forgetChange(record, path) } : {}),
      });
      said(after === undefined ? "removed" : "wrote");
    }
  } catch (error) {
    if (error instanceof BlockError) throw new Error(`${path}: ${error.message}`, { cause: error });
    if (isDenied(error)) {
      const todo = action === "install"
        ? ["put these lines into it:", ...lines]
        : [`take the lines from "${MARKS.begin}" to "${MARKS.end}" out of it.`];
      host.stderr.write(`${path} cannot be changed here; ${todo.join("\n  ")}\n`);
    }
    throw error;
  }
}

// Read-only file systems have no error class of their own.
function isDenied(error: unknown): boolean {
  return error instanceof Deno.errors.PermissionDenied ||
    (error instanceof Error && (error as { code?: string }).code === "EROFS");
}

async function withoutLines(
  text: string,
  change: FileChange | undefined,
): Promise<string | undefined> {
  const exact = change === undefined ? undefined : await exactOriginal(text, change);
  if (exact === "removed") return undefined;
  if (exact !== undefined) return exact;
  const rest = removeBlock(text, MARKS);
  return change?.created === true && rest.trim() === "" ? undefined : rest;
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
