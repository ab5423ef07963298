/** What the set must be made of (spec 07 §3.15). */

import { CATEGORIES, type Category, type FixtureSet } from "../types.ts";

const SHARES: Record<Category, number> = {
  workspace_toon_read: 0.5,
  gum_parallel_batch: 0.2,
  non_workspace_read: 0.15,
  write_destructive: 0.15,
};
const TOLERANCE = 0.05;
const LEAST_TOTAL = 200;
const LEAST_SERVICES = 12;
/** Largest share of one operation among all calls. */
const OPERATION_SHARE = 0.05;

/** Everything that is wrong with the composition; empty when the set may carry a claim. */
export function compositionProblems(set: FixtureSet): string[] {
  const { fixtures, manifest } = set;
  const problems: string[] = [];
  const total = fixtures.length;
  if (total < LEAST_TOTAL) problems.push(`${total} fixtures, fewer than ${LEAST_TOTAL}`);
  if (manifest.total !== total) problems.push("the manifest counts otherwise");
  for (const category of CATEGORIES) {
    const share = fixtures.filter(({ entry }) => entry.category === category).length / total;
    if (Math.abs(share - SHARES[category]) > TOLERANCE) {
      problems.push(`${category} is ${(100 * share).toFixed(1)} % of the set`);
    }
  }
  const written = fixtures.filter(({ entry }) => entry.category === "write_destructive");
  if (services(written.map(({ entry }) => entry.op_id)).size < 3) {
    problems.push("writes span fewer than three services");
  }
  for (const { entry, calls } of fixtures) {
    const isBatch = entry.category === "gum_parallel_batch";
    if (isBatch && (calls.length < 2 || calls.length > 4)) {
      problems.push(`${entry.path} has ${calls.length} elements`);
    }
    if (isBatch !== (entry.op_id === "gum_parallel")) problems.push(`${entry.path} is misplaced`);
  }
  const opIds = fixtures.flatMap(({ calls }) => calls.map(({ request }) => request.op_id));
  if (services(opIds).size < LEAST_SERVICES) problems.push("too few services");
  const alone = fixtures.filter(({ entry }) => entry.op_id !== "gum_parallel")
    .map(({ entry }) => entry.op_id);
  for (const [opId, count] of counted(alone)) {
    if (count / total > OPERATION_SHARE) problems.push(`${opId} is ${count} of ${total} fixtures`);
  }
  for (const [opId, count] of counted(opIds)) {
    if (count / opIds.length > OPERATION_SHARE) {
      problems.push(`${opId} is ${count} of ${opIds.length} calls`);
    }
  }
  return problems;
}

function services(opIds: readonly string[]): Set<string> {
  return new Set(opIds.map((opId) => opId.split(".")[0] ?? ""));
}

function counted(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
