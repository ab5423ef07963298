/**
 * The tool registry. It stays mutable for the life of the process, while every connection works on
 * the snapshot taken when it began: a tool added later is neither listed nor callable there, and no
 * `list_changed` is ever sent (spec 01 §3.1).
 */

import type { RegisteredTool } from "./types.ts";

/** Tools by canonical name, in listing order. */
export interface ToolRegistry {
  /** Adds a tool, or replaces the one of the same name in its place. Never throws. */
  addTool(tool: RegisteredTool): void;
  /** A copy that later additions do not touch. */
  snapshot(): ToolSnapshot;
}

/** What one connection sees. */
export interface ToolSnapshot {
  readonly tools: readonly RegisteredTool[];
  /** By canonical name. */
  find(name: string): RegisteredTool | undefined;
}

/** An empty registry. */
export function createToolRegistry(): ToolRegistry {
  const tools = new Map<string, RegisteredTool>();
  return {
    addTool: (tool) => void tools.set(tool.definition.name, tool),
    snapshot: () => {
      const frozen = new Map(tools);
      return { tools: [...frozen.values()], find: (name) => frozen.get(name) };
    },
  };
}
