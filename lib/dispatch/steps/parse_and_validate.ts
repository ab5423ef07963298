/** Step 1: find the operation and variant, bring the arguments into their final form, hash them. */

import type { Op, Variant } from "../../catalog/types.ts";
import { sha256Hex } from "../../digest/mod.ts";
import { GumError } from "../../errors/mod.ts";
import { JcsError } from "../../format/jcs.ts";
import type { JsonObject } from "../../json/mod.ts";
import { strayAddress } from "../arguments/address.ts";
import { fieldsAt } from "../arguments/assemble.ts";
import { prepareArguments } from "../arguments/prepare.ts";
import { argumentError, fieldRefusal } from "../arguments/problems.ts";
import type { Call } from "../call.ts";
import { canonicalArgs } from "../canonical.ts";
import { inspectMedia, MEDIA_ARG } from "../media.ts";
import { type Selection, selectVariant } from "../selection.ts";
import type { ParsedCall } from "../stages.ts";
import { nearestWords } from "../../spelling/mod.ts";
import type { OutputFormat } from "../types.ts";

const FORMATS: ReadonlySet<string> = new Set<OutputFormat>([
  "toon",
  "json",
  "csv",
  "markdown",
  "raw",
]);

/** Runs step 1. */
export async function parseAndValidate(call: Call): Promise<ParsedCall> {
  const { invocation, deps } = call;
  const op = findOperation(call);
  call.known.opId = op.op_id;
  const selection = select(call, op);
  const variant = selection.kind === "selected" ? selection.variant : undefined;
  // A download is answered with GUM's own summary, which no profile describes.
  const { profile, usedProjectLayer } =
    variant === undefined || invocation.media?.kind === "download"
      ? { profile: undefined }
      : lookUpProfile(call, { op, variant });
  checkControls(call, op);
  const inspected = inspectMedia(call, { op, variant });
  // Calls without a file, which are nearly all, do not wait.
  const media = inspected instanceof Promise ? await inspected : inspected;
  call.media = media.request;
  const hostDefaults = invocation.caller === "cli" || invocation.caller === "mcp";
  const prepared = prepareArguments(op, media.args, {
    variant,
    hostDefaults,
    unknownAllowlist: deps.settings.unknownReadParamsAllowlist?.[op.op_id],
    strict: deps.settings.strictValidation,
    writeGranted: Boolean(invocation.allowWrite || invocation.allowDestructive),
  });
  call.warnings.push(...prepared.warnings);
  const refusal = argumentError(prepared.problems, {
    opId: op.op_id,
    // A call that gave a body of its own knows the way.
    hasBody: !prepared.explicitBody && fieldsAt(op, "body").length > 0,
    ...invocation.caller === "risor" ? { usual: assumedValues(op) } : {},
  });
  if (refusal !== undefined) throw refusal;
  if (variant !== undefined) {
    deps.adapters.find(variant.binding?.adapter_key ?? "")?.checkArgs?.(prepared.args, variant);
    refuseStrayAddress(call, { op, variant, args: prepared.args });
  }
  if (media.bound !== undefined) prepared.args[MEDIA_ARG] = media.bound;
  // Nobody waits for the hash of a call that was given up meanwhile.
  call.signal.throwIfAborted();
  const argsHash = await sha256Hex(canonicalOrRefuse(call, prepared.args));
  return { op, selection, profile, usedProjectLayer, args: prepared.args, argsHash };
}

function assumedValues(op: Op): Record<string, string> {
  return Object.fromEntries(
    (op.request_fields ?? []).flatMap(({ name, host_default: assumed }) =>
      assumed === undefined || assumed === "" ? [] : [[name, assumed]]
    ),
  );
}

/** The profile decides how much of the long tail its sessions may run (spec 04 §10). */
const HIDDEN_OPERATION =
  "It changes something, and this profile allows reads of further Google APIs only: " +
  "gum config set catalog.long_tail=all";

function findOperation(call: Call): Op {
  const { invocation, deps } = call;
  if (invocation.opId === "") {
    throw new GumError("INVALID_ARGS", {
      message: "no operation was named",
      details: { missing: ["op_id"], unknown: [], type_errors: [] },
      suggestion: "Name an operation, for example one found with `gum search`.",
    });
  }
  const op = deps.catalog.findOp(invocation.opId);
  if (op !== undefined) return op;
  refuseInactivePlugin(call, { opId: invocation.opId });
  throw new GumError("OP_NOT_FOUND", {
    message: `operation ${invocation.opId} is not in the catalog`,
    ...(deps.catalog.isHidden?.(invocation.opId) ? { suggestion: HIDDEN_OPERATION } : {}),
    details: {
      op_id: invocation.opId,
      suggestions: nearestWords(invocation.opId, deps.catalog.ops.map((known) => known.op_id)),
    },
  });
}

