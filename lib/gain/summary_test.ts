import assert from "node:assert/strict";
import fc from "fast-check";
import { isGumError } from "../errors/mod.ts";
import { entryLine, type GainEntry } from "./entry.ts";
import { CACHE_STATUSES, createLineScanner, MASK_STATUSES } from "./line_scanner.ts";
import {
  chartLedger,
  gainCsv,
  gainJson,
  type GainQuery,
  gainReportPage,
  gainText,
  type GainView,
  HEADER_LINE,
  type HistoryGain,
  savedPercent,
  summarizeLedger,
  viewLedger,
} from "./mod.ts";
import { createNameTable } from "./names.ts";
import { entry } from "./testdata/rig.ts";

const textOf = (view: GainView) => [...gainText(view)].join("");
const csvOf = (view: GainView) => [...gainCsv(view)].join("");
const jsonOf = (view: GainView) => [...gainJson(view)].join("");

type Lines = (Partial<GainEntry> | string)[];

/** Writes lines to a ledger for the time of `read`. */
async function withLedger<T>(lines: Lines, read: (folder: string) => Promise<T>): Promise<T> {
  const folder = await Deno.makeTempDir({ prefix: "gum-gain-" });
  try {
    const text = lines.map((line) => typeof line === "string" ? line : entryLine(entry(line)));
    await Deno.writeTextFile(`${folder}/gain-ledger.jsonl`, HEADER_LINE + "\n" + text.join(""));
    return await read(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const summaryOf = (lines: Lines, query: GainQuery = { mode: "summary" }) =>
  withLedger(lines, (folder) => summarizeLedger(folder, query));

const OUTER = {
  op_id: "gum_parallel",
  op_family: "gum_parallel",
  variant_id: null,
  request_tokens: 30,
  response_tokens: 12,
  raw_tokens: 0,
  shaped_tokens: 42,
  batch_id: "01020304",
  element_count: 2,
} as const;

Deno.test("TestGainSummaryModeEmitsSessions: totals, and a row for each session as it first appears", async () => {
  const result = await summaryOf([
    { session: "aaaaaaaa", op_family: "b.b" },
    { session: "bbbbbbbb", raw_tokens: 50, shaped_tokens: 60 },
    { session: "aaaaaaaa", op_family: "a.a" },
  ]);
  assert.deepEqual(result, {
    mode: "summary",
    window: "last-30-sessions",
    baseline_tokens: 250,
    actual_tokens: 100,
    savings_tokens: 150,
    savings_pct: 60,
    end_to_end_savings: null,
    batch_envelope_overhead: 0,
    tokenizer: "cl100k_base",
    per_op_shaping_savings: 60,
    sessions: [
      {
        session: "aaaaaaaa",
        calls: 2,
        baseline_tokens: 200,
        actual_tokens: 40,
        savings_pct: 80,
        op_families: ["a.a", "b.b"],
      },
      {
        session: "bbbbbbbb",
        calls: 1,
        baseline_tokens: 50,
        actual_tokens: 60,
        savings_pct: -20,
        op_families: ["drive.files"],
      },
    ],
  });
});

Deno.test("TestGainSummarySessionsAggregatePerSession: the thirty sessions used last, whole", async () => {
  const name = (index: number) => index.toString(16).padStart(8, "0");
  const lines = Array.from({ length: 40 }, (_, index) => ({ session: name(index) }));
  const result = await summaryOf([...lines, { session: name(3) }]);
  const sessions = result.sessions ?? [];
  assert.equal(sessions.length, 30);
  assert.deepEqual([sessions[0]?.session, sessions[0]?.calls], [name(3), 2]);
  assert.deepEqual(
    sessions.slice(1).map(({ session }) => session),
    lines.slice(11).map((l) => l.session),
  );
  assert.equal(result.baseline_tokens, 3_100);
  const since = await summaryOf(lines, { mode: "summary", since: 0 });
  assert.equal(since.sessions?.length, 40);
  assert.equal(since.window, "since:1970-01-01T00:00:00Z");
});

Deno.test("TestGainSessionHistoryAndRetryFilters: bounds are inclusive, rows without a time always count", async () => {
  const at = (ts: string, extra: Partial<GainEntry> = {}) => ({ ts, ...extra });
  const lines = [
    at("2026-05-01T00:00:00.000Z"),
    at("2026-05-02T02:00:00+02:00", { is_retry: true }),
    at("2026-05-03T00:00:00.000Z", { session: "bbbbbbbb", op_id: "x.y", op_family: "x" }),
    at("no time"),
    at("2026-05-02T00:00:00"),
  ];
  const calls = async (query: Partial<GainQuery>) =>
    (await summaryOf(lines, { mode: "summary", byOp: true, ...query } as GainQuery)).by_tool
      ?.reduce((sum, row) => sum + row.calls, 0);
  const second = Date.parse("2026-05-02T00:00:00Z");
  assert.equal(await calls({ since: second }), 4);
  assert.equal(await calls({ until: second }), 4);
  assert.equal(await calls({ since: second, until: second }), 3);
  assert.equal(await calls({ excludeRetries: true }), 4);
  const session = await summaryOf(lines, { mode: "session", session: "bbbbbbbb" });
  assert.deepEqual([session.window, session.operations?.length], ["session:bbbbbbbb", 1]);
  assert.equal(session.sessions, undefined);
  const unknown = await summaryOf(lines, { mode: "session", session: "cccccccc" });
  assert.deepEqual([unknown.operations, unknown.savings_pct], [[], null]);
  const history = await summaryOf(lines, { mode: "history" });
  assert.deepEqual(history.history?.map(({ session, op_family }) => [session, op_family]), [
    ["0a0b0c0d", "drive.files"],
    ["bbbbbbbb", "x"],
  ]);
  assert.equal(history.window, "history");
});

Deno.test("a session's operations are grouped by how they ended", async () => {
  const { operations } = await summaryOf([
    {},
    { cache_status: "hit" },
    {},
    { field_mask_status: "applied" },
  ], { mode: "session", session: "0a0b0c0d" });
  assert.deepEqual(
    operations?.map((row) => [row.calls, row.cache_status, row.field_mask_status]),
    [[2, "miss", "not_applicable"], [1, "hit", "not_applicable"], [1, "miss", "applied"]],
  );
});

Deno.test("TestGainEndToEndSavingsIncludesBatchEnvelope: outer rows weigh in, and are shown apart", async () => {
  const fixture = { baseline_method: "fixture_replay" } as const;
  const result = await summaryOf([fixture, { ...OUTER, ...fixture }]);
  assert.equal(result.end_to_end_savings, 38);
  assert.equal(result.per_op_shaping_savings, 80);
  assert.equal(result.batch_envelope_overhead, 42);
});

Deno.test("TestGainEndToEndSavingsExcludesEstimatedEntries: live calls prove nothing", async () => {
  assert.equal((await summaryOf([{}, {}])).end_to_end_savings, null);
  const mixed = await summaryOf([{}, { baseline_method: "fixture_replay", shaped_tokens: 50 }]);
  assert.equal(mixed.end_to_end_savings, 50);
});

Deno.test("foreign, half-written and later lines: skipped or understood, never fatal", async () => {
  const later = JSON.stringify({
    ...entry({ op_id: 'quoted"op' }),
    record_type: "entry",
    novel: 1,
  });
  const result = await summaryOf([
    "\n",
    "not json\n",
    HEADER_LINE + "\n",
    '{"record_type":"other"}\n',
    '{"record_type":"entry","session":"0a0b0c0d","op_id":"cut',
    "\n",
    later + "\n",
    entryLine(entry()),
    entryLine(entry()).slice(0, -20),
  ]);
  assert.equal(result.sessions?.[0]?.calls, 2);
});

/** What a scanner makes of one line, names in words. */
function scanned(line: string) {
  const names = createNameTable();
  const scanner = createLineScanner(names, { time: true });
  // Bytes of another line behind it must not matter.
  const bytes = new TextEncoder().encode(`,${line}"}\n{"record_type"`);
  const end = new TextEncoder().encode(line).length + 1;
  if (!scanner.scan(bytes, { start: 1, end })) return undefined;
  const { op, family, ...row } = scanner.row;
  return { ...row, op: names.nameOf(op), family: names.nameOf(family) };
}

Deno.test("a line that is cut anywhere, or has one byte wrong, is no other entry", () => {
  const line = entryLine(entry({ error_code: "SERVICE_DOWN", batch_id: "01020304" })).trimEnd();
  for (let length = 0; length < line.length; length++) {
    assert.equal(scanned(line.slice(0, length)), undefined, `${length}`);
  }
  for (
    const [from, to] of [
      ['"raw_tokens":100', '"raw_tokens":0100'],
      ['"raw_tokens":100', '"raw_tokens":1e2x'],
      ['"raw_tokens":100', '"raw_tokens":99999999999999999999'],
      ['"cache_status":"miss"', '"cache_status":"missing"'],
      ['"session":"0a0b0c0d"', '"session":"0A0B0C0D"'],
      ['"op_family":"drive.files"', '"op_family":"drive\tfiles"'],
      ['"is_retry":false', '"is_retry":falsey'],
    ] as const
  ) {
    assert.ok(line.includes(from), from);
    assert.equal(scanned(line.replace(from, to)), undefined, to);
  }
});

Deno.test("lines longer than what is read at once, and files without an end, are read alike", async () => {
  const long = { op_id: "x".repeat(700_000), op_family: "y" };
  const lines = [{}, long, {}, long, { op_id: "z.z", op_family: "z" }];
  const text = lines.map((line) => entryLine(entry(line)));
  const result = await summaryOf([...text, entryLine(entry(long)).slice(0, 300_000)], {
    mode: "summary",
    byOp: true,
  });
  assert.deepEqual(
    result.by_tool?.map(({ tool, calls }) => [tool.slice(0, 20), calls]),
    [["drive.files.list", 2], ["x".repeat(20), 2], ["z.z", 1]],
  );
});

Deno.test("groups come in the order of the ledger, however many there are", async () => {
  const count = 5_000;
  const session = (index: number) =>
    (Math.imul(index, 2_654_435_761) >>> 0).toString(16).padStart(8, "0");
  const lines = Array.from({ length: count }, (_, index) => ({
    session: session(index % 4_500),
    op_family: `family${index % 301}`,
  }));
  const summary = await summaryOf(lines, { mode: "summary", since: 0 });
  assert.deepEqual(
    summary.sessions?.map((row) => row.session),
    Array.from({ length: 4_500 }, (_, index) => session(index)),
  );
  assert.deepEqual(summary.sessions?.[7]?.op_families, ["family293", "family7"]);
  assert.deepEqual(summary.sessions?.[700]?.op_families, ["family98"]);
  const { history } = await summaryOf(lines, { mode: "history" });
  assert.deepEqual(
    history?.map((row) => `${row.session} ${row.op_family}`),
    [...new Set(lines.map((line) => `${line.session} ${line.op_family}`))],
  );
});

Deno.test("a view can be gone through again, and its json is that of the whole result", async () => {
  const lines = Array.from({ length: 600 }, (_, index) => ({
    session: index.toString(16).padStart(8, "0"),
    op_family: `family${index % 3}`,
  }));
  for (
    const query of [
      { mode: "summary", since: 0, byOp: true },
      { mode: "history" },
      { mode: "session", session: "00000001" },
      { mode: "session", session: "ffffffff" },
    ] as const
  ) {
    await withLedger(lines, async (folder) => {
      const view = await viewLedger(folder, query);
      const whole = JSON.stringify(await summarizeLedger(folder, query), null, 2) + "\n";
      assert.equal(jsonOf(view), whole);
      assert.equal(jsonOf(view), whole);
    });
  }
});

Deno.test("a report of more rows than a call takes arguments is written in pieces", async () => {
  const history: Iterable<HistoryGain> = {
    *[Symbol.iterator]() {
      for (let index = 0; index < 200_000; index++) {
        yield {
          session: index.toString(16).padStart(8, "0"),
          op_family: "drive.files",
          baseline_tokens: index,
          actual_tokens: 1,
          savings_pct: savedPercent(index, 1),
        };
      }
    },
  };
  const { sessions: _, ...totals } = await summaryOf([{}]);
  const view: GainView = { ...totals, mode: "history", window: "history", history };
  for (const [form, lines] of [[gainText, 200_007], [gainCsv, 200_001]] as const) {
    let found = 0;
    for (const piece of form(view)) {
      assert.ok(piece.length < 200_000);
      found += piece.split("\n").length - 1;
    }
    assert.equal(found, lines);
  }
});

Deno.test("the fast way of reading a line and JSON.parse agree on every entry", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 12 });
  const count = fc.nat(1_000_000);
  fc.assert(fc.property(
    fc.record({
      op_id: text,
      op_family: text,
      raw_tokens: count,
      shaped_tokens: count,
      request_tokens: count,
      response_tokens: count,
      is_retry: fc.boolean(),
      cancelled: fc.constantFrom(undefined, true as const),
      error_code: fc.constantFrom(undefined, "SERVICE_DOWN"),
      batch_id: fc.constantFrom(undefined, "01020304"),
      variant_id: fc.option(text),
      baseline_method: fc.constantFrom("estimated" as const, "fixture_replay" as const),
      cache_status: fc.constantFrom(...CACHE_STATUSES),
      field_mask_status: fc.constantFrom(...MASK_STATUSES),
      benchmark_fixture_id: fc.constantFrom(undefined, "write/001-é"),
      batch_index: fc.constantFrom(undefined, 0, 12),
      element_count: fc.constantFrom(undefined, 3),
      ts: fc.constantFrom(
        "2026-05-23T14:30:00.123Z",
        "2026-12-31T23:59:59.999Z",
        "2026-02-29T10:00:00.000Z",
        "2026-05-23T24:00:00.000Z",
        "2026-05-23T14:30:60.000Z",
        "2026-05-23T16:30:00+02:00",
      ),
    }),
    (extra) => {
      const line = entryLine(entry(extra)).trimEnd();
      const shuffled = JSON.stringify(
        Object.fromEntries(Object.entries(JSON.parse(line)).reverse()),
      );
      const written = scanned(line);
      assert.deepEqual(written, scanned(shuffled));
      assert.equal(written?.rawTokens, extra.raw_tokens);
      assert.deepEqual([written?.op, written?.family], [extra.op_id, extra.op_family]);
      assert.equal(written?.time, Date.parse(extra.ts));
    },
  ));
});

