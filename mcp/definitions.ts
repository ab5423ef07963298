/** The 29 tool definitions, in listing order (spec 01 §2.2, §2.3). */

import { type ConvenienceRow, convenienceRow } from "../lib/catalog/mod.ts";
import { convenienceInputSchema } from "./convenience_schemas.ts";
import { metaInputSchema, SKILL_SCHEMAS } from "./meta_schemas.ts";
import { outputSchema, type RegisteredDef } from "./output_schemas.ts";
import { CONVENIENCE_TOOLS, META_TOOLS, type MetaTool, SKILL_TOOLS } from "./roster.ts";
import type { JsonSchemaObject, ToolAnnotations, ToolDefinition } from "./types.ts";

const READ: ToolAnnotations = { readOnlyHint: true, destructiveHint: false };
const WRITE: ToolAnnotations = { readOnlyHint: false, destructiveHint: false };
const DESTRUCTIVE: ToolAnnotations = { readOnlyHint: false, destructiveHint: true };

interface MetaFacts {
  description: string;
  annotations: ToolAnnotations;
  shapes: RegisteredDef[];
}

const META_FACTS: Record<MetaTool, MetaFacts> = {
  "gum.search_apis": {
    description: "Find catalog operations by keyword; returns op ids to describe or invoke.",
    annotations: READ,
    shapes: ["ToonResult", "SingleObjectResult"],
  },
  "gum.describe_op": {
    description: "Show one operation's arguments, variants, risk class, scopes and schema refs.",
    annotations: READ,
    shapes: ["DescribeOpResult"],
  },
  "gum.read": {
    description: "Run a read-class operation.",
    annotations: READ,
    shapes: ["ToonResult", "SingleObjectResult", "RawJsonResult", "UnchangedResult"],
  },
  "gum.write": {
    description: "Write. Some writes cannot be undone. " +
      "Note: high-stakes writes may require confirmation.",
    annotations: WRITE,
    shapes: ["ToonResult", "SingleObjectResult", "RawJsonResult"],
  },
  "gum.destructive": {
    description:
      "Run a destructive operation; first call returns a confirmation_token to echo back.",
    annotations: DESTRUCTIVE,
    shapes: ["ToonResult", "SingleObjectResult", "RawJsonResult"],
  },
  "gum.code": {
    description: "Run a sandboxed script that may call catalog operations.",
    annotations: DESTRUCTIVE,
    shapes: ["RawJsonResult"],
  },
  "gum.poll": {
    description: "Wait for a long-running operation to finish.",
    annotations: READ,
    shapes: ["SingleObjectResult"],
  },
  "gum.cache_stats": {
    description: "Cache counters and audit health.",
    annotations: READ,
    shapes: ["CacheStatsResult"],
  },
  "gum.gain": {
    description: "Token savings recorded for this profile.",
    annotations: READ,
    shapes: ["GainResult"],
  },
};

const CONVENIENCE_DESCRIPTIONS: Record<typeof CONVENIENCE_TOOLS[number], string> = {
  gmail_search: "Search Gmail messages.",
  gmail_get_message: "Get one Gmail message.",
  gmail_send: "Send a Gmail message.",
  gmail_create_draft: "Create a Gmail draft.",
  drive_find: "Find Drive files.",
  drive_get_file: "Get Drive file metadata.",
  drive_share: "Share a Drive file.",
  calendar_upcoming: "List upcoming calendar events.",
  calendar_create_event: "Create a calendar event.",
  calendar_update_event: "Replace a calendar event.",
  docs_get: "Get a Google Doc.",
  docs_create: "Create a Google Doc.",
  sheets_read: "Read a cell range.",
  sheets_write: "Write a cell range.",
  slides_get: "Get a Slides presentation.",
  tasks_list: "List tasks.",
  tasks_create: "Create a task.",
  flights_search: "Search flights.",
};

const SKILL_DESCRIPTIONS: Record<typeof SKILL_TOOLS[number], string> = {
  skills_list: "List bundled agent skills.",
  skills_get: "Get one bundled agent skill.",
};

/** Every definition in listing order; `searchDefault` is the effective default of `k`. */
export function toolDefinitions(searchDefault = 5): ToolDefinition[] {
  const definitions: ToolDefinition[] = META_TOOLS.map((name) => ({
    name,
    description: META_FACTS[name].description,
    inputSchema: metaInputSchema(name, searchDefault),
    outputSchema: outputSchema(META_FACTS[name].shapes),
    annotations: META_FACTS[name].annotations,
  }));
  for (const name of CONVENIENCE_TOOLS) {
    definitions.push(convenienceDefinition(name, convenienceRow(name)));
  }
  for (const name of SKILL_TOOLS) {
    definitions.push({
      name,
      description: SKILL_DESCRIPTIONS[name],
      inputSchema: SKILL_SCHEMAS[name],
      annotations: READ,
    });
  }
  const last = definitions.at(-1);
  // One prompt-cache breakpoint covers the whole block; providers cap how many there may be.
  if (last !== undefined) last._meta = { cache_control: { type: "ephemeral" } };
  return definitions;
}

function convenienceDefinition(
  name: typeof CONVENIENCE_TOOLS[number],
  row: ConvenienceRow | undefined,
): ToolDefinition {
  const tabular = row?.formats.includes("toon") ?? false;
  return {
    name,
    description: CONVENIENCE_DESCRIPTIONS[name],
    inputSchema: row === undefined ? openSchema : convenienceInputSchema(row),
    outputSchema: outputSchema(
      tabular ? ["ToonResult", "SingleObjectResult"] : ["SingleObjectResult"],
    ),
    annotations: row?.confirmationPassthrough ? WRITE : READ,
  };
}

const openSchema: JsonSchemaObject = { type: "object", properties: {}, additionalProperties: true };
