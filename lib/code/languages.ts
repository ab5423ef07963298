/**
 * The languages that scripts may be written in.
 *
 * Opening another one is one change with these parts: an entry here and in
 * `LANGUAGE_NAMES` (`request/arguments.ts`), the word in the `language`
 * field of `gum.code` in `catalog/overrides.toml` and in the tool's input schema, the completion of
 * both surfaces, the help topic, and the rows of the test matrix that list the accepted words. A
 * word that has not gone through all of them is refused like any unknown one.
 */

import { compileRisor } from "./risor/mod.ts";
import type { ScriptLanguage } from "./types.ts";

/** A language: how its source becomes a program of the sandbox. */
export interface Language {
  /** @throws ScriptSyntaxError */
  compile(source: string): string;
}

const LANGUAGES: Readonly<Record<ScriptLanguage, Language>> = {
  risor: { compile: compileRisor },
  // The engine reads it itself and reports its syntax errors the same way.
  javascript: { compile: (source) => source },
};

/** The language of a name. */
export function languageNamed(name: ScriptLanguage): Language {
  return LANGUAGES[name];
}
