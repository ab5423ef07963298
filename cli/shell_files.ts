/** Where each shell keeps completion scripts, and which start-up file loads them. */

import { baseDirectories } from "../lib/config/directories.ts";
import { pathExists } from "../lib/files/mod.ts";
import type { Shell } from "./completion_scripts.ts";
import { placesOf } from "./places.ts";
import type { CommandContext } from "./types.ts";

/** Where a shell's script goes, and what loads it. */
export interface ShellFiles {
  script: string;
  /** The start-up file and the lines in it; absent where the shell finds the script by itself. */
  startup?: { path: string; lines: string[] };
}

/** What decides where a shell looks. */
export interface ShellPlaces {
  home: string;
  os: typeof Deno.build.os;
  data: string;
  config: string;
  /** Where zsh has its start-up files, when not at home. */
  zdotdir?: string;
  /** Start-up files that a login bash would read, of those that are there. */
  bashLogin: readonly string[];
}

const BASH_LOGIN = [".bash_profile", ".bash_login", ".profile"];

/** Looks up what decides it, for the person at this command. */
export async function shellPlaces(context: CommandContext): Promise<ShellPlaces> {
  const { home, os } = placesOf(context);
  const { environment } = context.host;
  const { data, config } = baseDirectories(environment);
  const zdotdir = environment.text("ZDOTDIR");
  const bashLogin: string[] = [];
  for (const name of BASH_LOGIN) if (await pathExists(`${home}/${name}`)) bashLogin.push(name);
  return { home, os, data, config, bashLogin, ...(zdotdir === undefined ? {} : { zdotdir }) };
}

/** The files of a shell. */
export function filesOf(shell: Shell, places: ShellPlaces): ShellFiles {
  const { home, os, data, config } = places;
  switch (shell) {
    case "bash": {
      // The place bash-completion looks at; the line below works without that package too.
      const script = `${data}/bash-completion/completions/gum`;
      const line = `[ -r ${posixWord(script)} ] && . ${posixWord(script)}`;
      if (os !== "darwin") {
        return { script, startup: { path: `${home}/.bashrc`, lines: [line] } };
      }
      // Terminals of macOS start login shells, which read the first of these and no .bashrc; the
      // last one is read by other shells, too.
      const path = `${home}/${places.bashLogin[0] ?? ".bash_profile"}`;
      return { script, startup: { path, lines: [`[ -n "$BASH_VERSION" ] && ${line}`] } };
    }
    case "zsh": {
      const script = `${data}/zsh/site-functions/_gum`;
      const lines = [
        "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }",
        `[ -r ${posixWord(script)} ] && . ${posixWord(script)}`,
      ];
      return { script, startup: { path: `${places.zdotdir ?? home}/.zshrc`, lines } };
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
