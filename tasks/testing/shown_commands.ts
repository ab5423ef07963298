/** The command lines that pages and skills show. */

/**
 * What a command needs besides its own emulator: an account, the reader's files, a served world,
 * a plugin's folder.
 */
export type Needs = "nothing" | "account" | "files" | "emulator" | "plugin";

/** A command line in a page. */
export interface Shown {
  page: string;
  line: string;
  words: string[];
  needs: Needs;
  /** It is fed from a pipe. */
  piped: boolean;
  /** Serves until it is ended, or is quoted in prose: its grammar is checked, it is not run. */
  checkedOnly: boolean;
}

const NEEDS: Readonly<Record<string, Needs | undefined>> = {
  "": "nothing",
  sh: "nothing",
  "sh needs-account": "account",
  "sh needs-files": "files",
  "sh needs-emulator": "emulator",
  "sh needs-plugin": "plugin",
};

/** Lines of blocks that start gum; what comes after a pipe or a redirection is the shell's. */
export function shownCommands(page: string, markdown: string): Shown[] {
  const shown: Shown[] = [];
  for (const [, tag = "", block = ""] of markdown.matchAll(/^ *```([^\n]*)\n([\s\S]*?)^ *```/gm)) {
    const needs = NEEDS[tag.trim()];
    if (needs === undefined) continue;
    for (const raw of block.replaceAll(/\\\n\s*/g, " ").split("\n")) {
      const line = raw.trim().replace(/^deno task gum /, "gum ");
      const start = /(?:^|\| )gum /.exec(line);
      if (start === null) continue;
      const words = shellWords(line.slice(start.index).replace(/^\| /, "")).slice(1);
      const serves = words[0] === "mcp" || (words[0] === "emulator" && words[1] === "serve");
      // A block without a language is prose that quotes a command.
      const checkedOnly = tag.trim() === "" || serves;
      shown.push({ page, line, words, needs, piped: start.index > 0, checkedOnly });
    }
  }
  return shown;
}

/** Words of a line as a POSIX shell reads them, up to a pipe, a redirection or a remark. */
export function shellWords(line: string): string[] {
  const words: string[] = [];
  for (const match of line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)) {
    const [word] = match;
    if (/^[|<>#]/.test(word)) break;
    words.push(word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_all, one, two) => one ?? two));
  }
  return words;
}
