/**
 * From the plan of the release fixtures to their calls. `plan.json` says what to record and by which
 * rules; the seed decides the rest. Neither looks at a figure of a replay.
 *
 * @module
 */

import type { Category } from "../lib/gain/replay/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../lib/json/mod.ts";
import { valueAt } from "./fidelity_plan.ts";

/** The plan, in the folder of what is recorded from it. */
const RELEASE_PLAN_FILE: URL = new URL(
  "../testdata/release_fixtures/plan.json",
  import.meta.url,
);

/** A planned call; `naive` is what a caller without GUM sends on top. */
export interface PlannedRequest {
  op: string;
  args: JsonObject;
  naive?: JsonObject;
  /** Answer it with this error instead. */
  error?: number;
}

/** What the plan is carried out with. */
export interface PlanRecorder {
  /** A call whose answer only leads to others. */
  look(op: string, args: JsonObject): Promise<JsonValue>;
  /** Records a call; the whole answer. */
  call(category: Category, request: PlannedRequest): Promise<JsonValue>;
  /** Records two to four calls as a batch. */
  batch(...requests: PlannedRequest[]): Promise<void>;
}

/** One way of calling an operation. */
export interface Way {
  /** `$pool` stands for an id of that pool, `$tab` for the first tab of the sheet beside it. */
  args: JsonObject;
  /** How often, against the other ways; default 1. */
  weight?: number;
  error?: number;
  /** The answer's value at a path joins a pool. */
  gives?: { pool: string; at: (string | number)[] };
}

/** An operation of the plan. */
export interface PlannedOperation {
  /** Arguments of every way. */
  args?: JsonObject;
  /** What the naive caller sends on top, unless the caller names the fields itself. */
  naive?: JsonObject;
  /** Leaf fields that a default answer of the service carries, as a field mask; `*` for any. */
  carries: string;
  ways: Way[];
}

interface SingleCategory {
  /** How often the specification's table names each operation. */
  calls: Record<string, number>;
  /** Operations that stand in for calls above the share of one operation. */
  rest: string[];
  total: number;
}

interface BatchCategory {
  /** Number of elements, number of batches. */
  sizes: [number, number][];
  of_one_kind: number;
  /** Statuses of failing elements, each in a batch of its own. */
  errors: number[];
  total: number;
}

/** `plan.json`. */
export interface ReleasePlan {
  schema_version: 1;
  seed: string;
  /** For readers. */
  rules: string[];
  share_of_one_operation: number;
  rows_of_a_batch_element: number;
  pools: Record<string, { values: string[] } | { op: string; args: JsonObject; ids: string[] }>;
  categories: Record<Exclude<Category, "gum_parallel_batch">, SingleCategory> & {
    gum_parallel_batch: BatchCategory;
  };
  operations: Record<string, PlannedOperation>;
}

/** A call before its ids are known. */
export interface ComposedCall {
  op: string;
  way: Way;
}

/** What the set will be made of. */
export interface ComposedSet {
  calls: { category: Category; call: ComposedCall }[];
  batches: ComposedCall[][];
}

/** Reads the plan. */
export function readReleasePlan(): ReleasePlan {
  return JSON.parse(Deno.readTextFileSync(RELEASE_PLAN_FILE)) as ReleasePlan;
}

const SINGLES = ["workspace_toon_read", "non_workspace_read", "write_destructive"] as const;

/** Decides every call of the set, ids apart; the same plan gives the same set. */
export function composeSet(plan: ReleasePlan): ComposedSet {
  const { workspace_toon_read, non_workspace_read, write_destructive, gum_parallel_batch } =
    plan.categories;
  const parts = { workspace_toon_read, non_workspace_read, write_destructive };
  const total = gum_parallel_batch.total +
    SINGLES.reduce((sum, category) => sum + parts[category].total, 0);
  const most = Math.floor(plan.share_of_one_operation * total);
  const calls = SINGLES.flatMap((category) =>
    countsOf(parts[category], { most, draw: drawing(plan.seed, `rest ${category}`) })
      .flatMap(([op, count]) =>
        apportioned(operation(plan, op).ways, count)
          .map((way) => ({ category, call: { op, way } }))
      )
  );
  return { calls, batches: composeBatches(plan, calls) };
}

/** How often each operation is called alone: the table, cut to the share, filled from the rest. */
function countsOf(
  category: SingleCategory,
  how: { most: number; draw: Drawing },
): [string, number][] {
  const table = Object.entries(category.calls)
    .map(([op, count]): [string, number] => [op, Math.min(count, how.most)]);
  const missing = category.total - table.reduce((sum, [, count]) => sum + count, 0);
  const drawn = how.draw.shuffled(category.rest).slice(0, missing);
  if (drawn.length < missing) throw new Error("the rest is too short");
  return [...table, ...drawn.sort().map((op): [string, number] => [op, 1])];
}

