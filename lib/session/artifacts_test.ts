/** Recovery artifacts as a session wires them: configuration, retention, and the way back. */

import assert from "node:assert/strict";
import type { Clock } from "../clock/mod.ts";
import { findGumError } from "../errors/mod.ts";
import { silentLogger } from "../log/mod.ts";
import { openSession, type Session } from "./mod.ts";

const HOUR = 3_600_000;

/** A session whose profile `work` has this configuration, at an instant that the test moves. */
async function withSession(
  config: string,
  body: (session: Session, clock: { at: number }) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gum-session-" });
  const instant = { at: Date.UTC(2026, 4, 19, 14, 30) };
  const clock: Clock = {
    now: () => instant.at,
    sleep: () => Promise.reject(new Error("nothing waits here")),
  };
  await Deno.mkdir(`${folder}/c/gum/work`, { recursive: true });
  await Deno.writeTextFile(`${folder}/c/gum/work/config.toml`, config, { mode: 0o600 });
  const session = await openSession({
    profileName: "work",
    emulator: true,
    directories: { config: `${folder}/c`, data: `${folder}/d`, cache: `${folder}/k` },
    clock,
    log: silentLogger,
  });
  try {
    await body(session, instant);
  } finally {
    await session.close();
    await Deno.remove(folder, { recursive: true });
  }
}

/** Lists mail with a profile that keeps its full result, and gives where it was kept. */
async function listWithRecovery(session: Session): Promise<{ path: string; expiresAt: string }> {
  const answer = await session.kernel.dispatch({
    opId: "gmail.users.messages.list",
    args: { userId: "me" },
    outputProfile: {
      name: "t",
      format: "json",
      recovery: "resource_link",
      collapse_arrays: { max_items: 2 },
    },
    caller: "mcp",
  });
  assert.ok(answer.fullResultPath && answer.artifactExpiresAt);
  return { path: answer.fullResultPath, expiresAt: answer.artifactExpiresAt };
}

const uriOf = (path: string) =>
  `gum://results/${path.slice(path.lastIndexOf("/") + 1).replace(".json.gz", "")}`;

async function readable(session: Session, path: string): Promise<boolean> {
  try {
    return (await session.readResult?.(uriOf(path)) ?? "").length > 0;
  } catch (error) {
    if (findGumError(error, "RESULT_ARTIFACT_EXPIRED") === undefined) throw error;
    return false;
  }
}

Deno.test("TestTeeConfigForProfileReadsGumConfig: tee mode and retention come from the profile", async () => {
  await withSession("output.tee_retention_hours = 48\n", async (session) => {
    const { expiresAt } = await listWithRecovery(session);
    assert.equal(expiresAt, "2026-05-21T14:30:00Z");
  });
  await withSession('output.tee_mode = "always"\n', async (session) => {
    // Lossy, without recovery of its own: kept because the configuration says so, not advertised.
    const answer = await session.kernel.dispatch({
      opId: "gmail.users.messages.list",
      args: { userId: "me" },
      outputProfile: { name: "t", collapse_arrays: { max_items: 2 } },
    });
    assert.ok(answer.fullResultPath);
    assert.equal(answer.expression?.full_result_path, undefined);
  });
});

Deno.test("TestResultsScanWindowFollowsConfiguredRetention: readable to the configured hour", async () => {
  await withSession("output.tee_retention_hours = 72\n", async (session, clock) => {
    const { path } = await listWithRecovery(session);
    await Deno.utime(path, new Date(clock.at), new Date(clock.at));
    clock.at += 71 * HOUR;
    assert.equal(await readable(session, path), true);
    clock.at += 2 * HOUR;
    assert.equal(await readable(session, path), false);
  });
});

Deno.test("TestResultsScanWindowStopsAtTheDefault: a day, when nothing is configured", async () => {
  await withSession("", async (session, clock) => {
    const { path } = await listWithRecovery(session);
    await Deno.utime(path, new Date(clock.at), new Date(clock.at));
    clock.at += 23 * HOUR;
    assert.equal(await readable(session, path), true);
    clock.at += 2 * HOUR;
    assert.equal(await readable(session, path), false);
  });
});
