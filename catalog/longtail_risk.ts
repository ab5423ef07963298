/**
 * The risk review of the long tail: every operation whose class the rules had to guess, most
 * dangerous guess first (spec 04 §3.7, §10).
 *
 * @module
 */
import { isVerb, methodWords } from "../lib/catalog/derive/mod.ts";
import { type BuiltPack, isSensitiveService } from "../lib/catalog/longtail/build/mod.ts";
import type { Op } from "../lib/catalog/types.ts";

const TELLING =
  /token|secret|password|credential|auth|key(?!word)|query|execute|run|sql|access|export|download|generate|verify|finish|wait|subscribe/i;
/** Words that begin the names of GET methods beyond doubt. */
const PLAIN_READS = /^(?:get|list|search|query|lookup|find|fetch|count|read|retrieve|describe)/;

/**
 * How bad it would be when the rules' class were wrong; 0 where there was nothing to guess. Only
 * reads count: a write that could have been a read costs one confirmation, not data.
 */
function guessDanger(op: Op, rule: number): number {
  const [variant] = op.variants;
  const method = variant?.binding?.http?.method;
  if (variant?.risk_class !== "read" || method === undefined) return 0;
  const name = op.op_id.slice(op.op_id.lastIndexOf(".") + 1);
  const verb = methodWords(op.op_id)[0] ?? "";
  const guessed = method === "GET" ? !PLAIN_READS.test(verb) : rule !== 7;
  if (!guessed) return 0;
  return 1 + (method === "GET" ? 0 : 2) + (isVerb(verb) ? 0 : 2) +
    (isSensitiveService(op.service) ? 4 : 0) + (TELLING.test(name) ? 2 : 0);
}

/** Tab-separated rows: danger, operation, HTTP method, class, rule, what review says. */
export function riskReview(built: Pick<BuiltPack, "ops" | "riskRules">): string {
  const rows: { danger: number; cells: string[] }[] = [];
  for (const op of built.ops) {
    const [variant] = op.variants;
    const rule = built.riskRules.get(op.op_id) ?? 0;
    const danger = guessDanger(op, rule);
    const reviewed = variant?.risk_override_reason ?? "";
    if (danger === 0 && reviewed === "") continue;
    rows.push({
      danger,
      cells: [
        op.op_id,
        variant?.binding?.http?.method ?? "",
        variant?.risk_class ?? "",
        `rule ${rule}`,
        reviewed === "" ? "" : `overridden: ${reviewed}`,
      ],
    });
  }
  rows.sort((a, b) => b.danger - a.danger || ((a.cells[0] ?? "") < (b.cells[0] ?? "") ? -1 : 1));
  return [
    "danger\toperation\tmethod\tclass\trule\treview",
    ...rows.map(({ danger, cells }) => `${danger}\t${cells.join("\t")}`),
  ].join("\n") + "\n";
}
