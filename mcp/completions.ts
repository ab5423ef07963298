/** Argument completion (spec 01 §3.13): local, capped, ranked where a ranking helps. */

import { LANGUAGE_NAMES } from "../lib/code/request/mod.ts";
import { completeOpIds, defaultVariant } from "../lib/catalog/mod.ts";
import type { RiskClass } from "../lib/catalog/types.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../lib/json/mod.ts";
import { invalidParams } from "./jsonrpc_error.ts";
import type { ResourceStore } from "./resources.ts";
import { RISK_TOOLS } from "./roster.ts";
import type { ConnectedSurface } from "./surface.ts";
import { canonicalName } from "./tool_names.ts";
import type { ConnectionState } from "./types.ts";

/** Values shown at once. */
const MAX_VALUES = 50;

/** Matching values of one argument, in the order they are shown. */
interface Matches {
  values: string[];
  /** Matches before the cut. */
  total: number;
}

/** Serves `completion/complete` for one connection. */
export type Completer = (params: JsonObject) => JsonObject;

interface Question {
  argument: string;
  typed: string;
  /** `context.arguments`. */
  context: JsonObject;
}

/** A completer. Sorted candidate lists are made once: the snapshot does not change. */
export function createCompleter(
  surface: ConnectedSurface,
  connection: ConnectionState,
  resources: ResourceStore,
): Completer {
  const candidates = snapshotCandidates(surface);
  const byTemplate: Record<string, { argument: string; matches: (typed: string) => Matches }> = {
    "gum://op/{id}": {
      argument: "id",
      matches: (typed) => rankedOps(surface, candidates.opIds, typed),
    },
    "gum://variant/{id}": {
      argument: "id",
      matches: (typed) => byPrefix(candidates.variants, typed),
    },
    "gum://schema/{ref}": {
      argument: "ref",
      matches: (typed) =>
        byPrefix(
          sorted([...candidates.schemaRefs, ...surface.session.plugins?.schemaRefs() ?? []]),
          typed,
        ),
    },
    "gum://plugin/{name}": {
      argument: "name",
      matches: (typed) => byPrefix(visiblePlugins(surface), typed),
    },
    "gum://help/{topic}": {
      argument: "topic",
      matches: (typed) =>
        byPrefix(
          resources.helpTopics.filter((entry) => entry.status === "active")
            .map((entry) => entry.topic),
          typed,
        ),
    },
    "gum://results/{hash}": {
      argument: "hash",
      matches: (typed) => byPrefix(connection.resultHashes, typed),
    },
  };
  const toolArgument = (tool: string, question: Question): Matches => {
    const { argument, typed } = question;
    const riskClass = RISK_TOOLS[tool];
    if (argument === "op_id" && tool === "gum.describe_op") {
      return rankedOps(surface, candidates.opIds, typed);
    }
    if (argument === "op_id" && riskClass !== undefined) {
      return rankedOps(surface, candidates.opIdsOf[riskClass], typed);
    }
    if (argument === "variant_id" && riskClass !== undefined) {
      const opId = question.context.op_id;
      const op = typeof opId === "string" ? surface.catalog.findOp(opId) : undefined;
      const ids = typeof opId === "string"
        ? sorted(
          (op?.variants ?? []).filter((variant) => !variant.quarantined)
            .map((variant) => variant.variant_id),
        )
        : candidates.variantsOf[riskClass];
      return byPrefix(ids, typed);
    }
    if (argument === "format") return byPrefix(offeredFormats(surface, tool), typed);
    if (argument === "language" && tool === "gum.code") return byPrefix(LANGUAGE_NAMES, typed);
    if (argument === "operation_name" && tool === "gum.poll") {
      return byPrefix(connection.operationHandles.map((handle) => handle.name), typed);
    }
    return NONE;
  };
  return (params) => {
    const { reference, question } = readParams(params);
    if (reference.kind === "prompt") {
      return completion(toolArgument(canonicalName(reference.name), question));
    }
    const template = byTemplate[reference.uri];
    const known = template?.argument === question.argument;
    return completion(known ? template.matches(question.typed) : NONE);
  };
}

