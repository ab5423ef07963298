/**
 * Writes `embedded.generated.ts` from the TOML files of `embedded/`, so that a compiled GUM holds
 * them without reading files. Run: `deno run -P=gen lib/profile/embed.ts`.
 *
 * @module
 */

const FOLDER = new URL("./embedded/", import.meta.url);
const MODULE = new URL("./embedded.generated.ts", import.meta.url);

/** The module's text for the files that are there now. */
export function embeddedModuleText(): string {
  const names = [...Deno.readDirSync(FOLDER)]
    .map((entry) => entry.name)
    .filter((name) => name.endsWith(".toml"))
    .sort();
  const lines = names.map((name) => {
    const text = Deno.readTextFileSync(new URL(name, FOLDER));
    return `  ${JSON.stringify(name.slice(0, -".toml".length))}:\n    ${JSON.stringify(text)},\n`;
  });
  return "// Written by embed.ts from embedded/*.toml. Do not edit.\n\n" +
    "/** TOML text of every embedded profile, by name. */\n" +
    `export const EMBEDDED_PROFILES: Readonly<Record<string, string>> = {\n${lines.join("")}};\n`;
}

if (import.meta.main) Deno.writeTextFileSync(MODULE, embeddedModuleText());
