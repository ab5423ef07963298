/**
 * Records the release fixtures: the calls of the plan against the emulator with a fixed seed and a
 * clock that only calls move, each answer as it was sent. The only writer of what was recorded;
 * `deno task bench:update` writes what is expected.
 *
 *     deno run -q --no-prompt -P=test tasks/record_release_fixtures.ts [--check]
 *
 * `--check` writes nothing and fails when a committed file is not what the emulator answers now.
 *
 * @module
 */

import { embeddedCatalogSha256, loadCatalog } from "../lib/catalog/mod.ts";
import { type Clock, rfc3339 } from "../lib/clock/mod.ts";
import { sha256Hex } from "../lib/digest/mod.ts";
import type { Invocation, ShapedResponse } from "../lib/dispatch/types.ts";
import { WORLD_INSTANT } from "../lib/emulator/mod.ts";
import type { JournalEntry } from "../lib/emulator/types.ts";
import { GumError } from "../lib/errors/mod.ts";
import {
  batchIdOf,
  type Category,
  elementsText,
  type ManifestEntry,
  type RecordedCall,
  type ReleaseManifest,
} from "../lib/gain/replay/mod.ts";
import { jsonText } from "../lib/format/mod.ts";
import type { JsonObject, JsonValue } from "../lib/json/mod.ts";
import { parseJson } from "../lib/json/mod.ts";
import { assembleProfileResolver, parseFieldMask, projectByMask } from "../lib/profile/mod.ts";
import { openSession, type Session } from "../lib/session/mod.ts";
import { loadTokenCounter } from "../lib/tokens/mod.ts";
import {
  type PlannedRequest,
  planReleaseSet,
  readReleasePlan,
  type ReleasePlan,
} from "./record_release_fixtures_plan.ts";

/** Where the set lives. */
export const RELEASE_SET = new URL("../testdata/release_fixtures/", import.meta.url);

/** A clock that stands still between calls; waits pass at once. */
export function steppingClock(): Clock & { step(ms: number): void } {
  let now = WORLD_INSTANT;
  return {
    now: () => now,
    step: (ms) => void (now += ms),
    sleep(ms) {
      now += ms;
      return Promise.resolve();
    },
  };
}

/** A call or a batch as it was answered. */
export interface RecordedFixture {
  category: Category;
  calls: RecordedCall[];
}

const decoder = new TextDecoder();

/** Runs the plan, or the same one with other draws; every recorded fixture in plan order. */
export async function recordFixtures(plan?: ReleasePlan): Promise<RecordedFixture[]> {
  const clock = steppingClock();
  const session = await openSession({ profileName: "release", emulator: true, clock });
  const fixtures: RecordedFixture[] = [];
  const answered = async (request: PlannedRequest): Promise<RecordedCall> => {
    clock.step(2_000);
    return await record(session, request);
  };
  try {
    await planReleaseSet({
      look: async (op, args) => bodyOf((await answered({ op, args })).body),
      async call(category, request) {
        const call = await answered(request);
        fixtures.push({ category, calls: [call] });
        return bodyOf(call.body);
      },
      async batch(...requests) {
        const calls: RecordedCall[] = [];
        for (const request of requests) calls.push(await answered(request));
        fixtures.push({ category: "gum_parallel_batch", calls });
      },
    }, plan);
  } finally {
    await session.close();
  }
  return fixtures;
}

function bodyOf(text: string): JsonValue {
  return text.trim() === "" ? null : parseJson(text);
}

async function record(session: Session, planned: PlannedRequest): Promise<RecordedCall> {
  const { op, args, naive, error } = planned;
  const request = {
    op_id: op,
    args,
    ...(naive === undefined ? {} : { naive_args: naive }),
    ...(error === undefined ? {} : { http_status: error }),
  };
  if (error !== undefined) {
    return { request, body: await errorBody(session, planned), masked: undefined };
  }
  const whole = await dispatched(session, {
    opId: op,
    args: { ...args, ...naive },
    format: "raw",
    suppressFieldMask: true,
  });
  const body = upstreamText(whole);
  const masked = await maskedBody(session, { planned, body });
  return { request, body, masked };
}

