/** Registers the whole roster (spec 01 §3.1: completely, before any transport is attached). */

import { convenienceRow } from "../lib/catalog/mod.ts";
import { runCode } from "./code_tool.ts";
import { runConvenienceTool } from "./convenience_tools.ts";
import { toolDefinitions } from "./definitions.ts";
import { describe } from "./describe_tool.ts";
import { ACCOUNT_TOOLS, withAccountArgument } from "./meta_schemas.ts";
import { poll } from "./poll_tool.ts";
import { createToolRegistry, type ToolRegistry } from "./registry.ts";
import { runRiskTool } from "./risk_tools.ts";
import { CONVENIENCE_TOOLS } from "./roster.ts";
import { searchApis } from "./search_tool.ts";
import { getSkill, listSkills } from "./skill_tools.ts";
import { cacheStats, gain } from "./stats_tools.ts";
import type { ConnectedSurface, Surface } from "./surface.ts";
import type { ToolCall, ToolOutcome, ToolResult } from "./types.ts";

/** Serves one tool on one connection. */
type SurfaceHandler = (
  surface: ConnectedSurface,
  call: ToolCall,
) => ToolResult | Promise<ToolResult>;
type DispatchingHandler = (surface: ConnectedSurface, call: ToolCall) => Promise<ToolOutcome>;

const ANSWERING: Record<string, SurfaceHandler> = {
  "gum.search_apis": searchApis,
  "gum.describe_op": describe,
  "gum.poll": poll,
  "gum.cache_stats": cacheStats,
  "gum.gain": (surface) => gain(surface),
  skills_list: (surface, call) => listSkills(surface.form(call.clientName)),
  skills_get: (surface, call) => getSkill(call, surface.form(call.clientName)),
};

const DISPATCHING: Record<string, DispatchingHandler> = {
  "gum.read": runRiskTool,
  "gum.write": runRiskTool,
  "gum.destructive": runRiskTool,
  "gum.code": runCode,
  ...Object.fromEntries(CONVENIENCE_TOOLS.map((tool) => [tool, runConvenienceTool])),
};

/** A registry with all 29 tools of a surface. */
export function registerTools(surface: Surface): ToolRegistry {
  const registry = createToolRegistry();
  const labels = surface.session.accountLabels ?? [];
  for (const plain of toolDefinitions(surface.tuning.searchK)) {
    const { name } = plain;
    const picks = labels.length > 0 && ACCOUNT_TOOLS.has(name);
    const definition = picks
      ? { ...plain, inputSchema: withAccountArgument(plain.inputSchema, labels) }
      : plain;
    const answer = ANSWERING[name];
    const dispatch = DISPATCHING[name];
    const wired = !CONVENIENCE_TOOLS.some((tool) => tool === name) ||
      convenienceRow(name) !== undefined;
    registry.addTool({
      definition,
      precompiled: wired && !picks,
      handler: async (call, connected) => {
        if (answer !== undefined) {
          return { kind: "result", result: await answer(connected, call) };
        }
        if (dispatch === undefined) throw new Error(`no handler for ${name}`);
        return await dispatch(connected, call);
      },
    });
  }
  return registry;
}