Deno.test("GAIN_LEDGER_UNAVAILABLE: a ledger that cannot be read is not an empty one", async () => {
  const folder = await Deno.makeTempDir();
  try {
    assert.equal((await summarizeLedger(`${folder}/none`, { mode: "summary" })).baseline_tokens, 0);
    await Deno.writeTextFile(`${folder}/file`, "");
    await Deno.mkdir(`${folder}/odd/gain-ledger.jsonl`, { recursive: true });
    for (const directory of [`${folder}/file/below`, `${folder}/file`, `${folder}/odd`]) {
      await assert.rejects(summarizeLedger(directory, { mode: "summary" }), (error) => {
        assert.ok(isGumError(error, "GAIN_LEDGER_UNAVAILABLE"), String(error));
        return true;
      }, directory);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("percentages are rounded half away from zero", () => {
  assert.deepEqual(
    [savedPercent(0, 5), savedPercent(3, 2), savedPercent(3, 4), savedPercent(20_000, 19_999)],
    [null, 33.33, -33.33, 0.01],
  );
});

Deno.test("TestGainTextRendersEveryMode: five lines of totals, then rows drawn to scale", async () => {
  const lines = [{ raw_tokens: 12_345 }, {
    session: "bbbbbbbb",
    raw_tokens: 100,
    shaped_tokens: 300,
  }];
  const text = textOf(await summaryOf(lines));
  assert.deepEqual(text.split("\n").slice(0, 6), [
    "window      last-30-sessions, counted as cl100k_base",
    "baseline    12,445 tokens",
    "actual      320 tokens",
    "saved       12,125 tokens (97.43 %)",
    "end to end  n/a (no fixture-backed rows)",
    "",
  ]);
  const rows = text.split("\n").slice(6);
  assert.match(rows[0] ?? "", /^session +calls +baseline_tokens .* █ sent ░ saved$/);
  assert.match(rows[1] ?? "", /^0a0b0c0d +1 +12,345 +20 +99\.84 % +drive\.files +█░{23}$/);
  assert.match(rows[2] ?? "", /-200\.00 % +drive\.files +█$/);
  for (
    const query of [
      { mode: "history" },
      { mode: "session", session: "bbbbbbbb" },
      { mode: "summary", byOp: true },
    ] as const
  ) {
    assert.match(textOf(await summaryOf(lines, query)), /\n\n\S.*baseline_tokens/);
  }
  assert.match(textOf(await summaryOf([OUTER])), /^batches +42 tokens of overhead$/m);
  assert.deepEqual(textOf(await summaryOf([])).split("\n").slice(1), [
    "baseline    0 tokens",
    "actual      0 tokens",
    "saved       0 tokens (n/a)",
    "end to end  n/a (no fixture-backed rows)",
    "",
  ]);
});

Deno.test("TestGainCSVEmitsOneRowPerDetailRow: the columns of each mode, quoted where needed", async () => {
  const lines = [
    { op_family: "b" },
    { op_family: 'a,"x' },
    { session: "bbbbbbbb", raw_tokens: 0, shaped_tokens: 0 },
  ];
  assert.equal(
    csvOf(await summaryOf(lines)),
    "session,calls,baseline_tokens,actual_tokens,savings_pct,op_families\n" +
      '0a0b0c0d,2,200,40,80,"a,""x;b"\n' +
      "bbbbbbbb,1,0,0,,drive.files\n",
  );
  assert.equal(
    csvOf(await summaryOf([{}], { mode: "session", session: "0a0b0c0d" })),
    "op_id,op_family,calls,baseline_tokens,actual_tokens,cache_status,field_mask_status\n" +
      "drive.files.list,drive.files,1,100,20,miss,not_applicable\n",
  );
  assert.equal(
    csvOf(await summaryOf([{}], { mode: "history" })),
    "session,op_family,baseline_tokens,actual_tokens,savings_pct\n" +
      "0a0b0c0d,drive.files,100,20,80\n",
  );
});

Deno.test("TestGainByOpCSVCarriesEveryOp: sorted, savings empty where there is no baseline", async () => {
  const lines = [{ op_id: "z.z" }, { op_id: "a.a", raw_tokens: 0, shaped_tokens: 0 }, {
    op_id: "z.z",
  }];
  assert.equal(
    csvOf(await summaryOf(lines, { mode: "summary", byOp: true })),
    "op_id,calls,baseline_tokens,actual_tokens,savings_tokens,savings_pct\n" +
      "a.a,1,0,0,,\n" +
      "z.z,2,200,40,160,80\n",
  );
});

/** The report page over some lines. */
const pageOf = (lines: Lines, profileName = "default") =>
  withLedger(lines, async (folder) =>
    gainReportPage({
      ...await chartLedger(folder, { mode: "summary", byOp: true }),
      profileName,
      madeAt: 0,
    }));

Deno.test("the HTML report stands alone: nothing is loaded, nothing is taken for markup", async () => {
  const page = await pageOf([
    { op_id: "<script>&'\"", op_family: "<img>" },
    { op_id: "b.b", raw_tokens: 5_000, cache_status: "hit" },
  ], "work<");
  assert.ok(!/<script|<img/.test(page));
  assert.ok(!/(src|href)=|url\(|@import/.test(page));
  assert.ok(page.includes("&#60;script&#62;&#38;&#39;&#34;") && page.includes("work&#60;"));
  assert.ok(page.includes("99.60 % saved, 1 call"));
  // A bar for each operation and a column for the one hour.
  assert.equal(page.match(/<g>/g)?.length, 3);
  assert.match(page, /Served from cache<\/dt><dd>50\.00 %/);
  assert.match(await pageOf([]), /Nothing was recorded/);
});

Deno.test("the HTML report stays of a size to look at, whatever the ledger holds", async () => {
  const lines = Array.from({ length: 3_000 }, (_, index) => ({
    session: (index % 25).toString(16).padStart(8, "0"),
    op_id: `service.resource${index % 700}.list`,
    op_family: `service.resource${index % 700}`,
    raw_tokens: index,
    shaped_tokens: index % 9 === 0 ? 5_000 : 10,
    ts: new Date(Date.UTC(2024, 0, 1) + index * 7_000_000).toISOString(),
  }));
  const page = await pageOf(lines);
  assert.match(page, /675 others/);
  assert.match(page, /more than the unshaped answer/);
  assert.match(page, /2024-01-01: /);
  assert.ok((page.match(/<g>/g)?.length ?? 0) < 100);
  assert.ok(!/NaN|Infinity|undefined/.test(page));
});
