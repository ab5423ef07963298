/**
 * Writes `embedded.generated.ts` from the TOML files of `embedded/`, so that a compiled GUM holds
 * them without reading files, and parsed, so that no call waits for a TOML parser.
 * Run: `deno run -P=gen lib/profile/embed.ts`.
 *
 * @module
 */

import { parseProfileText } from "./parse_file.ts";

const FOLDER = new URL("./embedded/", import.meta.url);
const MODULE = new URL("./embedded.generated.ts", import.meta.url);

/** TOML text of every profile that ships, by name. */
export function embeddedSources(): Map<string, string> {
  const files = [...Deno.readDirSync(FOLDER)]
    .map((entry) => entry.name)
    .filter((name) => name.endsWith(".toml"))
    .sort();
  return new Map(files.map((file) => [
    file.slice(0, -".toml".length),
    Deno.readTextFileSync(new URL(file, FOLDER)),
  ]));
}

/** The module's text for the files that are there now. @throws GumError for one that is invalid */
export function embeddedModuleText(): string {
  const lines = [...embeddedSources()].map(([name, text]) => {
    const profile = parseProfileText(text, { path: `${name}.toml` }).profiles.get(name);
    if (profile === undefined) throw new TypeError(`${name}.toml defines no ${name}`);
    return `  ${JSON.stringify(name)}:\n    ${JSON.stringify(JSON.stringify(profile))},\n`;
  });
  return "// Written by embed.ts from embedded/*.toml. Do not edit.\n\n" +
    "/** Every embedded profile as JSON, by name. */\n" +
    `export const EMBEDDED_PROFILES: Readonly<Record<string, string>> = {\n${lines.join("")}};\n`;
}

if (import.meta.main) Deno.writeTextFileSync(MODULE, embeddedModuleText());
