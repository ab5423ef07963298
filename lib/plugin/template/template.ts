/** The files of a new plugin, in either shape (spec 06 §8.3). */

import { GumError } from "../../errors/mod.ts";
import { requirePluginId } from "../paths.ts";
import type { PluginShape } from "../types.ts";
import { pythonFiles } from "./python_files.ts";
import { manifest, schemas } from "./shared_files.ts";
import serverText from "./stdio_server.txt" with { type: "text" };

/** One file of a new plugin. */
export interface TemplateFile {
  text: string;
  /** It is a program that can be started by hand too. */
  isProgram?: true;
}

/** The files by path, for a plugin of this name. */
function templateFiles(
  name: string,
  shape: PluginShape = "deno-script",
): Record<string, TemplateFile> {
  const id = requirePluginId(name);
  return shape === "deno-script" ? scriptFiles(id) : pythonFiles(id);
}

function scriptFiles(id: string): Record<string, TemplateFile> {
  return {
    "plugin.toml": { text: manifest(id, { shape: "deno-script", executable: "main.ts" }) },
    "main.ts": { text: entry(id) },
    "stdio_server.ts": { text: serverText },
    [`schemas/${id}.greet.json`]: { text: schemas() },
    "greeting.ts": { text: GREETING },
    "greeting_test.ts": { text: GREETING_TEST },
  };
}

/**
 * Writes the files of a new plugin and gives their paths.
 *
 * @throws GumError `CLI_ARG_INVALID` when the directory exists and is not empty.
 */
export async function writeTemplate(
  directory: string,
  plugin: { name: string; shape?: PluginShape },
): Promise<string[]> {
  const files = templateFiles(plugin.name, plugin.shape);
  if (await isOccupied(directory)) {
    throw new GumError("CLI_ARG_INVALID", {
      message: `${directory} is not empty`,
      details: { arg: "dir", reason: `${directory} is not empty; name another directory` },
      userMessage: `${directory} is not empty, and nothing in it is overwritten.`,
    });
  }
  for (const [path, { text, isProgram }] of Object.entries(files)) {
    const target = `${directory}/${path}`;
    await Deno.mkdir(target.slice(0, target.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(target, text, {
      createNew: true,
      ...(isProgram === true ? { mode: 0o755 } : {}),
    });
  }
  return Object.keys(files);
}

async function isOccupied(directory: string): Promise<boolean> {
  try {
    for await (const _ of Deno.readDir(directory)) return true;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return false;
}

function entry(id: string): string {
  return `import { greeting } from "./greeting.ts";
import { serve } from "./stdio_server.ts";

await serve({ name: "${id}", version: "0.1.0" }, [{
  name: "greet",
  description: "Say hello",
  inputSchema: {
    type: "object",
    required: ["name"],
    properties: { name: { type: "string" } },
  },
  run: ({ name }) => ({ greeting: greeting(String(name)) }),
}]);
`;
}

const GREETING = `/** What the plugin does, without the protocol around it. */
export function greeting(name: string): string {
  return \`Hello, \${name}!\`;
}
`;

const GREETING_TEST = `import assert from "node:assert/strict";
import { greeting } from "./greeting.ts";

Deno.test("greeting: names whom it greets", () => {
  assert.equal(greeting("Ada"), "Hello, Ada!");
});
`;
