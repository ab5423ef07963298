/**
 * Entry point of `gum`. Answers `--version` and `--help` by itself; for everything else it gives up
 * what the command does not need and only then loads the command (spec 08 §3.2, 12 §7).
 *
 * @module
 */

import { VERSION } from "./lib/version/mod.ts";
import type { CommandSpec, Factories, PermissionNeeds } from "./cli/types.ts";

interface CommandGroupModule {
  commands: readonly CommandSpec[];
}

interface Route {
  load: () => Promise<CommandGroupModule>;
  /** Everything any command below this word may need. */
  keeps: PermissionNeeds;
  /** Modules the command will ask for one after the other, fetched while others still load. */
  ahead?: (argv: readonly string[]) => Promise<unknown>[];
}

const discover = () => import("./cli/discover.ts");
const invoke = () => import("./cli/invoke.ts");
const plugin = () => import("./cli/plugin.ts");
const profile = () => import("./cli/profile.ts");
const admin = () => import("./cli/admin.ts");
const meta = () => import("./cli/meta.ts");
const canary = () => import("./cli/canary.ts");
const code = () => import("./cli/code.ts");
const auth = () => import("./cli/auth.ts");
const signIn = () => import("./cli/sign_in.ts");
const config = () => import("./cli/config.ts");
const doctor = () => import("./cli/doctor.ts");
const status = () => import("./cli/status.ts");
const cache = () => import("./cli/cache.ts");
const gain = () => import("./cli/gain.ts");
const audit = () => import("./cli/audit.ts");

const agents = () => import("./cli/agents.ts");
const skills = () => import("./cli/skills.ts");
const init = () => import("./cli/init.ts");
const emulator = () => import("./cli/emulator.ts");

const LOOKS: PermissionNeeds = ["read", "env"];
const STORES: PermissionNeeds = ["read", "write", "run", "env", "sys"];
const CALLS: PermissionNeeds = ["read", "write", "net", "run", "env", "sys"];

/** First word to the module that declares it. */
export const ROUTES: Readonly<Record<string, Route>> = {
  search: {
    load: discover,
    keeps: LOOKS,
    ahead: () => [import("./cli/search_run.ts"), import("./lib/catalog/search/mod.ts")],
  },
  describe: {
    load: discover,
    keeps: LOOKS,
    ahead: () => [import("./cli/catalog_run.ts"), import("./lib/catalog/lookup/mod.ts")],
  },
  schema: { load: discover, keeps: LOOKS },
  catalog: { load: discover, keeps: ["read", "write", "net", "env"] },
  read: { load: invoke, keeps: CALLS },
  write: { load: invoke, keeps: CALLS },
  destructive: { load: invoke, keeps: CALLS },
  call: { load: invoke, keeps: CALLS },
  code: { load: code, keeps: CALLS },
  login: { load: signIn, keeps: CALLS },
  logout: { load: signIn, keeps: CALLS },
  auth: {
    load: auth,
    keeps: CALLS,
    ahead: (argv) => argv.includes("status") ? [import("./cli/auth_status_run.ts")] : [],
  },
  plugin: { load: plugin, keeps: CALLS },
  profile: { load: profile, keeps: LOOKS },
  config: { load: config, keeps: ["read", "write", "env"] },
  canary: { load: canary, keeps: CALLS },
  doctor: { load: doctor, keeps: STORES, ahead: () => [import("./cli/doctor_run.ts")] },
  status: { load: status, keeps: STORES },
  mcp: { load: admin, keeps: CALLS },
  cache: { load: cache, keeps: ["read", "write", "env"] },
  gain: { load: gain, keeps: ["read", "write", "env"] },
  audit: { load: audit, keeps: LOOKS },
  setup: { load: agents, keeps: ["read", "write", "env"] },
  agents: { load: agents, keeps: ["read", "write", "env"] },
  skills: { load: skills, keeps: ["read", "write", "env"] },
  init: { load: init, keeps: CALLS },
  emulator: { load: emulator, keeps: ["read", "net", "env"] },
  version: { load: admin, keeps: ["read", "run", "env"] },
  "__notify-refresh": { load: admin, keeps: ["read", "write", "net", "env"] },
  help: { load: meta, keeps: LOOKS },
  completion: { load: meta, keeps: ["read", "write", "env"] },
  __complete: { load: meta, keeps: LOOKS },
  __completeNoDesc: { load: meta, keeps: LOOKS },
};

const VALUE_FLAGS = new Set(["--profile", "--log-level", "--log-format"]);
const SWITCHES = new Set(["--emulator", "--version", "--help", "-h"]);

/** The first word that is neither a flag nor the value of a global one. */
export function commandWord(argv: readonly string[]): string | undefined {
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index];
    if (word === undefined || word === "--") return undefined;
    if (!word.startsWith("-") || word === "-") return word;
    const next = argv[index + 1] ?? "";
    // A flag that only the command knows: a word behind it that is no command is its value.
    const own = !SWITCHES.has(word) && !word.includes("=") && !Object.hasOwn(ROUTES, next);
    if (VALUE_FLAGS.has(word) || (own && !next.startsWith("-"))) index++;
  }
  return undefined;
}

async function main(argv: readonly string[]): Promise<number> {
  if (argv.length === 1 && argv[0] === "--version") {
    Deno.stdout.writeSync(new TextEncoder().encode(VERSION + "\n"));
    return 0;
  }
  if (argv.length === 0 || (argv.length === 1 && (argv[0] === "--help" || argv[0] === "-h"))) {
    const { ROOT_HELP } = await import("./cli/root_help.generated.ts");
    Deno.stdout.writeSync(new TextEncoder().encode(ROOT_HELP));
    return 0;
  }
  const word = commandWord(argv);
  const route = word !== undefined && Object.hasOwn(ROUTES, word) ? ROUTES[word] : undefined;
  const { processHost, promoteAtStart, revokePermissions, runCommandLine } = await import(
    "./cli/start.ts"
  );
  const host = processHost({ argv, serveMcp, commandGroup });
  // Activating what was installed since the last start writes, so it comes before the revoke.
  await promoteAtStart(host, word);
  revokePermissions(route?.keeps ?? LOOKS);
  for (const ahead of route?.ahead?.(argv) ?? []) {
    // Whoever needs the module says what is wrong with it.
    ahead.catch(() => undefined);
  }
  const { commands } = await (route?.load() ?? everyCommand());
  return await runCommandLine(commands, host);
}

/** The commands a word starts, with the others of its module. */
async function commandGroup(word: string): Promise<readonly CommandSpec[] | undefined> {
  const route = Object.hasOwn(ROUTES, word) ? ROUTES[word] : undefined;
  return (await route?.load())?.commands;
}

async function everyCommand(): Promise<CommandGroupModule> {
  return { commands: (await import("./cli/tree.ts")).COMMANDS };
}

// The command line and the MCP surface never import each other; they meet here.
const serveMcp: Factories["serveMcp"] = async (session, options) => {
  const { serveStdio } = await import("./mcp/mod.ts");
  await serveStdio(session, { version: VERSION, ...options });
};

if (import.meta.main) {
  let code = 1;
  try {
    code = await main(Deno.args);
  } catch (error) {
    // Only a broken installation gets here; a stack trace would help nobody.
    const text = error instanceof Error ? error.message : String(error);
    Deno.stderr.writeSync(new TextEncoder().encode(`Error: ${text.split("\n")[0]}\n`));
  }
  Deno.exit(code);
}
