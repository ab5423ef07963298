/**
 * `deno task matrix`: holds `docs/test-matrix.md` and the tests to each other, both ways.
 *
 * - a row marked `proved` fails when one of its tests does not exist;
 * - a row marked `open` fails when all of its tests exist (mark it proved);
 * - a `Test…` or `Fuzz…` name in the code fails when no row mentions it.
 *
 * `--update` rewrites the status column and adds unlisted names to the row of their folder.
 */

/** One row of the matrix. */
export interface MatrixRow {
  /** Row id: a number for the seed's rows, a folder for ours. */
  id: string;
  requirement: string;
  /** Test names; may hold a `<Name>` placeholder for values to come. */
  proofs: string[];
  phase: string;
  status: string;
  note: string;
}

/** A test name and the folder of the file that registers it. */
export interface FoundTest {
  name: string;
  folder: string;
}

const STATUSES = ["proved", "open", "later"];

/** Parses the rows of every table whose first column is `#`. */
export function parseMatrix(markdown: string): MatrixRow[] {
  return markdown.split("\n").flatMap((line) => {
    const cells = line.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim());
    const [id, requirement, proofs, phase, status, note] = cells;
    if (cells.length !== 6 || id === undefined || id === "#" || /^-+$/.test(id)) return [];
    return [{
      id,
      requirement: requirement ?? "",
      proofs: [...(proofs ?? "").matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ""),
      phase: phase ?? "",
      status: status ?? "",
      note: note ?? "",
    }];
  });
}

const REGISTRATION =
  /Deno\.test(?:\.\w+)?\(\s*(?:\{\s*name:\s*)?["'`]((?:Test|Fuzz)[A-Z][A-Za-z0-9]*)["'`:\s]/g;

/** The leading `Test…` names of all `Deno.test` registrations in a source text. */
export function testNames(source: string): string[] {
  const names = new Set<string>();
  for (const match of source.matchAll(REGISTRATION)) {
    names.add(match[1] ?? "");
  }
  return [...names];
}

/** What is wrong between rows and tests; empty when they agree. */
export function compareMatrix(rows: MatrixRow[], tests: FoundTest[]): string[] {
  const present = new Set(tests.map((test) => test.name));
  const mentioned = rows.flatMap((row) => row.proofs);
  const problems: string[] = [];
  for (const row of rows) {
    const missing = row.proofs.filter((proof) => !isPresent(proof, present));
    if (!STATUSES.includes(row.status)) {
      problems.push(`row ${row.id}: status "${row.status}" is none of ${STATUSES.join(", ")}`);
    } else if (row.status === "proved" && missing.length > 0) {
      problems.push(`row ${row.id} is marked proved, but has no test ${missing.join(", ")}`);
    } else if (row.status === "open" && row.proofs.length > 0 && missing.length === 0) {
      problems.push(`row ${row.id} is marked open, but all its tests exist: mark it proved`);
    }
  }
  for (const test of unlisted(mentioned, tests)) {
    problems.push(`${test.name} (${test.folder}) is in no row`);
  }
  return problems;
}

/** `TestX<Name>` rows are proved by any test that extends the stem; others by their exact name. */
function isPresent(proof: string, present: ReadonlySet<string>): boolean {
  if (!proof.includes("<")) return present.has(proof);
  const stem = proof.slice(0, proof.indexOf("<"));
  return [...present].some((name) => name.startsWith(stem));
}

function unlisted(mentioned: string[], tests: FoundTest[]): FoundTest[] {
  const exact = new Set(mentioned);
  const stems = mentioned.filter((proof) => proof.includes("<")).map((proof) =>
    proof.slice(0, proof.indexOf("<"))
  );
  return tests.filter((test) =>
    !exact.has(test.name) && !stems.some((stem) => test.name.startsWith(stem))
  );
}

/** Rewrites statuses and lists new names under their folder's row. */
export function updateMatrix(markdown: string, tests: FoundTest[]): string {
  const rows = parseMatrix(markdown);
  const present = new Set(tests.map((test) => test.name));
  const extra = unlisted(rows.flatMap((row) => row.proofs), tests);
  const byFolder = Map.groupBy(extra, (test) => test.folder);
  const lines = markdown.trimEnd().split("\n").map((line) => {
    const [row] = parseMatrix(line);
    if (row === undefined) return line;
    const added = byFolder.get(row.id) ?? [];
    byFolder.delete(row.id);
    const proofs = [...row.proofs, ...added.map((test) => test.name)]
      // Our own folder rows follow the code: a renamed test leaves them.
      .filter((proof) => /^[0-9]+$/.test(row.id) || present.has(proof));
    return renderRow({ ...row, proofs, status: statusOf({ ...row, proofs }, present) });
  });
  for (const [folder, found] of [...byFolder].sort(([a], [b]) => a < b ? -1 : 1)) {
    lines.push(renderRow({
      id: folder,
      requirement: `what \`${folder}\` promises beyond the rows above`,
      proofs: found.map((test) => test.name).sort(),
      phase: "v0.1 CI",
      status: "proved",
      note: "",
    }));
  }
  return lines.join("\n") + "\n";
}

function statusOf(row: MatrixRow, present: ReadonlySet<string>): string {
  if (row.proofs.length === 0 || row.status === "later") return row.status;
  return row.proofs.every((proof) => isPresent(proof, present)) ? "proved" : "open";
}

function renderRow(row: MatrixRow): string {
  const proofs = row.proofs.length === 0 ? "–" : row.proofs.map((name) => `\`${name}\``).join(" ");
  return `| ${row.id} | ${row.requirement} | ${proofs} | ${row.phase} | ${row.status} | ${row.note} |`
    .replace("|  |", "| |");
}

/** All test names below `root`, from files named `*_test.ts`. */
function findTests(root: string): FoundTest[] {
  const found = new Map<string, FoundTest>();
  for (const path of testFiles(root)) {
    const folder = path.slice(root.length + 1).split("/").slice(0, -1).slice(0, 2).join("/") || ".";
    for (const name of testNames(Deno.readTextFileSync(path))) {
      if (!found.has(name)) found.set(name, { name, folder });
    }
  }
  return [...found.values()].sort((a, b) => a.name < b.name ? -1 : 1);
}

function* testFiles(folder: string): Generator<string> {
  for (const entry of [...Deno.readDirSync(folder)].sort((a, b) => a.name < b.name ? -1 : 1)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory && !["node_modules", ".git", "dist"].includes(entry.name)) {
      yield* testFiles(path);
    } else if (entry.isFile && entry.name.endsWith("_test.ts")) yield path;
  }
}

if (import.meta.main) {
  const root = new URL("..", import.meta.url).pathname.replace(/\/$/, "");
  const file = `${root}/docs/test-matrix.md`;
  const tests = findTests(root);
  if (Deno.args.includes("--update")) {
    Deno.writeTextFileSync(file, updateMatrix(Deno.readTextFileSync(file), tests));
  }
  const rows = parseMatrix(Deno.readTextFileSync(file));
  const problems = compareMatrix(rows, tests);
  for (const problem of problems) console.error(`matrix: ${problem}`);
  const proved = rows.filter((row) => row.status === "proved").length;
  console.log(`matrix: ${rows.length} rows, ${proved} proved, ${tests.length} named tests`);
  if (problems.length > 0) Deno.exit(1);
}
