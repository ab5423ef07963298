/**
 * `deno task audit`: known vulnerabilities of the locked packages, from two independent sources.
 *
 * `deno audit` asks the package registry, and the open database at osv.dev is asked for every
 * package of the lock file. A source that does not answer is said so by name and is never taken for
 * a clean answer.
 *
 * Exit code 0: both sources answered or one did, and nothing is open. 1: a finding without a
 * waiver, or a waiver that is out of date. 3: no source answered, so nothing was checked.
 *
 * `.audit-ignore.toml` waives a finding for at most 90 days:
 *
 *     [[waiver]]
 *     id = "GHSA-…"
 *     why = "the parser it is in never sees text from outside"
 *     reviewer = "name"
 *     expires = 2026-12-31
 */

import { parse as parseToml } from "smol-toml";
import { type LockedPackage, lockedPackages } from "./licenses.ts";

const ROOT = new URL("..", import.meta.url);
const OSV = "https://api.osv.dev";
const LONGEST_WAIVER_DAYS = 90;
const DAY = 86_400_000;

/** One known vulnerability of one package. */
export interface Finding {
  /** As the source names it: `GHSA-…`, `CVE-…`, `MAL-…`. */
  id: string;
  package: string;
}

/** What one source said. */
export type SourceAnswer =
  | { kind: "answered"; source: string; findings: Finding[] }
  | { kind: "silent"; source: string; why: string };

/** One accepted finding, for a while. */
export interface Waiver {
  id: string;
  why: string;
  reviewer: string;
  /** Last day on which it holds. */
  expires: Date;
}

/** What is to be done, and whether anything was checked at all. */
export interface AuditVerdict {
  checked: boolean;
  problems: string[];
}

/** Asks the registry through `deno audit`, whose answer is text for people. */
export async function askRegistry(
  { root = ROOT, env = {} }: { root?: URL; env?: Record<string, string> } = {},
): Promise<SourceAnswer> {
  const source = "deno audit";
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["audit"],
    cwd: root,
    env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", ...env },
    stdin: "null",
  }).output();
  const text = new TextDecoder().decode(stdout);
  const findings = readDenoAudit(text);
  if (code === 0 || findings.length > 0) return { kind: "answered", source, findings };
  const [why = ""] = new TextDecoder().decode(stderr).split("\n");
  return { kind: "silent", source, why: why.replace(/^error: /, "") };
}

/** Findings in the report of `deno audit`: a box for each, with the package and a link. */
export function readDenoAudit(report: string): Finding[] {
  return report.split(/^╭/m).slice(1).map((box) => {
    const name = /Package:\s+(\S+)/.exec(box)?.[1] ?? "unknown package";
    const id = /(?:GHSA|CVE|MAL)-[0-9A-Za-z-]+/.exec(box)?.[0];
    return { package: name, id: id ?? (box.split("\n")[0] ?? "").trim() };
  });
}

/** Asks the open vulnerability database for every package, with all pages of its answer. */
export async function askOsv(
  packages: readonly LockedPackage[],
  { origin = OSV }: { origin?: string } = {},
): Promise<SourceAnswer> {
  const source = new URL(origin).hostname;
  const findings: Finding[] = [];
  let queries: OsvQuery[] = packages.map(({ name, version }) => ({
    package: { name, ecosystem: "npm" },
    version,
  }));
  try {
    while (queries.length > 0) {
      const answer = await fetch(`${origin}/v1/querybatch`, {
        method: "POST",
        body: JSON.stringify({ queries }),
        signal: AbortSignal.timeout(60_000),
      });
      if (!answer.ok) {
        await answer.body?.cancel();
        return { kind: "silent", source, why: `it answered ${answer.status}` };
      }
      const { results } = await answer.json() as { results: OsvResult[] };
      if (results.length !== queries.length) {
        return { kind: "silent", source, why: "it answered for other packages than asked" };
      }
      queries = queries.flatMap((query, index) => {
        const { vulns = [], next_page_token: page } = results[index] ?? {};
        findings.push(...vulns.map(({ id }) => ({ id, package: query.package.name })));
        return page === undefined ? [] : [{ ...query, page_token: page }];
      });
    }
  } catch (error) {
    const why = error instanceof Error ? error.message.split("\n")[0] ?? "" : String(error);
    return { kind: "silent", source, why };
  }
  return { kind: "answered", source, findings };
}

interface OsvQuery {
  package: { name: string; ecosystem: string };
  version: string;
  page_token?: string;
}

interface OsvResult {
  vulns?: { id: string }[];
  next_page_token?: string;
}

/** Reads the waivers. @throws Error for one without id, reason, reviewer or date */
export function readWaivers(toml: string): Waiver[] {
  const { waiver = [] } = parseToml(toml) as { waiver?: Record<string, unknown>[] };
  return waiver.map((row) => {
    const text = (key: string) => {
      const value = row[key];
      if (typeof value !== "string" || value.trim() === "") {
        throw new Error(`.audit-ignore.toml: a waiver has no ${key}`);
      }
      return value;
    };
    const expires = row.expires;
    if (!(expires instanceof Date)) throw new Error(".audit-ignore.toml: expires is not a date");
    return { id: text("id"), why: text("why"), reviewer: text("reviewer"), expires };
  });
}

/** Holds findings and waivers against each other: either without the other is a problem. */
export function judge(
  answers: readonly SourceAnswer[],
  { waivers, now }: { waivers: readonly Waiver[]; now: Date },
): AuditVerdict {
  const answered = answers.filter((answer) => answer.kind === "answered");
  const findings = answered.flatMap((answer) => answer.findings);
  const waived = new Set(waivers.map(({ id }) => id));
  const open = new Map(
    findings.filter(({ id }) => !waived.has(id)).map((one) => [`${one.package}: ${one.id}`, one]),
  );
  const everyoneAnswered = answered.length === answers.length;
  return {
    checked: answered.length > 0,
    problems: [
      ...open.keys(),
      ...waivers.flatMap(({ id, expires }) => {
        const days = (expires.getTime() - now.getTime()) / DAY;
        if (days < -1) return [`the waiver of ${id} has expired`];
        if (days > LONGEST_WAIVER_DAYS) return [`the waiver of ${id} is for over 90 days`];
        // Whether a waiver is still needed is known only when every source has spoken.
        const unused = everyoneAnswered && !findings.some((finding) => finding.id === id);
        return unused ? [`the waiver of ${id} waives nothing`] : [];
      }),
    ],
  };
}

async function waiversOfTree(): Promise<Waiver[]> {
  try {
    return readWaivers(await Deno.readTextFile(new URL(".audit-ignore.toml", ROOT)));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

if (import.meta.main) {
  const lock = lockedPackages(await Deno.readTextFile(new URL("deno.lock", ROOT)));
  const packages = [...lock.values()];
  const answers = await Promise.all([askRegistry(), askOsv(packages)]);
  for (const answer of answers) {
    const said = answer.kind === "silent"
      ? `not checked: ${answer.why}`
      : `${packages.length} packages, ${answer.findings.length} findings`;
    console.log(`audit: ${answer.source}: ${said}`);
  }
  const { checked, problems } = judge(answers, { waivers: await waiversOfTree(), now: new Date() });
  for (const problem of problems) console.error(`audit: ${problem}`);
  if (problems.length > 0) Deno.exit(1);
  if (!checked) {
    console.error("audit: no source answered, so nothing was checked");
    Deno.exit(3);
  }
}
