/** Gates between a built catalog and its files (spec 04 §3.5 steps 8–10 and 12). */
import { CONVENIENCE_ROWS, type ConvenienceRow } from "../lib/catalog/mod.ts";
import type { Catalog, Op, RiskClass } from "../lib/catalog/types.ts";
import { CatalogError } from "../lib/catalog/validate/mod.ts";
import type { BuiltCatalog } from "./build.ts";
import { checkCredentialNames } from "./env_denylist.ts";
import { checkHelpTopics, readHelpTopics } from "./help_topics.ts";
import {
  checkManagedClientReady,
  checkManagedScopeUse,
  type ManagedScopes,
} from "./managed_scopes.ts";
import { readIfPresent } from "./outputs.ts";
import type { Overrides } from "./overrides.ts";
import { checkProfiles } from "./profile_gate.ts";
import type { SelectedOperation } from "./select.ts";

/** What the gates read beside the built catalog. */
export interface GateContext {
  overrides: Overrides;
  /** Folder of the inputs. */
  inputs: URL;
  managedScopes: ManagedScopes;
  /** Folder with the previous catalog. */
  previous: URL;
}

/** Runs every gate; the first that fails is thrown. */
export async function runGates(built: BuiltCatalog, context: GateContext): Promise<void> {
  await checkProfiles(built.catalog);
  await checkCredentialNames(built.catalog);
  checkConvenience(built.catalog.ops, CONVENIENCE_ROWS);
  checkScopes(built.selected, context.overrides);
  checkManagedScopeUse(built.catalog, context.managedScopes);
  checkManagedClientReady(context.managedScopes);
  const { manifest: topics, bodies } = await readHelpTopics(context.inputs);
  checkHelpTopics(topics, bodies);
  const previous = await readIfPresent(new URL("catalog.json", context.previous));
  if (previous === undefined) return;
  checkRegression(JSON.parse(new TextDecoder().decode(previous)), {
    next: built.catalog,
    overrides: context.overrides,
  });
}

/**
 * Every scope of a Discovery-backed variant is one the method accepts.
 *
 * @throws CatalogError `SCOPE_NOT_ACCEPTED`.
 */
export function checkScopes(selected: readonly SelectedOperation[], overrides: Overrides): void {
  for (const { op, acceptedScopes } of selected) {
    if (overrides.ops?.[op.op_id]?.scopes_reason !== undefined) continue;
    for (const variant of op.variants) {
      const bad = variant.scopes?.find((scope) => !acceptedScopes.includes(scope));
      if (bad !== undefined) {
        throw new CatalogError("SCOPE_NOT_ACCEPTED", bad, {
          opId: op.op_id,
          variantId: variant.variant_id,
        });
      }
      if (variant.auth_strategy === "byo_oauth" && (variant.scopes ?? []).length === 0) {
        throw new CatalogError("SCOPE_NOT_ACCEPTED", "an OAuth variant lists no scope", {
          opId: op.op_id,
          variantId: variant.variant_id,
        });
      }
    }
  }
}

/** Google system parameters that a convenience tool may pass without a field of their own. */
const SYSTEM_ARGUMENTS: ReadonlySet<string> = new Set([
  "fields",
  "alt",
  "pageToken",
  "pageSize",
  "maxResults",
]);

/**
 * Convenience tools rest on operations that exist and take what the tool offers (spec 01 §3.9).
 *
 * @throws CatalogError `CONVENIENCE_INVALID`.
 */
export function checkConvenience(ops: readonly Op[], rows: readonly ConvenienceRow[]): void {
  const byId = new Map(ops.map((op) => [op.op_id, op]));
  for (const row of rows) {
    const fail = (detail: string): never => {
      throw new CatalogError("CONVENIENCE_INVALID", `${row.tool}: ${detail}`, { opId: row.opId });
    };
    const op = byId.get(row.opId);
    if (op === undefined) {
      fail("the operation is not in the catalog");
      continue;
    }
    const wanted = row.variantRule === "default" ? op.default_variant_id : row.variantRule.fixed;
    const variant = op.variants.find((candidate) => candidate.variant_id === wanted);
    if (variant === undefined) fail(`variant ${wanted} does not exist`);
    if (variant?.confirmation_policy === "high_stakes_write" && !row.confirmationPassthrough) {
      fail("a high-stakes write needs confirmation passthrough");
    }
    checkRowArguments(row, { op, fail });
  }
}

function checkRowArguments(
  row: ConvenienceRow,
  context: { op: Op; fail: (detail: string) => never },
): void {
  const fields = context.op.request_fields ?? [];
  const names = new Set(fields.map((field) => field.name));
  const bodyNames = new Set(
    fields.filter((field) => field.location === "body").map((field) => field.name),
  );
  const offered = [...row.required, ...row.optional];
  for (const name of row.bodyFields ?? []) {
    if (!bodyNames.has(name)) context.fail(`${name} is no body field`);
  }
  for (const name of offered) {
    const mapped = name === row.bodyArg || row.bodyFields?.includes(name) === true;
    if (!mapped && !names.has(name) && !SYSTEM_ARGUMENTS.has(name)) {
      context.fail(`${name} is no argument of the operation`);
    }
  }
  for (const field of fields) {
    if (field.location === "path" && !row.required.includes(field.name)) {
      context.fail(`path field ${field.name} is not required by the tool`);
    }
  }
}

const RISK_ORDER: readonly RiskClass[] = ["read", "write", "destructive"];

/**
 * Nothing disappears or becomes milder by accident.
 *
 * @throws CatalogError `CATALOG_REGRESSION`.
 */
export function checkRegression(
  previous: Catalog,
  context: { next: Catalog; overrides: Overrides },
): void {
  const { next, overrides } = context;
  const ops = new Map(next.ops.map((op) => [op.op_id, op]));
  const renamed = new Set(next.ops.flatMap((op) => op.deprecated_op_ids ?? []));
  const variants = new Map(
    next.ops.flatMap((op) => op.variants.map((variant) => [variant.variant_id, variant] as const)),
  );
  const superseded = new Set(
    next.ops.flatMap((op) => Object.keys(op.superseded_variant_ids ?? {})),
  );
  for (const old of previous.ops) {
    if (!ops.has(old.op_id) && !renamed.has(old.op_id)) {
      throw new CatalogError("CATALOG_REGRESSION", "the operation vanished", { opId: old.op_id });
    }
    for (const was of old.variants) {
      const place = { opId: old.op_id, variantId: was.variant_id };
      const now = variants.get(was.variant_id);
      if (now === undefined) {
        if (superseded.has(was.variant_id)) continue;
        throw new CatalogError("CATALOG_REGRESSION", "the variant vanished", place);
      }
      const lost = (was.binding?.routing_headers ?? []).find((header) =>
        now.binding?.routing_headers?.includes(header) !== true
      );
      if (lost !== undefined) {
        throw new CatalogError("CATALOG_REGRESSION", `routing header ${lost} vanished`, place);
      }
      const milder = RISK_ORDER.indexOf(now.risk_class) < RISK_ORDER.indexOf(was.risk_class);
      if (milder && overrides.ops?.[old.op_id]?.risk_class === undefined) {
        throw new CatalogError(
          "CATALOG_REGRESSION",
          `risk class went from ${was.risk_class} to ${now.risk_class}`,
          place,
        );
      }
    }
  }
}
