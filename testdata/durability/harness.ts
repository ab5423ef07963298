/** Kills writers at random moments and looks at what they left. */

import { verifyAuditLog, lastRows, openAuditLog } from "../../lib/audit/mod.ts";
import { createResponseCache, inspectCacheFile } from "../../lib/cache/mod.ts";
import { systemClock } from "../../lib/clock/mod.ts";
import { HEADER_LINE, openLedger } from "../../lib/gain/mod.ts";
import { entry, isEntryLine } from "../../lib/gain/testdata/rig.ts";
import { silentLogger } from "../../lib/log/mod.ts";

/** What one run of {@link killWriters} found. */
export interface KillReport {
  kills: number;
  accepted: Record<string, number>;
  /** Half rows that were seen on disk; they are skipped, never read as whole. */
  halfRows: number;
  /** Longest time the next start needed to put things right, in milliseconds. */
  slowestRepairMs: number;
  /** Everything that is wrong. Empty is the only good value. */
  faults: string[];
}

interface Accepted {
  kind: string;
  id: string;
  path?: string;
  mac?: string;
}

/** Runs waves of writers in processes of their own, each killed with SIGKILL after a random time. */
export async function killWriters(
  options: { kills: number; writers: number; longestMs: number; random?: () => number },
): Promise<KillReport> {
  const random = options.random ?? Math.random;
  const root = await Deno.makeTempDir({ prefix: "gum-durability-" });
  const report: KillReport = {
    kills: 0,
    accepted: {},
    halfRows: 0,
    slowestRepairMs: 0,
    faults: [],
  };
  const accepted: Accepted[] = [];
  try {
    while (report.kills < options.kills) {
      const wave = Math.min(options.writers, options.kills - report.kills);
      const reports = await Promise.all(
        Array.from({ length: wave }, (_, writer) =>
          writeUntilKilled(root, {
            name: `w${report.kills + writer}`,
            afterMs: random() * options.longestMs,
          })),
      );
      accepted.push(...reports.flat());
      report.kills += wave;
      report.slowestRepairMs = Math.max(report.slowestRepairMs, await timedStart(root));
    }
    for (const { kind } of accepted) report.accepted[kind] = (report.accepted[kind] ?? 0) + 1;
    await judge(root, { accepted, report });
    return report;
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

async function writeUntilKilled(
  root: string,
  options: { name: string; afterMs: number },
): Promise<Accepted[]> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-q",
      "--no-check",
      "--no-prompt",
      "--allow-read",
      "--allow-write",
      "--allow-sys=uid",
      new URL("./writer.ts", import.meta.url).pathname,
      root,
      options.name,
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const errors = new Response(child.stderr).text();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    text += read.value;
    // The clock of a killing starts with the first write: starting up writes nothing.
    timer ??= setTimeout(() => child.kill("SIGKILL"), options.afterMs);
  }
  clearTimeout(timer);
  const { signal } = await child.status;
  const message = await errors;
  if (signal !== "SIGKILL") throw new Error(`the writer ended by itself: ${message}`);
  // A last line without its end was not said in full.
  return text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
}

/** What a start does on what is there: it must end soon, and writing must go on. */
async function timedStart(root: string): Promise<number> {
  const directory = `${root}/gum/default`;
  const started = performance.now();
  const audit = openAuditLog({
    directory,
    profileName: "default",
    clock: systemClock,
    log: silentLogger,
    maxFiles: 100_000,
  });
  await audit.recover();
  audit.append({ op_id: "a.b", id: "start" });
  await audit.close();
  const ledger = openLedger({ directory, clock: systemClock, log: silentLogger });
  await ledger.append(entry({ session: "ffffffff" }));
  await ledger.close();
  const cache = createResponseCache({ clock: systemClock, directory, log: silentLogger });
  await cache.warm();
  await cache.evictExpired();
  cache.close();
  return performance.now() - started;
}

async function judge(
  root: string,
  found: { accepted: Accepted[]; report: KillReport },
): Promise<void> {
  const { accepted, report } = found;
  const folder = `${root}/gum/default`;
  const ids = (kind: string) => accepted.filter((one) => one.kind === kind);

  const verification = await verifyAuditLog(folder);
  report.halfRows += verification.files.reduce((sum, file) => sum + file.unreadable, 0);
  if (verification.broken !== null) report.faults.push(`sentinel: ${verification.broken}`);
  const rows = new Set((await lastRows(folder, { count: Infinity })).map((row) => row.id));
  for (const { id } of ids("audit")) {
    if (!rows.has(id)) report.faults.push(`audit row lost: ${id}`);
  }

  const entries = new Set<string>();
  for (const { name } of Deno.readDirSync(folder)) {
    if (!/^gain-ledger.*\.jsonl$/.test(name)) continue;
    const lines = Deno.readTextFileSync(`${folder}/${name}`).split("\n");
    if (lines.pop() !== "") report.halfRows++;
    if (lines[0] !== HEADER_LINE) report.faults.push(`${name} does not begin with its header`);
    for (const line of lines) {
      if (line === HEADER_LINE) continue;
      if (!isEntryLine(line)) report.halfRows++;
      else entries.add(JSON.parse(line).args_hash);
    }
  }
  for (const { id } of ids("ledger")) {
    if (!entries.has(id)) report.faults.push(`ledger entry lost: ${id}`);
  }

  await judgeCache(folder, report);

  for (const { path = "", id } of ids("artifact")) {
    try {
      const file = await Deno.open(path);
      const text = await new Response(
        file.readable.pipeThrough(new DecompressionStream("gzip")),
      ).text();
      if (JSON.parse(text).id !== id) report.faults.push(`artifact of another call: ${path}`);
    } catch (error) {
      report.faults.push(`artifact ${id}: ${error}`);
    }
  }
  for (const { mac = "", id } of ids("marker")) {
    const marker = await Deno.readTextFile(`${folder}/confirmation-replay/${mac}`).catch(() => "");
    if (!/^[0-9]+$/.test(marker)) report.faults.push(`confirmation marker lost: ${id}`);
  }
}

async function judgeCache(folder: string, report: KillReport): Promise<void> {
  const state = await inspectCacheFile(folder);
  if (state.kind !== "ready") return void report.faults.push(`cache file is ${state.kind}`);
  const { DatabaseSync } = await import("node:sqlite");
  using database = new DatabaseSync(`${folder}/http-wal.db`);
  const check = database.prepare("PRAGMA integrity_check").get();
  if (check?.integrity_check !== "ok") report.faults.push(`cache: ${JSON.stringify(check)}`);
  let bytes = 0;
  for (const row of database.prepare("SELECT key, body, size_bytes FROM entry").iterate()) {
    bytes += Number(row.size_bytes);
    const body = JSON.parse(new TextDecoder().decode(row.body as Uint8Array));
    if (body.id !== row.key) report.faults.push(`cache row ${row.key} has another's body`);
  }
  const counted = database.prepare("SELECT value FROM counter WHERE name = 'bytes'").get();
  if (counted?.value !== bytes) report.faults.push(`cache counts ${counted?.value} of ${bytes}`);
}