/** The answer under GUM's mask, when the whole one does not contain it. */
async function maskedBody(
  session: Session,
  call: { planned: PlannedRequest; body: string },
): Promise<string | undefined> {
  const { op, args } = call.planned;
  // Only these two give other fields under a mask than they give without one. Services that the
  // emulator answers generically draw anew for every request: there the projection is the answer.
  if (riskOf(session, op) !== "read" || !/^(drive|sheets)\./.test(op)) return undefined;
  const response = await dispatched(session, { opId: op, args });
  const mask = response.expression?.field_mask;
  if (typeof mask !== "string") return undefined;
  const own = upstreamText(response);
  const parsed = parseFieldMask(mask);
  if (!parsed.ok) throw new Error(`${op}: ${parsed.reason}`);
  const projected = projectByMask(parsed.mask, parseJson(call.body));
  return jsonText(projected) === jsonText(parseJson(own)) ? undefined : jsonText(parseJson(own));
}

function riskOf(session: Session, opId: string): string {
  const op = session.catalog.findOp(opId);
  const variant = op?.variants.find(({ variant_id }) => variant_id === op.default_variant_id);
  if (variant === undefined) throw new Error(`no operation ${opId}`);
  return variant.risk_class;
}

function upstreamText(response: ShapedResponse): string {
  return decoder.decode(response.upstreamBytes ?? response.body);
}

async function dispatched(session: Session, invocation: Invocation): Promise<ShapedResponse> {
  const risk = riskOf(session, invocation.opId);
  const granted = {
    ...invocation,
    allowWrite: risk !== "read",
    allowDestructive: risk === "destructive",
  };
  return await session.kernel.dispatch(granted).catch((cause) => {
    const token = cause instanceof GumError ? cause.details.confirmation_token : undefined;
    if (typeof token !== "string") throw new Error(`${invocation.opId} has no answer`, { cause });
    return session.kernel.dispatch({ ...granted, confirmed: true, confirmationToken: token });
  });
}

const FAULTS: Record<number, { reason: string; message: string }> = {
  403: { reason: "insufficientPermissions", message: "The caller does not have permission." },
  404: { reason: "notFound", message: "Requested entity was not found." },
  429: { reason: "rateLimitExceeded", message: "Quota exceeded for quota metric 'Queries'." },
};

/** The error as the service words it: its own for what is not there, else a scripted one. */
async function errorBody(session: Session, planned: PlannedRequest): Promise<string> {
  const { emulator } = session;
  const { op, args, naive, error } = planned;
  if (emulator === undefined || error === undefined) throw new Error("no emulator");
  const natural = await session.kernel.dispatch({
    opId: op,
    args: { ...args, ...naive },
    format: "raw",
    suppressFieldMask: true,
  }).then(() => false, () => true);
  const seen = emulator.journal.at(-1);
  if (seen === undefined) throw new Error(`${op} sent nothing`);
  const handle = natural ? undefined : emulator.addFault({
    match: { host: seen.host, path: seen.path },
    effect: { kind: "status", status: error, ...FAULTS[error] },
  });
  const response = await fetch(emulator.rewrite(urlOf(seen)), {
    method: seen.method,
    headers: seen.headers.authorization === undefined
      ? {}
      : { authorization: seen.headers.authorization },
  });
  handle?.remove();
  const body = await response.text();
  if (response.status !== error) throw new Error(`${op} answered ${response.status}, not ${error}`);
  return body;
}

function urlOf(seen: JournalEntry): URL {
  const url = new URL(`https://${seen.host}${seen.path}`);
  for (const [name, values] of Object.entries(seen.query)) {
    for (const value of values) url.searchParams.append(name, value);
  }
  return url;
}

