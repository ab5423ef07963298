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
  /** Variables set in front of it. */
  environment: Readonly<Record<string, string>>;
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

/** What a line may have before `gum`: a pipe, variables, or nothing. */
const START = /(?:^|\| )((?:[A-Z_]+=\S+ +)*)gum /;

/** Languages of blocks that show no command line of gum's. */
const OTHER_LANGUAGES = new Set(["json", "toml", "ts", "js", "text", "powershell"]);

/**
 * Lines of blocks that start gum; what comes after a pipe or a redirection is the shell's.
 *
 * @throws Error at a line, or a language, that would be passed over in silence.
 */
export function shownCommands(page: string, markdown: string): Shown[] {
  const shown: Shown[] = [];
  for (const [, tag = "", block = ""] of markdown.matchAll(/^ *```([^\n]*)\n([\s\S]*?)^ *```/gm)) {
    const needs = NEEDS[tag.trim()];
    if (needs === undefined) {
      // The generated reference shows usage lines, which are made from the tree itself.
      const usage = page === "commands.md" && tag.trim() === "text";
      const startsGum = !usage && /^\s*(?:\$ )?gum /m.test(block);
      if (OTHER_LANGUAGES.has(tag.trim()) && !startsGum) continue;
      throw new Error(`${page}: a block of ${JSON.stringify(tag)} is run by no test`);
    }
    for (const raw of block.replaceAll(/\\\n\s*/g, " ").split("\n")) {
      const line = raw.trim().replace(/^deno task gum /, "gum ");
      const start = START.exec(line);
      if (start === null) {
        if (/(?:^|\s)gum\s/.test(line.replace(/#.*/, ""))) {
          throw new Error(`${page}: ${line} starts gum in a way that no test runs`);
        }
        continue;
      }
      const words = shellWords(line.slice(start.index + start[0].length));
      const environment = Object.fromEntries(
        (start[1] ?? "").trim().split(/ +/).filter((word) => word !== "").map((word) => {
          const equals = word.indexOf("=");
          return [word.slice(0, equals), word.slice(equals + 1)];
        }),
      );
      const serves = words[0] === "mcp" || (words[0] === "emulator" && words[1] === "serve");
      // A block without a language is prose that quotes a command.
      const checkedOnly = tag.trim() === "" || serves;
      shown.push({ page, line, words, needs, environment, piped: start.index > 0, checkedOnly });
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
