/**
 * The maintainer's check of the managed scopes (spec 05 §3.10). No command runs it: it works on a
 * copy of the manifest that has two fields more per scope.
 */

import { GumError } from "../../errors/mod.ts";
import { parentDir, writeFileAtomic } from "../../files/mod.ts";
import { isJsonObject, type JsonObject } from "../../json/mod.ts";

/** How a probed scope stands. */
export type CanaryState = "passing" | "failing";

/** What is checked, and how. */
export interface CanaryRun {
  /** Path of the working copy. */
  registryPath: string;
  /** True when a token with this scope works; a rejection counts as false. */
  probe: (scope: string) => Promise<boolean>;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/**
 * Probes every scope that asks for it and writes what was found into the file; every other field
 * stays.
 *
 * @throws GumError `AUTH_MANAGED_SCOPES_NOT_FOUND`, `AUTH_MANAGED_SCOPES_INVALID`
 */
export async function runCanaries(run: CanaryRun): Promise<Map<string, CanaryState>> {
  const document = await readRegistry(run.registryPath);
  const states = new Map<string, CanaryState>();
  for (const row of document.scopes) {
    if (row.live_canary_required !== true || typeof row.scope !== "string") continue;
    const state = await probed(run, row.scope);
    states.set(row.scope, state);
    row.live_canary_state = state;
    row.last_checked = new Date(run.now()).toISOString();
  }
  const text = JSON.stringify(document, null, 2) + "\n";
  await writeFileAtomic(run.registryPath, new TextEncoder().encode(text), { mode: 0o644 });
  return states;
}

async function probed(run: CanaryRun, scope: string): Promise<CanaryState> {
  try {
    return await run.probe(scope) ? "passing" : "failing";
  } catch {
    // Whatever went wrong, the scope is not proved.
    return "failing";
  }
}

async function readRegistry(path: string): Promise<JsonObject & { scopes: JsonObject[] }> {
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new GumError("AUTH_MANAGED_SCOPES_NOT_FOUND", {
      message: `there is no list of managed scopes in ${parentDir(path)}`,
      details: { path },
    });
  }
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw invalid(path, "it is not JSON");
  }
  if (!isJsonObject(document) || !Array.isArray(document.scopes)) {
    throw invalid(path, "it has no scopes");
  }
  return { ...document, scopes: document.scopes.filter(isJsonObject) };
}

function invalid(path: string, why: string): GumError {
  return new GumError("AUTH_MANAGED_SCOPES_INVALID", {
    message: `the list of managed scopes cannot be used: ${why}`,
    details: { path },
  });
}
