/** Candidates for curation, printed and never written (spec 04 §3.10, §3.13). */
import type { ProjectionTree } from "../lib/catalog/validate/mod.ts";
import type { BuiltCatalog } from "./build.ts";

const PREFERRED_NAMES: readonly string[] = [
  "id",
  "name",
  "resourceName",
  "title",
  "displayName",
  "summary",
  "status",
  "state",
  "type",
  "email",
  "role",
  "createTime",
  "updateTime",
  "description",
];
const MASK_NAME_LIMIT = 8;
const PAGE_NAMES: readonly string[] = ["nextPageToken", "nextSyncToken"];

/** Mask candidates for list operations that have none: page tokens and well-known names. */
export function suggestDefaultFields(built: BuiltCatalog): string[] {
  const lines: string[] = [];
  for (const op of built.catalog.ops) {
    const variant = op.variants[0];
    const projection = built.projections[op.op_id];
    if (variant?.risk_class !== "read" || variant.default_fields !== undefined) continue;
    if (projection === undefined) continue;
    const mask = candidateMask(projection);
    if (mask !== undefined) lines.push(`${op.op_id}\t${mask}`);
  }
  return lines;
}

function candidateMask(projection: ProjectionTree): string | undefined {
  const records = Object.entries(projection).filter(([, tree]) => tree !== true);
  if (records.length !== 1) return undefined;
  const [name, tree] = records[0] ?? [];
  if (name === undefined || tree === undefined || tree === true) return undefined;
  const names = PREFERRED_NAMES.filter((wanted) => tree[wanted] === true).slice(0, MASK_NAME_LIMIT);
  if (names.length < 2) return undefined;
  const pages = PAGE_NAMES.filter((page) => projection[page] === true);
  return [...pages, `${name}(${names.join(",")})`].join(",");
}

/** Operations whose curated risk class differs from the rules, and writes without confirmation. */
export function suggestRisk(built: BuiltCatalog): string[] {
  const lines: string[] = [];
  for (const { op, ruleRisk } of built.selected) {
    const variant = op.variants[0];
    if (variant === undefined) continue;
    if (variant.risk_class !== ruleRisk) {
      lines.push(`${op.op_id}\trule ${ruleRisk}, curated ${variant.risk_class}`);
    }
    const outward = (variant.effects ?? []).some((effect) => effect !== "deletes");
    if (variant.risk_class === "write" && outward && variant.confirmation_policy === undefined) {
      lines.push(`${op.op_id}\t${variant.effects?.join(",")} without confirmation`);
    }
  }
  return lines;
}
