/** What the audit log's tests share: a folder, a clock to move, and what was logged. */

import type { JsonObject } from "../../json/mod.ts";
import type { LogFields } from "../../log/mod.ts";
import { type AuditLog, type AuditLogOptions, openAuditLog } from "../mod.ts";

/** A profile's data folder and the logs that are open on it. */
export interface Rig extends AsyncDisposable {
  folder: string;
  clock: { now(): number; sleep(): Promise<void>; advance(ms: number): void };
  logged: { message: string; fields: LogFields }[];
  open(options?: Partial<AuditLogOptions>): AuditLog;
  /** Rows of a file, parsed. */
  rows(name?: string): JsonObject[];
  /** Names in the folder, sorted. */
  names(): string[];
  sentinel(): string | undefined;
}

/** Makes a folder; it goes away with the rig, and open logs are closed. */
export async function openRig(): Promise<Rig> {
  const root = await Deno.makeTempDir({ prefix: "gum-audit-" });
  const folder = `${root}/gum/default`;
  const open: AuditLog[] = [];
  const logged: Rig["logged"] = [];
  let now = Date.parse("2026-05-23T14:30:00.123Z");
  const clock: Rig["clock"] = {
    now: () => now,
    sleep: () => Promise.resolve(),
    advance: (ms) => void (now += ms),
  };
  return {
    folder,
    logged,
    clock,
    open(options = {}) {
      const log = openAuditLog({
        directory: folder,
        profileName: "default",
        clock,
        log: { log: (_level, message, fields = {}) => logged.push({ message, fields }) },
        ...options,
      });
      open.push(log);
      return log;
    },
    rows: (name = "audit.jsonl") =>
      Deno.readTextFileSync(`${folder}/${name}`).split("\n").filter((line) => line !== "")
        .map((line) => JSON.parse(line)),
    names: () => [...Deno.readDirSync(folder)].map(({ name }) => name).sort(),
    sentinel() {
      try {
        return Deno.readTextFileSync(`${folder}/audit.broken`);
      } catch {
        return undefined;
      }
    },
    async [Symbol.asyncDispose]() {
      for (const log of open) await log.close();
      await Deno.remove(root, { recursive: true });
    },
  };
}

/** Holds the rotation lock of a folder until it is disposed of. */
export async function holdLock(folder: string): Promise<Disposable> {
  await Deno.mkdir(folder, { recursive: true });
  const file = await Deno.open(`${folder}/audit.jsonl.lock`, { create: true, write: true });
  await file.lock(true);
  return file;
}
