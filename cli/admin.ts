/** `gum version`, with its update notice, and `gum mcp` (spec 08 §4.7, §4.12). */

import { VERSION } from "../lib/version/mod.ts";
import { invalidArg } from "./errors.ts";
import type { CommandContext, CommandSpec } from "./types.ts";

const version: CommandSpec = {
  name: "version",
  group: "admin",
  summary: "Print the version",
  args: [],
  flags: [],
  children: [],
  permissions: ["read", "run", "env"],
  async run(context) {
    const { host } = context;
    // The answer first: whatever comes after is a courtesy.
    host.stdout.write(((await host.factories.releases?.())?.version ?? VERSION) + "\n");
    await (await import("./notify.ts")).noticeOnVersion(context);
  },
};

const notifyRefresh: CommandSpec = {
  name: "__notify-refresh",
  hidden: true,
  summary: "Ask for the latest release",
  args: [],
  flags: [],
  children: [],
  permissions: ["read", "write", "net", "env"],
  run: async (context) => (await import("./notify.ts")).runRefresh(context),
};

const TOOL_NAME_FORMS = ["auto", "dotted", "underscore"] as const;

const mcp: CommandSpec = {
  name: "mcp",
  group: "admin",
  summary: "Serve the Model Context Protocol",
  description: "Speaks MCP on standard input and output; started by an MCP client.",
  examples: ["gum mcp --stdio", "gum mcp --stdio --read-only"],
  args: [],
  flags: [
    { name: "stdio", type: "bool", required: true, help: "speak over standard input and output" },
    {
      name: "tool-names",
      type: "string",
      default: "auto",
      help: "how tool names are shown: auto, dotted or underscore",
      complete: () => ({ candidates: TOOL_NAME_FORMS.map((value) => ({ value })) }),
    },
    {
      name: "read-only",
      type: "bool",
      help: "refuse everything but reads, and leave out tools that could never succeed",
    },
    {
      name: "mark-untrusted",
      type: "bool",
      help: "put text written by strangers between marks, so that it reads as content",
    },
  ],
  children: [],
  permissions: ["read", "write", "net", "run", "env", "sys"],
  run: serve,
};

async function serve(context: CommandContext): Promise<void> {
  const { flags, host } = context;
  if (!flags.on("stdio")) throw invalidArg("--stdio", "is the only transport and must be on");
  const names = flags.text("tool-names")?.toLowerCase();
  const asked = TOOL_NAME_FORMS.find((form) => form === names);
  if (asked === undefined) {
    const { accepted } = await import("./choices.ts");
    throw invalidArg("--tool-names", accepted(names ?? "", TOOL_NAME_FORMS));
  }
  const { serveMcp } = host.factories;
  if (serveMcp === undefined) throw new Error("this build has no MCP server");
  const { openCommandSession } = await import("./session.ts");
  const readOnly = flags.on("read-only");
  const session = await openCommandSession(context, {
    serving: true,
    ...(readOnly ? { policyMode: "read_only" } : {}),
  });
  try {
    const markUntrusted = flags.on("mark-untrusted");
    const { config } = session;
    const { setting } = await import("../lib/config/mod.ts");
    const configured = config === undefined ? asked : setting(config, "mcp.tool_names");
    const toolNames = flags.changed("tool-names") ? asked : configured;
    await serveMcp(session, { toolNames, readOnly, markUntrusted, signal: host.signal });
  } finally {
    await session.close();
  }
}

/** Commands of this group. */
export const commands: readonly CommandSpec[] = [mcp, version, notifyRefresh];
