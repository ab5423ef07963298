/** Titles and summaries through the sanitizer; what breaks a rule is repaired (spec 04 §3.11). */

import { sanitize, type SanitizerFinding } from "../../sanitizer.ts";
import { splitWords } from "../../derive/mod.ts";
import type { Op } from "../../types.ts";

/** Texts of one operation that pass the sanitizer. */
export interface CleanTexts {
  title: string;
  summary: string;
}

const UNUSABLE: ReadonlySet<SanitizerFinding["rule"]> = new Set([1, 2, 3, 7]);

/** @throws TypeError when no repair helps; a build never ships such a text. */
export async function cleanTexts(op: Op): Promise<CleanTexts> {
  const riskClass = op.variants[0]?.risk_class;
  const title = await cleanTitle(op);
  let summary = op.summary.replaceAll("\t", " ");
  const first = await sanitize(summary, { toolKind: "convenience", riskClass });
  if (first.findings.length > 0) {
    const unusable = first.findings.some(({ rule }) => UNUSABLE.has(rule));
    summary = unusable ? `${title}.` : summary;
    const discloses = !unusable && first.findings.every(({ rule }) => rule !== 6);
    if (riskClass !== "read" && !discloses) {
      const ended = /[.…!?]$/.test(summary) ? summary : `${summary}.`;
      summary = `${ended} ${
        riskClass === "destructive" ? "Deletes data." : "Creates or changes data."
      }`;
    }
    const again = await sanitize(summary, { toolKind: "convenience", riskClass });
    if (again.findings.length > 0) {
      throw new TypeError(`${op.op_id}: ${JSON.stringify(again.findings[0])}`);
    }
  }
  return { title, summary };
}

/** A title can only be broken by the API's own name; the service key then stands for it. */
async function cleanTitle(op: Op): Promise<string> {
  const kind = { toolKind: "convenience" as const };
  if ((await sanitize(op.title, kind)).findings.length === 0) return op.title;
  const plain = op.title.replace(/ \(.*\)$/, ` (${op.service})`);
  if ((await sanitize(plain, kind)).findings.length === 0) return plain;
  const words = splitWords(op.op_id.slice(op.op_id.indexOf(".") + 1)).slice(-2).join(" ");
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} (${op.service})`;
}