/** Every recorded file by its path in the set, the manifest last. */
export async function releaseFiles(): Promise<Map<string, string>> {
  const fixtures = await recordFixtures();
  const count = await loadTokenCounter();
  const { ops } = loadCatalog();
  const profiles = await assembleProfileResolver();
  const files = new Map<string, string>();
  const entries: ManifestEntry[] = [];
  const numbers = new Map<Category, number>();
  for (const { category, calls } of fixtures) {
    const number = (numbers.get(category) ?? 0) + 1;
    numbers.set(category, number);
    const [first] = calls;
    if (first === undefined) throw new Error("an empty fixture");
    const isBatch = category === "gum_parallel_batch";
    const opId = isBatch ? "gum_parallel" : first.request.op_id;
    const slug = (isBatch
      ? calls.map(({ request }) => request.op_id.split(".")[0]).join("_")
      : opId)
      .toLowerCase().replaceAll(/[^a-z0-9]+/g, "_");
    const path = `${category}/${String(number).padStart(3, "0")}-${slug}`;
    const own = isBatch ? await batchFiles(calls) : singleFiles(first);
    const hashes: Record<string, string> = {};
    for (const [name, text] of Object.entries(own)) {
      files.set(`${path}/${name}`, text);
      hashes[name] = await sha256Hex(text);
    }
    const op = ops.find((candidate) => candidate.op_id === opId);
    const variant = op?.variants.find(({ variant_id }) => variant_id === op.default_variant_id);
    entries.push({
      path,
      category,
      op_id: opId,
      variant_id: variant?.variant_id ?? null,
      output_profile: op === undefined || variant === undefined
        ? null
        : profiles.resolve({ op, variant }).profile?.name ?? null,
      raw_tokens: calls.reduce(
        (sum, { body }) => sum + (body.trim() === "" ? 0 : count(jsonText(parseJson(body)))),
        0,
      ),
      sha256: hashes,
    });
  }
  entries.sort((left, right) => left.path < right.path ? -1 : 1);
  const manifest: ReleaseManifest = {
    schema_version: 1,
    generated_by: "tasks/record_release_fixtures.ts",
    seed: readReleasePlan().seed,
    world_clock: rfc3339(WORLD_INSTANT),
    catalog_sha256: embeddedCatalogSha256(),
    total: entries.length,
    entries,
  };
  files.set("manifest.json", `${JSON.stringify(manifest, null, 1)}\n`);
  return files;
}

function singleFiles(call: RecordedCall): Record<string, string> {
  return {
    "request.json": `${JSON.stringify(call.request, null, 1)}\n`,
    "response.json": call.body,
    ...(call.masked === undefined ? {} : { "response.masked.json": call.masked }),
  };
}

async function batchFiles(calls: readonly RecordedCall[]): Promise<Record<string, string>> {
  const elements = calls.map(({ request }) => request);
  const results = calls.map(({ request, body }) => ({
    op_id: request.op_id,
    status: request.http_status === undefined ? "ok" : "error",
    ...(request.http_status === undefined ? {} : { http_status: request.http_status }),
    data: bodyOf(body),
  }));
  const masked: JsonObject = {};
  calls.forEach((call, index) => {
    if (call.masked !== undefined) masked[index] = parseJson(call.masked);
  });
  const request = { op_id: "gum_parallel", args: { elements } };
  const response = { batch_id: await batchIdOf(elementsText(calls)), results };
  return {
    "request.json": `${JSON.stringify(request, null, 1)}\n`,
    "response.json": JSON.stringify(response),
    ...(Object.keys(masked).length === 0 ? {} : { "response.masked.json": jsonText(masked) }),
  };
}

if (import.meta.main) {
  const files = await releaseFiles();
  if (Deno.args.includes("--check")) {
    const stale = [...files].filter(([path, text]) => {
      try {
        return Deno.readTextFileSync(new URL(path, RELEASE_SET)) !== text;
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return true;
        throw error;
      }
    });
    for (const [path] of stale) console.error(`stale: ${path}`);
    Deno.exit(stale.length === 0 ? 0 : 1);
  }
  // The plan and nothing else is written by people.
  for (const { name } of [...Deno.readDirSync(RELEASE_SET)]) {
    if (name !== "plan.json") await Deno.remove(new URL(name, RELEASE_SET), { recursive: true });
  }
  for (const [path, text] of files) {
    const url = new URL(path, RELEASE_SET);
    await Deno.mkdir(new URL(".", url), { recursive: true });
    await Deno.writeTextFile(url, text);
  }
  console.log(`${files.size} files written`);
}
