/**
 * Records the fixtures of the fidelity gate and of the built-in profiles from the emulator: whole
 * answers, no mask, nothing shortened.
 *
 *     deno run -q --no-prompt -P=test tasks/record_fidelity.ts [--check]
 *
 * `--check` writes nothing and fails when a committed fixture is not what the emulator answers now.
 *
 * @module
 */

import type { Invocation, Kernel } from "../lib/dispatch/types.ts";
import { GumError } from "../lib/errors/mod.ts";
import { worldClock } from "../lib/emulator/mod.ts";
import { type JsonObject, type JsonValue, parseJson } from "../lib/json/mod.ts";
import { openSession, type Session } from "../lib/session/mod.ts";
import {
  annotatedBody,
  BODIES,
  openFidelityBench,
  PROFILE_FIXTURES,
  profileFixtureNames,
} from "./fidelity.ts";
import { FIDELITY_PLAN, type PlannedCall, valueAt } from "./fidelity_plan.ts";

/**
 * Every answer of the plan by fixture name, steps included. The clock stands still, so each service
 * gets a session of its own: in one, the local rate limit would run dry.
 */
async function recordAnswers(): Promise<Map<string, RecordedAnswer>> {
  const answers = new Map<string, RecordedAnswer>();
  let session: Session | undefined;
  let service = "";
  try {
    for (const call of FIDELITY_PLAN) {
      const args = typeof call.args === "function"
        ? call.args((name, ...path) => valueAt(answers.get(name)?.body ?? null, path))
        : call.args;
      const next = call.op.split(".", 1)[0] ?? "";
      if (session === undefined || next !== service) {
        await session?.close();
        session = await openSession({
          profileName: "fidelity",
          emulator: true,
          clock: worldClock,
        });
        service = next;
      }
      answers.set(call.name, { call, args, body: await answerOf(session.kernel, { call, args }) });
    }
  } finally {
    await session?.close();
  }
  return answers;
}

/** One answer and the arguments that brought it. */
export interface RecordedAnswer {
  call: PlannedCall;
  args: JsonObject;
  body: JsonValue;
}

async function answerOf(
  kernel: Kernel,
  request: { call: PlannedCall; args: JsonObject },
): Promise<JsonValue> {
  const { call, args } = request;
  const invocation: Invocation = {
    opId: call.op,
    args,
    format: "raw",
    suppressFieldMask: true,
    allowWrite: call.write === true,
  };
  const response = await kernel.dispatch(invocation).catch((cause) => {
    const token = cause instanceof GumError ? cause.details.confirmation_token : undefined;
    if (call.write !== true || typeof token !== "string") {
      throw new Error(`${call.name} has no answer`, { cause });
    }
    return kernel.dispatch({ ...invocation, confirmed: true, confirmationToken: token });
  });
  return parseJson(new TextDecoder().decode(response.upstreamBytes ?? response.body));
}

/** The files to write, by path. */
async function fixtureFiles(
  answers: ReadonlyMap<string, RecordedAnswer>,
): Promise<Map<string, string>> {
  const wanted = profileFixtureNames();
  const bench = await openFidelityBench(() => 0);
  const files = new Map<string, string>();
  for (const [name, { call, args, body }] of answers) {
    if (call.step) continue;
    const request = { op: call.op, args };
    files.set(
      new URL(`${name}.json`, BODIES).pathname,
      `${JSON.stringify({ ...request, body }, null, 1)}\n`,
    );
    if (!wanted.has(name)) continue;
    // The profiles of writes leave nothing out by themselves: they only narrow the answer.
    const met = call.write ? bench.maskedAnswer({ ...request, body }) : body;
    const annotated = annotatedBody({ ...request, body: met });
    files.set(
      new URL(`${name}.json`, PROFILE_FIXTURES).pathname,
      `${JSON.stringify(annotated, null, 1)}\n`,
    );
  }
  return files;
}

if (import.meta.main) {
  const files = await fixtureFiles(await recordAnswers());
  if (Deno.args.includes("--check")) {
    const stale = [...files].filter(([path, text]) => {
      try {
        return Deno.readTextFileSync(path) !== text;
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return true;
        throw error;
      }
    });
    for (const [path] of stale) console.error(`stale: ${path}`);
    Deno.exit(stale.length === 0 ? 0 : 1);
  }
  Deno.mkdirSync(BODIES, { recursive: true });
  for (const [path, text] of files) Deno.writeTextFileSync(path, text);
  console.log(`${files.size} files written`);
}