/** Ways for `count` calls in proportion to their weights, by largest remainder, in listed order. */
export function apportioned(ways: readonly Way[], count: number): Way[] {
  const sum = ways.reduce((total, { weight = 1 }) => total + weight, 0);
  const shares = ways.map(({ weight = 1 }, index) => {
    const exact = count * weight / sum;
    return { index, whole: Math.floor(exact), left: exact - Math.floor(exact) };
  });
  let open = count - shares.reduce((total, { whole }) => total + whole, 0);
  for (const share of shares.toSorted((a, b) => b.left - a.left || a.index - b.index)) {
    if (open === 0) break;
    share.whole++;
    open--;
  }
  return shares.flatMap(({ index, whole }) => Array<Way>(whole).fill(ways[index] as Way));
}

function composeBatches(
  plan: ReleasePlan,
  alone: readonly { category: Category; call: ComposedCall }[],
): ComposedCall[][] {
  const { sizes, of_one_kind, errors, total } = plan.categories.gum_parallel_batch;
  const draw = drawing(plan.seed, "batches");
  const left = draw.shuffled(
    sizes.flatMap(([size, count]) => Array<number>(count).fill(size)),
  );
  if (left.length !== total) throw new Error("the sizes of the batches do not add up");
  const counts = new Map<string, number>();
  for (const { call } of alone) counts.set(call.op, (counts.get(call.op) ?? 0) + 1);
  const elements = left.reduce((sum, size) => sum + size, 0);
  const most = Math.floor(plan.share_of_one_operation * (alone.length + elements));
  const reads = [
    ...new Set(
      alone.filter(({ category }) => category !== "write_destructive").map(({ call }) => call.op),
    ),
  ].sort();
  const waysOf = (op: string) =>
    operation(plan, op).ways.filter((way) =>
      way.error === undefined && rowsOf(way) <= plan.rows_of_a_batch_element
    );
  const room = (op: string) => waysOf(op).length === 0 ? 0 : most - (counts.get(op) ?? 0);
  const take = (op: string, ways = waysOf(op)): ComposedCall => {
    counts.set(op, (counts.get(op) ?? 0) + 1);
    return { op, way: draw.one(ways) };
  };
  // An operation is drawn as often as the set calls it: a batch holds what single calls hold.
  const often = new Map(counts);
  const drawn = (ops: readonly string[]) =>
    draw.one(ops.flatMap((op) => Array<string>(often.get(op) ?? 1).fill(op)));
  const batches = left.map((size, index) => {
    if (index < of_one_kind) {
      const named = (op: string) => waysOf(op).filter(namesAnId);
      const op = drawn(reads.filter((op) => room(op) >= size && named(op).length > 0));
      return Array.from({ length: size }, () => take(op, named(op)));
    }
    const batch: ComposedCall[] = [];
    while (batch.length < size) {
      const open = reads.filter((op) => room(op) > 0 && batch.every((call) => call.op !== op));
      const fresh = open.filter((op) =>
        batch.every((call) => serviceOf(call.op) !== serviceOf(op))
      );
      batch.push(take(drawn(fresh.length > 0 ? fresh : open)));
    }
    return batch;
  });
  const mixed = draw.shuffled(batches.slice(of_one_kind));
  errors.forEach((error, index) => {
    const batch = mixed[index];
    if (batch === undefined) throw new Error("more errors than batches");
    const at = Math.floor(draw.next() * batch.length);
    const call = batch[at] as ComposedCall;
    batch[at] = { ...call, way: { ...call.way, error } };
  });
  return batches;
}

function serviceOf(op: string): string {
  return op.split(".")[0] ?? "";
}

/** Rows that a way asks for. */
function rowsOf(way: Way): number {
  const { maxResults, pageSize, maxResultCount, rowLimit, num, range } = way.args;
  const last = typeof range === "string" ? /[0-9]+$/.exec(range)?.[0] : undefined;
  return Math.max(
    0,
    ...[maxResults, pageSize, maxResultCount, rowLimit, num, last].map((size) => Number(size ?? 0)),
  );
}

function namesAnId(way: Way): boolean {
  return Object.values(way.args).some((value) => typeof value === "string" && value[0] === "$");
}

function operation(plan: ReleasePlan, op: string): PlannedOperation {
  const found = plan.operations[op];
  if (found === undefined) throw new Error(`the plan does not say how to call ${op}`);
  return found;
}

interface Drawing {
  next(): number;
  one<T>(values: readonly T[]): T;
  shuffled<T>(values: readonly T[]): T[];
}

/** A stream of draws of its own for each purpose, so that one does not move another. */
function drawing(seed: string, purpose: string): Drawing {
  // FNV-1a over seed and purpose, then mulberry32.
  let state = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(`${seed}\0${purpose}`)) {
    state = Math.imul(state ^ byte, 0x01000193);
  }
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    one<T>(values: readonly T[]): T {
      if (values.length === 0) throw new Error(`nothing to draw for ${purpose}`);
      return values[Math.floor(next() * values.length)] as T;
    },
    shuffled<T>(values: readonly T[]): T[] {
      return values.map((value) => ({ value, key: next() }))
        .sort((left, right) => left.key - right.key).map(({ value }) => value);
    },
  };
}