/** An installed plugin that cannot run yet says so, instead of "not found". */
function refuseInactivePlugin(call: Call, query: { opId: string; variantId?: string }): void {
  const plugin = call.deps.inventory?.lookup(query);
  if (plugin === undefined) return;
  const details: JsonObject = {
    op_id: query.opId,
    ...(query.variantId === undefined ? {} : { variant_id: query.variantId }),
    plugin_name: plugin.pluginName,
    reason: plugin.reason,
  };
  if (plugin.status === "quarantined") {
    throw new GumError("VARIANT_QUARANTINED", {
      message: `plugin ${plugin.pluginName} is quarantined`,
      details: { ...details, adapter_key: "plugin.mcp", reason: "plugin_quarantined" },
      suggestion: `The plugin is quarantined locally; the service behind it may be up. Look with ` +
        `\`gum plugin list\`, try it again with \`gum plugin reload ${plugin.pluginName}\`, or ` +
        `lift the quarantine with \`gum plugin unquarantine ${plugin.pluginName}\`.`,
    });
  }
  const waiting = plugin.status === "installed_pending_restart";
  throw new GumError("UNSUPPORTED_CAPABILITY", {
    message: `plugin ${plugin.pluginName} is installed but not active`,
    details: {
      ...details,
      status: plugin.status,
      ...(plugin.credentialAliases && { credential_aliases: plugin.credentialAliases }),
    },
    userMessage: waiting
      ? "The plugin that offers this operation becomes active after a restart."
      : "The plugin that offers this operation is not set up yet.",
    suggestion: waiting ? "Restart GUM." : `Run \`gum plugin setup ${plugin.pluginName}\`.`,
  });
}

function select(call: Call, op: Op): Selection {
  const pin = call.invocation.requestedVariantId;
  const selection = selectVariant(op, {
    pin,
    preferredInterfaceKinds: call.deps.settings.preferredInterfaceKinds,
  });
  if (selection.kind === "selected") {
    call.warnings.push(...selection.warnings);
  } else if (pin !== undefined && selection.error.code === "VARIANT_NOT_FOUND") {
    refuseInactivePlugin(call, { opId: op.op_id, variantId: pin });
  }
  return selection;
}

function lookUpProfile(
  call: Call,
  chosen: { op: Op; variant: Variant },
): Pick<ParsedCall, "profile" | "usedProjectLayer"> {
  const { outputProfile, projectRootPath } = call.invocation;
  const { profile, warnings, usedProjectLayer } = call.deps.profiles.resolve({
    ...chosen,
    preset: outputProfile,
    projectRootPath,
  });
  call.warnings.push(...warnings);
  return { profile, usedProjectLayer };
}

/** One operation is never used as another: its id is what policies and people go by. */
function refuseStrayAddress(
  call: Call,
  asked: { op: Op; variant: Variant; args: JsonObject },
): void {
  const stray = strayAddress(asked, call.deps.catalog);
  if (stray === undefined) return;
  const { field, expected, belongsTo } = stray;
  const elsewhere = belongsTo === undefined ? "" : `; this one leads to ${belongsTo}`;
  const error = fieldRefusal(field, {
    message: expected !== undefined
      ? `${field} must be ${expected}${elsewhere}`
      : belongsTo === undefined
      ? `${field} names a resource above those of ${asked.op.op_id}`
      : `${field} leads to another operation: ${belongsTo}`,
    reason: expected === undefined || belongsTo !== undefined
      ? "addresses_another_operation"
      : "unexpected_form",
    opId: asked.op.op_id,
  });
  throw error.with({
    ...(expected === undefined ? {} : { expected }),
    ...(belongsTo === undefined ? {} : { belongs_to: belongsTo }),
  });
}

/** Control arguments are judged before any request, whatever the operation. */
function checkControls(call: Call, op: Op): void {
  const { format, maxItems } = call.invocation;
  if (format !== undefined && !FORMATS.has(format)) {
    throw fieldRefusal("format", {
      message: `format must be one of ${[...FORMATS].join(", ")}`,
      value: format,
      opId: op.op_id,
    });
  }
  const countable = typeof maxItems === "number" && Number.isSafeInteger(maxItems) && maxItems > 0;
  if (maxItems !== undefined && maxItems !== "all" && !countable) {
    throw fieldRefusal("max_items", {
      message: 'max_items must be a positive integer or "all"',
      value: typeof maxItems === "number" && !Number.isFinite(maxItems) ? `${maxItems}` : maxItems,
      opId: op.op_id,
    });
  }
}

/** Values that JSON cannot carry (NaN, lone surrogates) are the caller's mistake, not a crash. */
function canonicalOrRefuse(call: Call, args: JsonObject): string {
  try {
    return canonicalArgs(args, call.deps.settings);
  } catch (error) {
    if (!(error instanceof JcsError)) throw error;
    const problem = `${error.message}`;
    throw new GumError("INVALID_ARGS", {
      message: "an argument is not a JSON value",
      details: {
        op_id: call.known.opId ?? "",
        missing: [],
        unknown: [],
        type_errors: [problem],
      },
      cause: error,
    });
  }
}
