/** The fixed tool roster (spec 01 §2.2). `docs/tier-a-roster.v1.json` is its machine-readable copy. */

import type { RiskClass } from "../lib/catalog/types.ts";

/** Meta-tools, in listing order. */
export const META_TOOLS = [
  "gum.search_apis",
  "gum.describe_op",
  "gum.read",
  "gum.write",
  "gum.destructive",
  "gum.code",
  "gum.poll",
  "gum.cache_stats",
  "gum.gain",
] as const;

/** A meta-tool's canonical name. */
export type MetaTool = typeof META_TOOLS[number];

/** Convenience tools, in listing order. */
export const CONVENIENCE_TOOLS = [
  "gmail_search",
  "gmail_get_message",
  "gmail_send",
  "gmail_create_draft",
  "drive_find",
  "drive_get_file",
  "drive_share",
  "calendar_upcoming",
  "calendar_create_event",
  "calendar_update_event",
  "docs_get",
  "docs_create",
  "sheets_read",
  "sheets_write",
  "slides_get",
  "tasks_list",
  "tasks_create",
  "flights_search",
] as const;

/** Skill tools: listed after the roster, not part of it. */
export const SKILL_TOOLS = ["skills_list", "skills_get"] as const;

/** The tools that run an operation of one risk class, and that class. */
export const RISK_TOOLS: Readonly<Record<string, RiskClass>> = {
  "gum.read": "read",
  "gum.write": "write",
  "gum.destructive": "destructive",
};

/** The tool that runs operations of a class. */
export function riskTool(riskClass: RiskClass): string {
  return `gum.${riskClass}`;
}