const NONE: Matches = { values: [], total: 0 };

function completion({ values, total }: Matches): JsonObject {
  const shown = values.slice(0, MAX_VALUES);
  return { completion: { values: shown, total, hasMore: total > shown.length } };
}

interface Candidates {
  opIds: string[];
  opIdsOf: Record<RiskClass, string[]>;
  variants: string[];
  variantsOf: Record<RiskClass, string[]>;
  schemaRefs: string[];
}

function snapshotCandidates(surface: ConnectedSurface): Candidates {
  const candidates: Candidates = {
    opIds: [],
    opIdsOf: { read: [], write: [], destructive: [] },
    variants: [],
    variantsOf: { read: [], write: [], destructive: [] },
    schemaRefs: [],
  };
  for (const op of surface.catalog.ops) {
    candidates.opIds.push(op.op_id);
    const main = defaultVariant(op);
    if (main !== undefined) candidates.opIdsOf[main.risk_class].push(op.op_id);
    for (const variant of op.variants) {
      if (variant.quarantined) continue;
      candidates.variants.push(variant.variant_id);
      candidates.variantsOf[variant.risk_class].push(variant.variant_id);
      const ref = variant.binding?.request_ref;
      if (ref !== undefined) candidates.schemaRefs.push(ref);
    }
  }
  candidates.variants.sort();
  Object.values(candidates.variantsOf).forEach((list) => list.sort());
  candidates.schemaRefs = sorted(candidates.schemaRefs);
  return candidates;
}

function rankedOps(surface: ConnectedSurface, opIds: string[], typed: string): Matches {
  const search = surface.session.search();
  return completeOpIds(typed, { opIds, search });
}

function visiblePlugins(surface: ConnectedSurface): string[] {
  const rows = surface.session.plugins?.rows() ?? [];
  return sorted(
    rows.filter((row) => row.name !== "" && row.status !== "installed_pending_restart")
      .map((row) => row.name),
  );
}

/** The formats a tool offers as a control; `raw` is accepted but not offered. */
function offeredFormats(surface: ConnectedSurface, tool: string): string[] {
  const properties = surface.tools.find(tool)?.definition.inputSchema.properties;
  const format = isJsonObject(properties) ? properties.format : undefined;
  const accepted = isJsonObject(format) && Array.isArray(format.enum) ? format.enum : [];
  return ["toon", "csv", "json", "markdown"].filter((name) => accepted.includes(name));
}

function byPrefix(candidates: readonly string[], typed: string): Matches {
  const folded = typed.toLowerCase();
  const values = candidates.filter((value) => value.toLowerCase().startsWith(folded));
  return { values, total: values.length };
}

function sorted(values: string[]): string[] {
  return [...new Set(values)].sort();
}

type Reference = { kind: "resource"; uri: string } | { kind: "prompt"; name: string };

function readParams(params: JsonObject): { reference: Reference; question: Question } {
  const { argument, context } = params;
  if (
    !isJsonObject(argument) || typeof argument.name !== "string" ||
    typeof argument.value !== "string"
  ) throw malformed("argument must have a name and a value");
  const known = isJsonObject(context) && isJsonObject(context.arguments) ? context.arguments : {};
  return {
    reference: readReference(params.ref),
    question: { argument: argument.name, typed: argument.value, context: known },
  };
}

function readReference(ref: JsonValue | undefined): Reference {
  if (isJsonObject(ref) && ref.type === "ref/resource" && typeof ref.uri === "string") {
    return { kind: "resource", uri: ref.uri };
  }
  if (isJsonObject(ref) && ref.type === "ref/prompt" && typeof ref.name === "string") {
    return { kind: "prompt", name: ref.name };
  }
  throw malformed("ref must be a ref/resource or a ref/prompt");
}

function malformed(reason: string): Error {
  return invalidParams("Invalid params", {
    userMessage: "This completion request cannot be answered.",
    suggestion:
      "Complete tool arguments through a ref/prompt whose name is the tool's, with an argument.",
    details: { reason },
  });
}