/** Carries the plan out, in order: reads, batches, writes. */
export async function planReleaseSet(
  recorder: PlanRecorder,
  plan: ReleasePlan = readReleasePlan(),
): Promise<void> {
  const { calls, batches } = composeSet(plan);
  const ids = identifiers(plan, recorder);
  const record = async ({ category, call }: ComposedSet["calls"][number]) => {
    const answer = await recorder.call(category, await requestOf(call, { plan, ids }));
    if (call.way.gives !== undefined) {
      ids.add(call.way.gives.pool, String(valueAt(answer, call.way.gives.at)));
    }
  };
  const isWrite = ({ category }: { category: Category }) => category === "write_destructive";
  for (const planned of calls.filter((call) => !isWrite(call))) await record(planned);
  for (const batch of batches) {
    const requests: PlannedRequest[] = [];
    for (const call of batch) requests.push(await requestOf(call, { plan, ids }));
    await recorder.batch(...requests);
  }
  for (const planned of calls.filter(isWrite)) await record(planned);
}

interface Identifiers {
  /** An id of a pool that the operation has not been called with. */
  draw(pool: string, op: string): Promise<string>;
  add(pool: string, id: string): void;
  /** Name of the first tab of a spreadsheet. */
  tabOf(spreadsheetId: string): Promise<string>;
}

function identifiers(plan: ReleasePlan, recorder: PlanRecorder): Identifiers {
  const pools = new Map<string, string[]>();
  const tabs = new Map<string, string>();
  const used = new Set<string>();
  const poolOf = async (name: string): Promise<string[]> => {
    const known = pools.get(name);
    if (known !== undefined) return known;
    const source = plan.pools[name];
    if (source === undefined) throw new Error(`the plan has no pool ${name}`);
    const values = "values" in source
      ? [...source.values]
      : idsIn(await recorder.look(source.op, source.args), source.ids);
    const order = drawing(plan.seed, `pool ${name}`).shuffled(values);
    pools.set(name, order);
    return order;
  };
  return {
    async draw(name, op) {
      const pool = await poolOf(name);
      const id = pool.find((candidate) => !used.has(`${op} ${candidate}`)) ??
        pool[used.size % Math.max(1, pool.length)];
      if (id === undefined) throw new Error(`the pool ${name} is empty`);
      used.add(`${op} ${id}`);
      return id;
    },
    add(name, id) {
      pools.set(name, [...pools.get(name) ?? [], id]);
    },
    async tabOf(spreadsheetId) {
      const known = tabs.get(spreadsheetId);
      if (known !== undefined) return known;
      const book = await recorder.look("sheets.spreadsheets.get", { spreadsheetId });
      const title = String(valueAt(book, ["sheets", 0, "properties", "title"]));
      tabs.set(spreadsheetId, title);
      return title;
    },
  };
}

/** Values at `[list, key, …]` of every row of a list. */
function idsIn(answer: JsonValue, [list = "", ...path]: readonly string[]): string[] {
  const rows = isJsonObject(answer) ? answer[list] : undefined;
  if (!Array.isArray(rows)) return [];
  return [...new Set(rows.map((row) => String(valueAt(row, path))))];
}

async function requestOf(
  { op, way }: ComposedCall,
  context: { plan: ReleasePlan; ids: Identifiers },
): Promise<PlannedRequest> {
  const { args: shared = {}, naive } = operation(context.plan, op);
  const args: JsonObject = {};
  let sheet = "";
  const filled = async (value: JsonValue): Promise<JsonValue> => {
    if (Array.isArray(value)) return await Promise.all(value.map(filled));
    if (isJsonObject(value)) {
      if (isJsonObject(value.$mail)) return rawMail(value.$mail);
      const members: JsonObject = {};
      for (const [key, member] of Object.entries(value)) members[key] = await filled(member);
      return members;
    }
    if (typeof value !== "string" || value[0] !== "$") return value;
    if (value.startsWith("$tab")) {
      return (await context.ids.tabOf(sheet)) + value.slice("$tab".length);
    }
    const [pool = "", times = "1"] = value.slice(1).split("*");
    const drawn: string[] = [];
    for (let index = 0; index < Number(times); index++) {
      drawn.push(await context.ids.draw(pool, op));
    }
    if (pool === "sheets") sheet = drawn[0] ?? "";
    return drawn.join(",");
  };
  for (const [key, value] of Object.entries({ ...shared, ...way.args })) {
    args[key] = await filled(value);
  }
  return {
    op,
    args,
    ...(naive === undefined || args.fields !== undefined ? {} : { naive }),
    ...(way.error === undefined ? {} : { error: way.error }),
  };
}

function rawMail({ to, subject, text }: JsonObject): string {
  const name = [...new TextEncoder().encode(String(subject))].some((byte) => byte > 126)
    ? `=?UTF-8?B?${new TextEncoder().encode(String(subject)).toBase64()}?=`
    : subject;
  return new TextEncoder().encode(
    `To: ${to}\r\nSubject: ${name}\r\nContent-Type: text/plain; charset=UTF-8\r\n\r\n${text}\r\n`,
  ).toBase64({ alphabet: "base64url", omitPadding: true });
}
