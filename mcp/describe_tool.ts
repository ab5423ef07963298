/** `gum.describe_op` (spec 01 §3.8.2): the contract of one operation, or of one meta-tool. */

import {
  describeMetaTool,
  describeOp,
  type DescribeOpResult,
  HIDDEN_HINT,
  suggestOps,
} from "../lib/catalog/mod.ts";
import type { Op } from "../lib/catalog/types.ts";
import { SCRIPT_FUNCTIONS } from "../lib/code/request/mod.ts";
import { GumError } from "../lib/errors/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { isMailOperation, MAIL_FIELDS } from "../lib/mail/mod.ts";
import { installHint, pluginOf } from "../lib/plugin/status/mod.ts";
import { objectResult } from "./render.ts";
import { META_TOOLS } from "./roster.ts";
import type { ConnectedSurface } from "./surface.ts";
import { canonicalName } from "./tool_names.ts";
import type { RegisteredTool, ToolCall, ToolResult } from "./types.ts";

/** Describes an operation of the session snapshot, or a meta-tool. */
export function describe(surface: ConnectedSurface, call: ToolCall): ToolResult {
  const asked = String(call.args.op_id);
  const tool = metaTool(surface, asked);
  const op = surface.catalog.findOp(asked);
  const { describeMaxVariants: maxVariants } = surface.tuning;
  if (op !== undefined) {
    // gum.code is both: its catalog record, with the tool's own arguments.
    const contract = describeOp(op, { maxVariants, tool: tool?.definition });
    return described(withNotes(withInstallHint(surface, { op, contract })));
  }
  if (tool !== undefined) return described(describeMetaTool(tool.definition));
  throw opNotFound(surface, asked);
}

/** The contract is closed, so what to do about a plugin that is not there is part of the summary. */
function withInstallHint(
  { session }: ConnectedSurface,
  { op, contract }: { op: Op; contract: DescribeOpResult },
): DescribeOpResult {
  const plugin = pluginOf(op);
  const known = plugin === undefined || session.plugins?.rows().some(({ name }) => name === plugin);
  if (known) return contract;
  return { ...contract, summary: `${contract.summary} ${installHint(plugin)}` };
}

/** Arguments that take more than their type says; without this a caller would have to guess. */
function withNotes(contract: DescribeOpResult): DescribeOpResult {
  const notes = isMailOperation(contract.op_id)
    ? { raw: MAIL_NOTE, message: MAIL_NOTE }
    : contract.op_id === "gum.code"
    ? { source: `Functions: ${SCRIPT_FUNCTIONS}. JavaScript awaits them.` }
    : undefined;
  if (notes === undefined) return contract;
  return {
    ...contract,
    params: contract.params?.map((param) => {
      const note = Object.entries(notes).find(([name]) => name === param.name)?.[1];
      return note === undefined ? param : { ...param, description: note };
    }),
  };
}

const MAIL_NOTE = `or plain fields instead of raw: ${MAIL_FIELDS.join(", ")}`;

function described(contract: DescribeOpResult): ToolResult {
  return objectResult({ ...contract } as unknown as JsonObject);
}

/** `OP_NOT_FOUND` with up to five ids that may have been meant. */
export function opNotFound(surface: ConnectedSurface, opId: string): GumError {
  const suggestions = suggestOps(opId, {
    opIds: surface.catalog.ops.map((op) => op.op_id),
    search: surface.session.search(),
  });
  return new GumError("OP_NOT_FOUND", {
    message: `no operation named ${opId}`,
    userMessage: "This operation is not in the catalog.",
    suggestion: surface.catalog.isHidden?.(opId)
      ? HIDDEN_HINT
      : suggestions.length > 0
      ? "Use one of suggestions, or find an operation with gum.search_apis."
      : "Find an operation with gum.search_apis.",
    details: { op_id: opId, suggestions },
  });
}

function metaTool(surface: ConnectedSurface, name: string): RegisteredTool | undefined {
  const canonical = canonicalName(name);
  return META_TOOLS.some((known) => known === canonical)
    ? surface.tools.find(canonical)
    : undefined;
}
