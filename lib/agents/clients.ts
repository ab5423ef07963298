/** The clients GUM installs itself into, and where each keeps its files (spec 08 §4.8, §4.9). */

import type { JsonObject } from "../json/mod.ts";

/** A client. The first four are what `all` means. */
export type AgentTarget =
  | "claude"
  | "codex"
  | "cursor"
  | "gemini"
  | "claude-desktop"
  | "vscode"
  | "windsurf";

/** Whose files are changed. */
export type InstallScope = "user" | "project";

/** How GUM's server is written into a client's file. */
export type ServerForm =
  | { kind: "json"; path: readonly string[]; typed: boolean }
  | { kind: "toml" };

/** Where things are; all absolute. */
export interface Places {
  home: string;
  /** The project, for scope `project`. */
  project: string;
  os: typeof Deno.build.os;
  /** Roaming application data on Windows. */
  appData?: string;
  /** `XDG_CONFIG_HOME`, which VS Code follows on Linux. */
  configHome?: string;
}

interface ClientFacts {
  /** Folder of skills below the scope's root; absent where the client reads none. */
  skills?: string;
  form: ServerForm;
  /** Refuses a dot in a tool name, so it is told to be shown underscores (spec 11 §1). */
  refusesDots: boolean;
  file(places: Places): { user: string; project?: string };
}

const MCP_SERVERS: ServerForm = { kind: "json", path: ["mcpServers", "gum"], typed: false };
const SHARED_SKILLS = ".agents/skills";

const CLIENTS: Readonly<Record<AgentTarget, ClientFacts>> = {
  claude: {
    skills: ".claude/skills",
    form: MCP_SERVERS,
    refusesDots: false,
    file: ({ home, project }) => ({
      user: `${home}/.claude/mcp.json`,
      project: `${project}/.mcp.json`,
    }),
  },
  codex: {
    skills: SHARED_SKILLS,
    form: { kind: "toml" },
    refusesDots: true,
    file: ({ home, project }) => ({
      user: `${home}/.codex/config.toml`,
      project: `${project}/.codex/config.toml`,
    }),
  },
  cursor: {
    skills: SHARED_SKILLS,
    form: MCP_SERVERS,
    refusesDots: false,
    file: ({ home, project }) => ({
      user: `${home}/.cursor/mcp.json`,
      project: `${project}/.cursor/mcp.json`,
    }),
  },
  gemini: {
    skills: SHARED_SKILLS,
    form: MCP_SERVERS,
    refusesDots: false,
    file: ({ home, project }) => ({
      user: `${home}/.gemini/settings.json`,
      project: `${project}/.gemini/settings.json`,
    }),
  },
  "claude-desktop": {
    form: MCP_SERVERS,
    refusesDots: true,
    file: (places) => ({
      user: `${applicationSupport(places)}/Claude/claude_desktop_config.json`,
    }),
  },
  vscode: {
    skills: SHARED_SKILLS,
    form: { kind: "json", path: ["servers", "gum"], typed: true },
    refusesDots: false,
    file: (places) => ({
      user: `${
        places.os === "linux" && places.configHome !== undefined
          ? places.configHome
          : applicationSupport(places)
      }/Code/User/mcp.json`,
      project: `${places.project}/.vscode/mcp.json`,
    }),
  },
  windsurf: {
    form: MCP_SERVERS,
    refusesDots: false,
    file: ({ home }) => ({ user: `${home}/.codeium/windsurf/mcp_config.json` }),
  },
};

function applicationSupport({ home, os, appData }: Places): string {
  if (os === "darwin") return `${home}/Library/Application Support`;
  if (os === "windows") return appData ?? `${home}/AppData/Roaming`;
  return `${home}/.config`;
}

/** Every target by its word. */
export const AGENT_TARGETS = Object.keys(CLIENTS) as readonly AgentTarget[];

/** What the word `all` stands for. */
export const ALL_TARGETS: readonly AgentTarget[] = ["claude", "codex", "cursor", "gemini"];

/** The file that names a client's MCP servers; undefined where the scope has none. */
export function clientFile(
  target: AgentTarget,
  options: { scope: InstallScope; places: Places },
): string | undefined {
  return CLIENTS[target].file(options.places)[options.scope];
}

/** The files a client's server may stand in: its own, and the settings that `gum init` writes. */
export function serverFiles(
  target: AgentTarget,
  options: { scope: InstallScope; places: Places },
): string[] {
  const { scope, places } = options;
  const base = scope === "user" ? places.home : places.project;
  const own = clientFile(target, options);
  return [
    ...(own === undefined ? [] : [own]),
    ...(target === "claude" ? [`${base}/.claude/settings.json`] : []),
  ];
}

/** The folder of a client's skills; undefined where it reads none. */
export function skillsRoot(
  target: AgentTarget,
  options: { scope: InstallScope; places: Places },
): string | undefined {
  const { skills } = CLIENTS[target];
  const base = options.scope === "user" ? options.places.home : options.places.project;
  return skills === undefined ? undefined : `${base}/${skills}`;
}

/** How a client's file names a server. */
export function serverForm(target: AgentTarget): ServerForm {
  return CLIENTS[target].form;
}

/** Arguments that start GUM for a client. */
export function serverArgs(target: AgentTarget, extra: readonly string[] = []): string[] {
  const names = CLIENTS[target].refusesDots && !extra.some((arg) => arg.startsWith("--tool-names"))
    ? ["--tool-names=underscore"]
    : [];
  return ["mcp", "--stdio", ...names, ...extra];
}

/** The JSON entry of GUM's server, keys sorted. */
export function serverEntry(target: AgentTarget, extra: readonly string[] = []): JsonObject {
  const form = serverForm(target);
  return {
    args: serverArgs(target, extra),
    command: "gum",
    ...(form.kind === "json" && form.typed ? { type: "stdio" } : {}),
  };
}
