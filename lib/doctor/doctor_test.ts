import assert from "node:assert/strict";
import { systemClock } from "../clock/mod.ts";
import { environmentOf } from "../config/environment.ts";
import { silentLogger } from "../log/mod.ts";
import { type CheckName, runDoctor } from "./mod.ts";

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gum-doctor-" });
  try {
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const doctor = (
  folder: string,
  more: { path?: string; names?: readonly CheckName[]; apiKey?: string } = {},
) =>
  runDoctor({
    profileName: "default",
    directories: { config: `${folder}/config`, data: `${folder}/data`, cache: `${folder}/cache` },
    environment: environmentOf({
      PATH: more.path ?? Deno.env.get("PATH") ?? "",
      HOME: folder,
      ...(more.apiKey === undefined ? {} : { GUM_API_KEY: more.apiKey }),
    }),
    os: Deno.build.os,
    clock: systemClock,
    log: silentLogger,
    signal: new AbortController().signal,
  }, more.names);

Deno.test("doctor: five checks at once, reported in their order, nothing left behind", async () => {
  await inFolder(async (folder) => {
    const report = await doctor(folder, { apiKey: "key" });
    assert.deepEqual(
      report.checks.map(({ name, ok }) => [name, ok]),
      ["auth", "audit", "cache", "plugin", "config"].map((name) => [name, true]),
    );
    assert.equal(report.ok, true);
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  });
});

Deno.test("doctor: what confines plugins is always said, also that nothing does", async () => {
  await inFolder(async (folder) => {
    const summary = async (path?: string) =>
      (await doctor(folder, { path, names: ["plugin"] })).checks[0]?.summary ?? "";
    assert.match(await summary(), /; sandbox: \S/);
    assert.match(await summary("/nonexistent"), /; sandbox: none, so only plugins of the shape/);
  });
});

Deno.test("doctor: a file that two checks need fails both of them, and no other", async () => {
  await inFolder(async (folder) => {
    await Deno.mkdir(`${folder}/config/gum/default`, { recursive: true });
    await Deno.writeTextFile(`${folder}/config/gum/default/config.toml`, "no = = toml\n");
    const report = await doctor(folder, { apiKey: "key" });
    assert.equal(report.ok, false);
    const failed = report.checks.filter(({ ok }) => !ok);
    assert.deepEqual(failed.map(({ name }) => name), ["auth", "config"]);
    for (const { hint } of failed) assert.ok(hint, "a failed check has a hint");
  });
});
