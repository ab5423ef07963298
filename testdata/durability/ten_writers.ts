/**
 * Ten processes write audit rows and ledger entries as fast as they can; nothing may be missing.
 *
 * deno run -A testdata/durability/ten_writers.ts [seconds]
 */

import { lastRows, openAuditLog, verifyAuditLog } from "../../lib/audit/mod.ts";
import { systemClock } from "../../lib/clock/mod.ts";
import { openLedger, summarizeLedger } from "../../lib/gain/mod.ts";
import { entry } from "../../lib/gain/testdata/rig.ts";

const WRITERS = 10;

if (Deno.args[0] === "--writer") await write(Deno.args[1] ?? "", Deno.args[2] ?? "", Number(Deno.args[3]));
else await supervise(Number(Deno.args[0] ?? 10));

async function write(folder: string, session: string, seconds: number): Promise<void> {
  const audit = openAuditLog({
    directory: folder,
    profileName: "default",
    clock: systemClock,
    maxBytes: 1024 * 1024,
    maxFiles: 100_000,
  });
  const ledger = openLedger({ directory: folder, clock: systemClock, rotateBytes: 1024 * 1024 });
  const end = performance.now() + seconds * 1000;
  let count = 0;
  for (; performance.now() < end; count++) {
    audit.append({ op_id: "a.b", writer: session, index: count });
    await ledger.append(entry({ session, request_tokens: count }));
  }
  await audit.close();
  await ledger.close();
  console.log(count);
}

async function supervise(seconds: number): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gum-ten-" });
  try {
    const counts = await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        const session = writer.toString(16).padStart(8, "0");
        const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
          args: ["run", "-A", "-q", import.meta.filename ?? "", "--writer", folder, session, `${seconds}`],
        }).output();
        if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
        return [session, Number(new TextDecoder().decode(stdout))] as const;
      }),
    );
    const { sessions = [] } = await summarizeLedger(folder, { mode: "summary" });
    const rows = new Map<unknown, number>();
    for (const row of await lastRows(folder, { count: Infinity })) {
      rows.set(row.writer, (rows.get(row.writer) ?? 0) + 1);
    }
    const { ok } = await verifyAuditLog(folder);
    const lost = counts.filter(([session, count]) =>
      rows.get(session) !== count ||
      sessions.find((known) => known.session === session)?.calls !== count
    );
    const detail = lost.map(([session, count]) => ({
      session,
      count,
      rows: rows.get(session),
      entries: sessions.find((known) => known.session === session)?.calls,
    }));
    const written = counts.reduce((sum, [, count]) => sum + count, 0);
    console.log(JSON.stringify({ seconds, writers: WRITERS, written, ok, lost: detail }, null, 2));
    if (!ok || lost.length > 0) Deno.exit(1);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
