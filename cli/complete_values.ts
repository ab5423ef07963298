/** Candidates that come from the catalog or from disk (spec 08 §7). */

import type { Op, RiskClass, Variant } from "../lib/catalog/types.ts";
import { baseDirectories, DEFAULT_PROFILE, isProfileName } from "../lib/config/directories.ts";
import { OUTPUT_WORDS } from "./output_choice.ts";
import type { CommandHost, Completion, CompletionRequest } from "./types.ts";

/** Long-tail operations that one TAB may show; each has to be unpacked. */
const MAX_FURTHER = 200;

/** Operation ids; with a risk class, those whose default variant has it. */
export async function operationIds(
  request: CompletionRequest,
  risk?: RiskClass,
): Promise<Completion> {
  const { ops } = await request.catalog();
  const { prefix } = request;
  const own = ops.filter(({ op_id }) => op_id.startsWith(prefix));
  const offered = own.length === 0 && prefix.includes(".") ? await furtherOps(request) : own;
  return {
    candidates: offered
      .filter((op) => risk === undefined || defaultOf(op)?.risk_class === risk)
      .map((op) => ({ value: op.op_id, description: op.summary })),
  };
}

/** Only where no curated operation goes on like this: unpacking the others takes a moment. */
async function furtherOps({ prefix, host }: CompletionRequest): Promise<Op[]> {
  const catalog = await host.factories.catalog();
  const ids = catalog.furtherIds?.(prefix, MAX_FURTHER) ?? [];
  return ids.flatMap((opId) => catalog.findOp(opId) ?? []);
}

/** Variants of the operation already typed that can run. */
export async function variantIds(request: CompletionRequest): Promise<Completion> {
  const op = (await request.catalog()).findOp(request.words[0] ?? "");
  return {
    candidates: (op?.variants ?? [])
      .filter((variant) => !variant.quarantined)
      .map((variant) => ({ value: variant.variant_id, description: variant.risk_class })),
  };
}

/** The default variant's mask as a whole, and each of its fields. */
export async function fieldMasks(request: CompletionRequest): Promise<Completion> {
  const op = (await request.catalog()).findOp(request.words[0] ?? "");
  const mask = op === undefined ? undefined : defaultOf(op)?.default_fields;
  if (mask === undefined || mask === "") return { candidates: [], noSpace: true };
  const fields = topLevelSelectors(mask).map((field) => field.trim()).filter((field) =>
    field !== ""
  );
  // Behind the commas already typed only single fields go on.
  const typed = topLevelSelectors(request.prefix);
  const head = request.prefix.slice(0, request.prefix.length - (typed.at(-1)?.length ?? 0));
  const more = fields.filter((field) => !typed.slice(0, -1).includes(field))
    .map((field) => head + field);
  const values = fields.length > 1 ? [...more, ...(more.includes(mask) ? [] : [mask])] : more;
  return { candidates: values.map((value) => ({ value })), noSpace: true };
}

/** Splits `a,b(c,d),e` at its outer commas. */
function topLevelSelectors(mask: string): string[] {
  const selectors: string[] = [];
  let depth = 0;
  let current = "";
  for (const char of mask) {
    if (char === "(") depth++;
    if (char === ")") depth--;
    if (char === "," && depth === 0) {
      selectors.push(current);
      current = "";
    } else current += char;
  }
  selectors.push(current);
  return selectors;
}

/** Forms of `--output`. */
export function outputForms(): Completion {
  return { candidates: [...OUTPUT_WORDS.map((value) => ({ value })), { value: "value(" }] };
}

/** Account profiles on disk, plus the default one. */
export async function accountProfiles(host: CommandHost): Promise<Completion> {
  const names = new Set([DEFAULT_PROFILE]);
  try {
    const { config } = baseDirectories(host.environment);
    for await (const entry of Deno.readDir(`${config}/gum`)) {
      if (entry.isDirectory && isProfileName(entry.name)) names.add(entry.name);
    }
  } catch {
    // No home or no folder yet: the default profile alone.
  }
  return { candidates: [...names].sort().map((value) => ({ value })) };
}

/** Labels of the accounts that the typed profile's sessions may use. */
export async function accountLabels({ host, typed = [] }: CompletionRequest): Promise<Completion> {
  const { earlyProfile } = await import("./early_profile.ts");
  const { loadConfig, sessionAccounts } = await import("../lib/config/mod.ts");
  const profile = earlyProfile({ argv: typed, environment: host.environment });
  if (profile === undefined) return { candidates: [] };
  const { profileName, own } = profile;
  const { config } = await loadConfig({ profileName, directory: own.config });
  const { accounts } = sessionAccounts(config);
  return {
    candidates: [...accounts.values()].map((account) => ({
      value: account.label,
      description: `profile ${account.profileName}`,
    })),
  };
}

function defaultOf(op: Op): Variant | undefined {
  return op.variants.find((variant) => variant.variant_id === op.default_variant_id);
}
