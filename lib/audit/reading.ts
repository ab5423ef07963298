/** Reading an audit log: its last rows, and whether it is sound. */

import { isJsonObject, type JsonObject, type JsonValue } from "../json/mod.ts";
import { archiveNames, fileFacts, LIVE_FILE } from "./files.ts";
import { sentinelText } from "./sentinel.ts";

const CHUNK = 64 * 1024;

/** The last `count` rows that `keep` accepts, oldest first, over archives and the live file. */
export async function lastRows(
  directory: string,
  options: { count: number; keep?: (row: JsonObject) => boolean },
): Promise<JsonObject[]> {
  const { count, keep = () => true } = options;
  const found: JsonObject[] = [];
  using log = openLog(directory);
  for (const name of log.names.toReversed()) {
    using file = log.open(name);
    if (file === undefined) continue;
    for await (const line of linesBackwards(file)) {
      if (found.length >= count) return found.reverse();
      const row = parsedRow(line);
      if (row !== undefined && keep(row)) found.push(row);
    }
  }
  return found.reverse();
}

/** What {@link verifyAuditLog} found in one file. */
export type AuditFileReport = JsonObject & {
  file: string;
  rows: number;
  /** Lines that are no row: half-written ones, or foreign text. */
  unreadable: number;
  /** Numbers of the first of them, counted from 1. */
  unreadable_lines: number[];
};

/** Whether a profile's audit log is sound. */
export type AuditVerification = JsonObject & {
  ok: boolean;
  rows: number;
  files: AuditFileReport[];
  /** Text of the sentinel when the last write failed. */
  broken: string | null;
  /** Why the log could not be read to its end; null when it was. */
  failure: string | null;
};

/**
 * Reads every file of the log. Sound means: all of it can be read, each line is a row that begins
 * with its version, and no write has failed since the last one that landed.
 */
export async function verifyAuditLog(directory: string): Promise<AuditVerification> {
  const files: AuditFileReport[] = [];
  try {
    await readFiles(directory, files);
    return verification(files, { broken: await sentinelText(directory) ?? null, failure: null });
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    return verification(files, { broken: null, failure });
  }
}

function verification(
  files: AuditFileReport[],
  { broken, failure }: { broken: string | null; failure: string | null },
): AuditVerification {
  return {
    ok: broken === null && failure === null && files.every((file) => file.unreadable === 0),
    rows: files.reduce((sum, file) => sum + file.rows, 0),
    files,
    broken,
    failure,
  };
}

/** Adds a report for each file of the log. */
async function readFiles(directory: string, reports: AuditFileReport[]): Promise<void> {
  using log = openLog(directory);
  for (const name of log.names) {
    using file = log.open(name);
    if (file === undefined) continue;
    const report: AuditFileReport = { file: name, rows: 0, unreadable: 0, unreadable_lines: [] };
    let number = 0;
    for await (const line of linesForwards(file)) {
      number++;
      if (parsedRow(line) !== undefined) report.rows++;
      else {
        report.unreadable++;
        if (report.unreadable_lines.length < 10) report.unreadable_lines.push(number);
      }
    }
    reports.push(report);
  }
}

/** The files of a log as they were at one moment, whatever is moved or pruned after it. */
interface OpenLog extends Disposable {
  /** Archives, oldest first, then the live file. */
  names: string[];
  /** Undefined when the file has gone meanwhile, or is the live one under its next name. */
  open(name: string): Deno.FsFile | undefined;
}

/** The live file is opened before the others are listed: the rows of a rotation are in one of them. */
function openLog(directory: string): OpenLog {
  const path = `${directory}/${LIVE_FILE}`;
  let live = fileFacts(path)?.isFile ? openIfPresent(path) : undefined;
  const inode = live?.statSync().ino ?? undefined;
  const names = [...archiveNames(directory), ...(live === undefined ? [] : [LIVE_FILE])];
  return {
    names,
    open(name) {
      if (name === LIVE_FILE) {
        const file = live;
        live = undefined;
        return file;
      }
      const file = openIfPresent(`${directory}/${name}`);
      if (file === undefined || inode === undefined || file.statSync().ino !== inode) return file;
      file.close();
      return undefined;
    },
    [Symbol.dispose]() {
      live?.close();
      live = undefined;
    },
  };
}

function openIfPresent(path: string): Deno.FsFile | undefined {
  try {
    return Deno.openSync(path, { read: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Any key order is read; a row without `v` is of version 0, one of a later version is a row too. */
function parsedRow(line: string): JsonObject | undefined {
  let value: JsonValue;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined; // half a row, or foreign text
  }
  if (!isJsonObject(value) || typeof value.ts !== "string") return undefined;
  return typeof (value.v ?? 0) === "number" ? value : undefined;
}

/** Finished lines; a last line without its end comes too, and is no row unless it parses. */
async function* linesForwards(file: Deno.FsFile): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(CHUNK);
  let rest = "";
  for (let count = await file.read(buffer); count !== null; count = await file.read(buffer)) {
    const lines = (rest + decoder.decode(buffer.subarray(0, count), { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") yield line;
  }
  if (rest !== "") yield rest;
}

async function* linesBackwards(file: Deno.FsFile): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let end = (await file.stat()).size;
  let tail: Uint8Array<ArrayBuffer> = new Uint8Array();
  while (end > 0) {
    const start = Math.max(0, end - CHUNK);
    const bytes = new Uint8Array(end - start + tail.length);
    await file.seek(start, Deno.SeekMode.Start);
    for (let at = 0; at < end - start;) {
      const count = await file.read(bytes.subarray(at, end - start));
      if (count === null) break;
      at += count;
    }
    bytes.set(tail, end - start);
    // Bytes before the first newline may belong to a line that begins earlier.
    const cut = start === 0 ? 0 : bytes.indexOf(10) + 1;
    if (start > 0 && cut === 0) tail = bytes;
    else {
      const lines = decoder.decode(bytes.subarray(cut)).split("\n");
      for (const line of lines.reverse()) if (line !== "") yield line;
      tail = bytes.slice(0, cut);
    }
    end = start;
  }
}
