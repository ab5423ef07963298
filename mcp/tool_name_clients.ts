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
  "augment",
  "codex",
  // Cursor takes letters, digits and underscores only, and drops what has anything else.
  "cursor-",
  // Copilot CLI calls itself github-copilot-developer.
  "github-copilot",
  "copilot-cli",
  "copilot cli",
  "copilot-intellij",
  "copilot for intellij",
  "copilot for jetbrains",
  "intellij",
];
