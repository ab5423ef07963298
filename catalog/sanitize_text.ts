/** Titles and summaries through the sanitizer: curated text must pass, derived text is repaired. */
import { sanitize, type SanitizerFinding } from "../lib/catalog/mod.ts";
import type { Op } from "../lib/catalog/types.ts";
import { CatalogError } from "../lib/catalog/validate/mod.ts";

/** Which of an operation's texts a person wrote. */
export interface CuratedText {
  title: boolean;
  summary: boolean;
}

/**
 * Checks and repairs the texts of one operation in place (spec 04 §3.11).
 *
 * @throws CatalogError `SANITIZER_VIOLATION` for curated text, or when a repair did not help.
 */
export async function sanitizeTexts(op: Op, curated: CuratedText): Promise<void> {
  const toolKind = op.service_family === "meta" ? "meta" as const : "convenience" as const;
  const title = await sanitize(op.title, { toolKind });
  if (title.findings.length > 0) throw violation(op, { what: "title", finding: title.findings[0] });
  op.title = title.text;

  const riskClass = op.variants[0]?.risk_class;
  let summary = await sanitize(op.summary, { toolKind, riskClass });
  if (summary.findings.length > 0 && !curated.summary) {
    op.summary = repair(op, summary.findings);
    summary = await sanitize(op.summary, { toolKind, riskClass });
  }
  if (summary.findings.length > 0) {
    throw violation(op, { what: "summary", finding: summary.findings[0] });
  }
  op.summary = summary.text;
}

function repair(op: Op, findings: readonly SanitizerFinding[]): string {
  const broken = new Set(findings.map((finding) => finding.rule));
  const unusable = [1, 2, 3, 7].some((rule) => broken.has(rule as SanitizerFinding["rule"]));
  const text = unusable ? `${op.title}.` : op.summary;
  if (op.variants[0]?.risk_class === "read") return text;
  // A title may lack the disclosure verb that the sentence had.
  const discloses = !broken.has(6) && !unusable;
  if (discloses) return text;
  const sentence = text.endsWith(".") || text.endsWith("…") ? text : `${text}.`;
  return op.variants[0]?.risk_class === "destructive"
    ? `${sentence} Deletes data.`
    : `${sentence} Creates or changes data.`;
}

function violation(
  op: Op,
  place: { what: string; finding: SanitizerFinding | undefined },
): CatalogError {
  const { what, finding } = place;
  return new CatalogError(
    "SANITIZER_VIOLATION",
    `${what}: rule ${finding?.rule}: ${finding?.reason} (${JSON.stringify(finding?.offending)})`,
    { opId: op.op_id },
  );
}
