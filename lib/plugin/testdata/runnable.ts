/** Plugins that really run: scripts with every bad habit, installed into a profile of their own. */

import { type AmbientVariables, environmentOf, variablesOf } from "../../config/environment.ts";
import { type Clock, systemClock } from "../../clock/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { createPluginRuntime, type PluginRuntime } from "../runtime/mod.ts";
import type { EnvironmentSources } from "../environment/mod.ts";
import type { SandboxSettings } from "../sandbox/mod.ts";
import {
  inTemporary,
  manifestTree,
  type recordingAudit,
  testProfile,
  writePlugin,
} from "./fixture.ts";
import type { TestProfile } from "./fixture.ts";

/** A server of one file without imports; `behaviour` is code that may replace any of its parts. */
export function serverScript(behaviour = ""): string {
  return `
const encoder = new TextEncoder();
let write = (message) => {
  const bytes = encoder.encode(JSON.stringify(message) + "\\n");
  for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
};
const raw = (text) => { Deno.stdout.writeSync(encoder.encode(text)); };
const text = (value) => ({ content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }] });
let tools = [{ name: "echo", inputSchema: { type: "object" } }];
let call = async (name, args) => text(args);
let onStart = () => {};
let onEnd = () => {};
let onNotification = () => {};
${behaviour}
await onStart();
const answer = async ({ id, method, params }) => {
  if (id === undefined) return onNotification(method, params);
  if (method === "initialize") {
    return write({ jsonrpc: "2.0", id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "test", version: "1" } } });
  }
  if (method === "tools/list") return write({ jsonrpc: "2.0", id, result: { tools } });
  if (method === "tools/call") {
    try {
      return write({ jsonrpc: "2.0", id, result: await call(params.name, params.arguments ?? {}, params) });
    } catch (error) {
      return write({ jsonrpc: "2.0", id, error: { code: -32000, message: String(error && error.message) } });
    }
  }
  write({ jsonrpc: "2.0", id, error: { code: -32601, message: "no " + method } });
};
let rest = "";
for await (const piece of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + piece).split("\\n");
  rest = lines.pop() ?? "";
  for (const line of lines) if (line.trim() !== "") answer(JSON.parse(line));
}
await onEnd();
`;
}

/** What a script plugin is made of. */
export interface ScriptPlugin {
  name?: string;
  behaviour?: string;
  tree?: Parameters<typeof manifestTree>[0];
  /** Start it through the sandbox of the host too; default: Deno's permissions alone. */
  sandbox?: Partial<SandboxSettings>;
  sources?: Partial<EnvironmentSources>;
  ambient?: AmbientVariables;
  clock?: Clock;
  timing?: { handshakeMs?: number; graceMs?: number };
  hidden?: readonly string[];
  idleMs?: number;
}

/** A profile with one installed plugin and what runs it. */
export interface RunnableWorld {
  directory: string;
  pluginId: string;
  profile: TestProfile;
  runtime: PluginRuntime;
  audit: ReturnType<typeof recordingAudit>;
}

/** Installs a script plugin, runs `work`, stops everything. */
export async function withScriptPlugin<T>(
  given: ScriptPlugin,
  work: (world: RunnableWorld) => Promise<T>,
): Promise<T> {
  const name = given.name ?? "echo-box";
  const tree = manifestTree({
    ...given.tree,
    plugin: {
      name,
      shape: "deno-script",
      executable: "main.ts",
      ...given.tree?.plugin,
    },
  });
  return await withPlugin(
    given,
    { tree, files: { "main.ts": serverScript(given.behaviour) } },
    work,
  );
}

/** Installs a native plugin: an executable script of the shell or Python. */
export async function withNativePlugin<T>(
  given: ScriptPlugin & { executable: string },
  work: (world: RunnableWorld) => Promise<T>,
): Promise<T> {
  const tree = manifestTree({
    ...given.tree,
    plugin: { name: given.name ?? "echo-box", ...given.tree?.plugin },
  });
  return await withPlugin(given, { tree, files: { "bin/echo-mcp": given.executable } }, work);
}

async function withPlugin<T>(
  given: ScriptPlugin,
  content: { tree: JsonObject; files: Record<string, string> },
  work: (world: RunnableWorld) => Promise<T>,
): Promise<T> {
  return await inTemporary(async (directory) => {
    const clock = given.clock ?? systemClock;
    const profile = testProfile(directory, { clock });
    await profile.install(await writePlugin(`${directory}/source`, content), { runCanary: false });
    const pluginId = (content.tree.plugin as JsonObject).name as string;
    const runtime = runtimeOf(profile, given);
    try {
      return await work({ directory, pluginId, profile, runtime, audit: profile.audit });
    } finally {
      await runtime.close();
    }
  });
}

/** A runtime over a test profile. */
export function runtimeOf(profile: TestProfile, given: ScriptPlugin = {}): PluginRuntime {
  return createPluginRuntime({
    registry: profile.registry,
    environment: environmentOf({ PATH: Deno.env.get("PATH") ?? "" }),
    sources: {
      profileName: "default",
      ambient: given.ambient ?? variablesOf({ PATH: Deno.env.get("PATH") ?? "" }),
      ...given.sources,
    },
    sandbox: {
      isDev: false,
      backend: "deno-permissions",
      network: "strict",
      read: "open",
      ...given.sandbox,
    },
    hidden: given.hidden ?? [],
    audit: profile.audit,
    clock: given.clock ?? systemClock,
    log: profile.logger,
    version: "9.9.9",
    ...(given.idleMs === undefined ? {} : { idleMs: given.idleMs }),
    timing: { handshakeMs: 5_000, graceMs: 300, ...given.timing },
  });
}

/** Polls until a condition holds. */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  what: string,
): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!await condition()) {
    if (performance.now() > deadline) throw new Error(`never happened: ${what}`);
    await systemClock.sleep(10);
  }
}

/** Whether a process exists. */
export async function isRunning(pid: number): Promise<boolean> {
  const { success, stdout } = await new Deno.Command("cat", {
    args: [`/proc/${pid}/stat`],
    stderr: "null",
  }).output();
  // A zombie has ended; only its parent has not asked yet.
  return success && !/\) Z /.test(new TextDecoder().decode(stdout));
}

/** A native plugin in Python whose call evaluates one expression to a text. */
export function pythonServer(expression: string): string {
  return `#!/usr/bin/env python3
import json, os, subprocess, sys
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    method = m["method"]
    if method == "initialize":
        r = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "t", "version": "1"}}
    elif method == "tools/list":
        r = {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}
    else:
        a = m["params"].get("arguments", {})
        r = {"content": [{"type": "text", "text": ${expression}}]}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}), flush=True)
`;
}
