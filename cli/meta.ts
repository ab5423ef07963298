/** `gum help`, `gum completion` and the hidden responder (spec 08 §7). */

import type { CommandSpec } from "./types.ts";

const help: CommandSpec = {
  name: "help",
  summary: "Show help on a command or a topic",
  examples: ["gum help call", "gum help exit-codes"],
  args: [{
    name: "word",
    help: "a command, a help topic, or exit-codes",
    required: false,
    variadic: true,
    complete: async () => (await import("./help_run.ts")).helpWords(),
  }],
  flags: [],
  children: [],
  permissions: ["read", "env"],
  run: async (context) => (await import("./help_run.ts")).runHelp(context),
};

const SHELLS = ["bash", "zsh", "fish", "powershell"];

const completion: CommandSpec = {
  name: "completion",
  summary: "Print a completion script for a shell, or install it",
  description:
    `gum completion install puts the script in its place and the line that loads it into the start-up
file of the shell, which is your login shell unless you name one; uninstall takes both away again.
By hand:
  bash         source <(gum completion bash)
  zsh          gum completion zsh > "\${fpath[1]}/_gum"
  fish         gum completion fish > ~/.config/fish/completions/gum.fish
  powershell   gum completion powershell | Out-String | Invoke-Expression`,
  examples: [
    "gum completion install --dry-run",
    "gum completion install zsh",
    "gum completion uninstall zsh",
  ],
  args: [
    {
      name: "shell",
      help: `${SHELLS.join(", ")}, or install, or uninstall`,
      required: true,
      variadic: false,
      complete: () => ({
        candidates: [...SHELLS, "install", "uninstall"].map((value) => ({ value })),
      }),
    },
    {
      name: "for",
      help: "after install and uninstall: the shell; unset: your login shell",
      required: false,
      variadic: false,
      complete: ({ words }) => ({
        candidates: ["install", "uninstall"].includes(words[0] ?? "")
          ? SHELLS.map((value) => ({ value }))
          : [],
      }),
    },
  ],
  flags: [
    { name: "no-descriptions", type: "bool", help: "leave descriptions out" },
    { name: "dry-run", type: "bool", help: "with install: show what would be written" },
  ],
  children: [],
  permissions: ["read", "write", "env"],
  async run(context) {
    const [action] = context.words;
    if (action === "install" || action === "uninstall") {
      const { runCompletionFiles } = await import("./completion_install.ts");
      return await runCompletionFiles(action, context);
    }
    await (await import("./completion_scripts.ts")).runCompletion(context);
  },
};

function responder(name: string, descriptions: boolean): CommandSpec {
  return {
    name,
    summary: "Answer a shell's completion request",
    hidden: true,
    passThrough: true,
    args: [],
    flags: [],
    children: [],
    permissions: ["read", "env"],
    run: async (context) => (await import("./complete.ts")).runComplete(context, { descriptions }),
  };
}

/** Commands of this group. */
export const commands: readonly CommandSpec[] = [
  help,
  completion,
  responder("__complete", true),
  responder("__completeNoDesc", false),
];
