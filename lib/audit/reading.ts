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
  for (const name of auditFiles(directory).reverse()) {
    for await (const line of linesBackwards(`${directory}/${name}`)) {
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
  for (const name of auditFiles(directory)) {
    const report: AuditFileReport = { file: name, rows: 0, unreadable: 0, unreadable_lines: [] };
    let number = 0;
    for await (const line of linesForwards(`${directory}/${name}`)) {
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

/** Archives, oldest first, then the live file. */
function auditFiles(directory: string): string[] {
  const live = fileFacts(`${directory}/${LIVE_FILE}`);
  return [...archiveNames(directory), ...(live?.isFile ? [LIVE_FILE] : [])];
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
async function* linesForwards(path: string): AsyncGenerator<string> {
  using file = await Deno.open(path, { read: true });
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

async function* linesBackwards(path: string): AsyncGenerator<string> {
  using file = await Deno.open(path, { read: true });
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
