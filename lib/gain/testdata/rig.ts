/** What the ledger's tests share: a folder, a clock to move, calls to account for. */

import type { GainRecord } from "../../dispatch/types.ts";
import type { GainEntry } from "../entry.ts";
import { type Accounting, type AccountingOptions, openAccounting } from "../mod.ts";
import { createLineScanner } from "../line_scanner.ts";
import { createNameTable } from "../names.ts";

/** A profile's data folder with accounting over it. */
export interface Rig extends AsyncDisposable {
  folder: string;
  clock: { now(): number; sleep(): Promise<void>; advance(ms: number): void };
  logs: string[];
  open(options?: Partial<AccountingOptions>): Accounting;
  lines(name?: string): string[];
  entries(): (GainEntry & { record_type: string })[];
}

/** Makes a folder; it goes away with the rig, and accounting is closed. */
export async function openRig(): Promise<Rig> {
  const root = await Deno.makeTempDir({ prefix: "gum-gain-" });
  const folder = `${root}/gum/default`;
  const open: Accounting[] = [];
  const logs: string[] = [];
  let now = Date.parse("2026-05-23T14:30:00.123Z");
  const clock: Rig["clock"] = {
    now: () => now,
    sleep: () => Promise.resolve(),
    advance: (ms) => void (now += ms),
  };
  const lines = (name = "gain-ledger.jsonl") =>
    Deno.readTextFileSync(`${folder}/${name}`).split("\n").slice(0, -1);
  return {
    folder,
    clock,
    logs,
    open(options = {}) {
      const accounting = openAccounting({
        directory: folder,
        clock,
        log: { log: (_level, message) => logs.push(message) },
        ...options,
      });
      open.push(accounting);
      return accounting;
    },
    lines,
    entries: () =>
      lines().map((line) => JSON.parse(line)).filter((line) => line.record_type === "entry"),
    async [Symbol.asyncDispose]() {
      for (const accounting of open) await accounting.close();
      await Deno.remove(root, { recursive: true });
    },
  };
}

const encoder = new TextEncoder();

/** A call as the kernel reports it; bodies are given as text. */
export function call(
  extra: Partial<Omit<GainRecord, "rawBody" | "shapedBody">> & { raw?: string; shaped?: string } =
    {},
): GainRecord {
  const { raw = '{"files":[{"id":"a"},{"id":"b"}]}', shaped = "id\na\nb", ...rest } = extra;
  return {
    opId: "drive.files.list",
    variantId: "drive.v3.rest.files.list",
    profileName: "drive.files.list.v1",
    argsHash: "ab".repeat(32),
    fingerprint: "fp",
    request: { pageSize: 2 },
    rawBody: encoder.encode(raw),
    shapedBody: encoder.encode(shaped),
    cacheStatus: "miss",
    fieldMaskStatus: "applied",
    ...rest,
  };
}

/** An entry as the ledger holds it. */
export function entry(extra: Partial<GainEntry> = {}): GainEntry {
  return {
    session: "0a0b0c0d",
    op_id: "drive.files.list",
    variant_id: "drive.v3.rest.files.list",
    output_profile: null,
    args_hash: "ab".repeat(32),
    auth_subject_fingerprint: "",
    request_tokens: 5,
    response_tokens: 100,
    raw_tokens: 100,
    shaped_tokens: 20,
    cache_status: "miss",
    field_mask_status: "not_applicable",
    served_from_cache: false,
    is_retry: false,
    op_family: "drive.files",
    baseline_method: "estimated",
    ts: "2026-05-23T14:30:00.123Z",
    ...extra,
  };
}

/** Whether a line, its newline left out, is an entry. */
export function isEntryLine(line: string): boolean {
  const bytes = new TextEncoder().encode(line);
  return createLineScanner(createNameTable(), { time: false })
    .scan(bytes, { start: 0, end: bytes.length });
}
