/**
 * Clients that refuse a dot in a tool name, as parts of the name they announce (lower case).
 * One refused name costs such a client the whole list, so they are shown underscores.
 */
export const CLIENTS_WITHOUT_DOTS: readonly string[] = [
  "claude-ai",
  "claude.ai",
  "claudeai",
  "claude-desktop",
  "claude desktop",
  "codex",
  "copilot-cli",
  "copilot cli",
  "copilot-intellij",
  "copilot for intellij",
  "copilot for jetbrains",
  "intellij",
];
