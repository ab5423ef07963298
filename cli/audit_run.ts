/** What the `gum audit` commands print. */

import { type AuditVerification, lastRows, verifyAuditLog } from "../lib/audit/mod.ts";
import { baseDirectories, profileDirectories } from "../lib/config/directories.ts";
import { visibleText } from "../lib/format/text/mod.ts";
import type { JsonObject, JsonValue } from "../lib/json/mod.ts";
import { choiceOf } from "./choices.ts";
import { FailedReport, invalidArg } from "./errors.ts";
import type { CommandContext } from "./types.ts";

const MOST_LINES = 100_000;

/** Runs `gum audit tail`: one JSON object a line, or columns for people. */
export async function runTail(context: CommandContext): Promise<void> {
  const { host, flags } = context;
  const format = choiceOf(context.flags, { flag: "format", choices: ["text", "json"] });
  const count = flags.integer("lines") ?? 0;
  if (count < 1 || count > MOST_LINES) {
    throw invalidArg("--lines", `must be from 1 to ${MOST_LINES}`);
  }
  const op = flags.text("op");
  const failed = flags.on("failed");
  const rows = await lastRows(dataFolder(context), {
    count,
    keep: (row) =>
      (op === undefined || row.op_id === op) && (!failed || row.error_code !== undefined),
  });
  if (!flags.changed("format") && host.isTerminal("stdout") && rows.length > 0) {
    const [{ renderForTerminal }, { stylesFor, terminalWidth }] = await Promise.all([
      import("./terminal_table.ts"),
      import("./terminal_text.ts"),
    ]);
    const look = {
      width: terminalWidth(host),
      styles: stylesFor(host, "stdout"),
      now: host.factories.clock.now(),
      whole: "--format json",
    };
    return host.stdout.write(renderForTerminal(rows.map(rowRecord), look));
  }
  const line = format === "json" ? (row: JsonObject) => JSON.stringify(row) : rowText;
  host.stdout.write(rows.map((row) => line(row) + "\n").join(""));
}

/** Runs `gum audit verify`. */
export async function runVerify(context: CommandContext): Promise<void> {
  const { host } = context;
  const format = choiceOf(context.flags, { flag: "format", choices: ["text", "json"] });
  const verification = await verifyAuditLog(dataFolder(context));
  host.stdout.write(
    format === "json" ? JSON.stringify(verification, null, 2) + "\n" : report(verification),
  );
  if (!verification.ok) throw new FailedReport("the audit log is not whole");
}

function dataFolder(context: CommandContext): string {
  return profileDirectories(baseDirectories(context.host.environment), context.profile).data;
}

/** A row for a person: what was called, how it went, and when. */
function rowRecord(row: JsonObject): JsonObject {
  const what = typeof row.event === "string" ? row.event : row.op_id ?? "";
  return {
    name: what,
    result: typeof row.event === "string" ? "event" : row.error_code ?? "ok",
    time: row.ts ?? "",
    risk: row.risk_class ?? "",
    client: row.client_id ?? "",
    ...(row.resource_key === undefined ? {} : { resource: row.resource_key }),
  };
}

function rowText(row: JsonObject): string {
  const cells = typeof row.event === "string"
    ? [row.ts, "event", row.event]
    : [row.ts, row.client_id, row.risk_class, row.op_id, row.error_code ?? "ok", row.resource_key];
  return cells.filter((cell) => cell !== undefined).map(cellText).join("  ");
}

function cellText(cell: JsonValue | undefined): string {
  return visibleText(typeof cell === "string" ? cell : JSON.stringify(cell));
}

function report(verification: AuditVerification): string {
  const lines = verification.files.map(({ file, rows, unreadable, unreadable_lines: where }) => {
    const trouble = unreadable === 0
      ? ""
      : `, ${unreadable} unreadable (line ${where.join(", ")}${
        unreadable > where.length ? ", …" : ""
      })`;
    return `[${unreadable === 0 ? "ok" : "FAIL"}] ${file}: ${rows} rows${trouble}`;
  });
  if (verification.broken !== null) {
    lines.push(`[FAIL] the last row was not written: ${visibleText(verification.broken)}`);
  }
  if (verification.failure !== null) {
    lines.push(`[FAIL] the log cannot be read: ${visibleText(verification.failure)}`);
  }
  lines.push(
    verification.ok
      ? `The audit log is whole: ${verification.rows} rows, none cut off or malformed. It carries no ` +
        "seal: who may write the file may change it."
      : "The audit log is NOT whole.",
  );
  return lines.join("\n") + "\n";
}
