/**
 * The languages that scripts may be written in.
 *
 * Opening another one is one change with these parts: an entry here, the word in the `language`
 * field of `gum.code` in `catalog/overrides.toml` and in the tool's input schema, the completion of
 * both surfaces, the help topic, and the rows of the test matrix that list the accepted words. A
 * word that has not gone through all of them is refused like any unknown one.
 */

import { compileRisor } from "./risor/mod.ts";
import type { ScriptLanguage } from "./types.ts";

/** A language: how its source becomes a program of the sandbox. */
export interface Language {
  name: ScriptLanguage;
  /** @throws ScriptSyntaxError */
  compile(source: string): string;
}

const LANGUAGES: readonly Language[] = [
  { name: "risor", compile: compileRisor },
  // The engine reads it itself and reports its syntax errors the same way.
  { name: "javascript", compile: (source) => source },
];

/** Their names, in the order they are listed. */
export const LANGUAGE_NAMES: readonly ScriptLanguage[] = LANGUAGES.map(({ name }) => name);

/** The language of a name; undefined for every other word. */
export function findLanguage(name: string): Language | undefined {
  return LANGUAGES.find((language) => language.name === name);
}
