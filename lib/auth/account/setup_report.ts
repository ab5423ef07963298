/** What an operation still needs, component by component (spec 05 §3.19). */

import type { Variant } from "../../catalog/types.ts";
import type { JsonObject } from "../../json/mod.ts";
import {
  componentsOf,
  componentsRefuse,
  judgeComponents,
  type JudgedComponent,
  unmetKinds,
} from "../components.ts";
import { componentFacts } from "../facts.ts";
import type { CompositeResolver } from "../resolver.ts";
import { normaliseScopes, sortedScopes } from "../scopes.ts";
import type { AuthParts } from "../types.ts";

/** The readiness of one variant. */
export interface SetupReport {
  opId: string;
  variantId: string;
  strategy: Variant["auth_strategy"];
  profile: string;
  ready: boolean;
  components: readonly JudgedComponent[];
  missing: readonly string[];
  requiredScopes: readonly string[];
  haveScopes: readonly string[];
  /** In the order they have to be run. */
  nextCommands: readonly string[];
}

/** Looks at a variant's set-up: local, no network. */
export async function setupReport(
  parts: AuthParts,
  { view, adcMode }: Pick<CompositeResolver, "view" | "adcMode">,
  about: { opId: string; variant: Variant; pluginId?: string; signal: AbortSignal },
): Promise<SetupReport> {
  const { opId, variant, signal } = about;
  const required = sortedScopes(normaliseScopes(variant.scopes ?? []));
  const strategy = variant.auth_strategy;
  const base = {
    opId,
    variantId: variant.variant_id,
    strategy,
    profile: parts.profileName,
    requiredScopes: required,
  };
  if (strategy === "plugin_managed") {
    return {
      ...base,
      ready: true,
      components: [],
      missing: [],
      haveScopes: [],
      nextCommands: about.pluginId === undefined ? [] : [`gum plugin setup ${about.pluginId}`],
    };
  }
  const hostIdentity = await adcMode() &&
    (strategy === "byo_oauth" || strategy === "adc");
  // The host stands in for the sign-in, not for what goes along with it.
  const components = componentsOf(variant)
    .filter(({ kind }) => !hostIdentity || kind === "developer_token");
  const kinds = new Set(components.map(({ kind }) => kind));
  const facts = await componentFacts(parts, view, { opId, variant, kinds, signal });
  const judged = judgeComponents(components, facts);
  const notOptedIn = strategy === "adc" && !hostIdentity;
  return {
    ...base,
    ready: !componentsRefuse(judged) && !notOptedIn,
    components: judged,
    missing: unmetKinds(judged),
    haveScopes: facts.covered,
    nextCommands: [
      ...new Set([
        ...(notOptedIn ? ["gum auth use-adc"] : []),
        ...judged.filter(({ optional }) => !optional)
          .flatMap(({ nextCommand }) => nextCommand === undefined ? [] : [nextCommand]),
      ]),
    ],
  };
}

/** The report as the command prints it. */
export function setupDocument(report: SetupReport): JsonObject {
  const command = `gum auth setup ${report.opId}`;
  return {
    op_id: report.opId,
    variant_id: report.variantId,
    auth_strategy: report.strategy,
    profile: report.profile,
    ready: report.ready,
    components: report.components.map((component) => ({
      kind: component.kind,
      ...(component.displayName === undefined ? {} : { display_name: component.displayName }),
      optional: component.optional,
      status: component.status,
      ...(component.nextCommand === undefined ? {} : { next_command: component.nextCommand }),
    })),
    missing_components: [...report.missing],
    required_scopes: [...report.requiredScopes],
    have_scopes: [...report.haveScopes],
    setup_command: command,
    next_commands: [...report.nextCommands],
    ...(report.ready ? {} : {
      error_code: "AUTH_REQUIRED",
      user_message: `${report.opId} is not set up yet. Run ${
        report.nextCommands.map((step) => `\`${step}\``).join(", then ") || `\`${command}\``
      }.`,
    }),
  };
}
