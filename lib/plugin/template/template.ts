/** The files of a new `deno-script` plugin (spec 06 §8.3). */

import { GumError } from "../../errors/mod.ts";
import { requirePluginId } from "../paths.ts";
import serverText from "./stdio_server.txt" with { type: "text" };

/** The files by path, for a plugin of this name. */
export function templateFiles(name: string): Record<string, string> {
  const id = requirePluginId(name);
  return {
    "plugin.toml": manifest(id),
    "main.ts": entry(id),
    "stdio_server.ts": serverText,
    [`schemas/${id}.greet.json`]: schemas(),
    "greeting.ts": GREETING,
    "greeting_test.ts": GREETING_TEST,
  };
}

/**
 * Writes the files of a new plugin and gives their paths.
 *
 * @throws GumError `CLI_ARG_INVALID` when the directory exists and is not empty.
 */
export async function writeTemplate(directory: string, name: string): Promise<string[]> {
  const files = templateFiles(name);
  if (await isOccupied(directory)) {
    throw new GumError("CLI_ARG_INVALID", {
      message: `${directory} is not empty`,
      details: { arg: "dir", reason: "not empty" },
      userMessage: `${directory} is not empty, and nothing in it is overwritten.`,
    });
  }
  for (const [path, text] of Object.entries(files)) {
    const target = `${directory}/${path}`;
    await Deno.mkdir(target.slice(0, target.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(target, text, { createNew: true });
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

function manifest(id: string): string {
  return `manifest_schema_version = 1

[plugin]
name = "${id}"
display_name = "${id}"
version = "0.1.0"
description = "Say in one sentence what it does"
namespace_owner = "example.${id}"   # a name that stays yours, such as a reversed domain
shape = "deno-script"
executable = "main.ts"
license = "MIT"
tos = "own"
risk = "low"

[requirements.canary]
tool = "greet"
args = { name = "canary" }
timeout_ms = 5000

[declared_capabilities]
network = false                     # true with net_hosts = ["api.example.com:443"]

[[tools]]
name = "greet"
tool_name = "greet"
description = "Say hello"
risk_class = "read"                 # read, write or destructive
auth_strategy = "none"
schema_ref = "${id}.greet"
raw_result_allowed = true
`;
}

function schemas(): string {
  const bundle = {
    $defs: {
      request: {
        type: "object",
        required: ["name"],
        additionalProperties: false,
        properties: { name: { type: "string", minLength: 1, description: "Whom to greet" } },
      },
      response: {
        type: "object",
        required: ["greeting"],
        properties: { greeting: { type: "string" } },
      },
    },
  };
  return JSON.stringify(bundle, null, 2) + "\n";
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
