import assert from "node:assert/strict";
import { environmentOf } from "../lib/config/environment.ts";
import { withFolder } from "./testing/spawned.ts";
import { SHORTEST_WIND_DOWN_MS, windDownMs } from "./wind_down.ts";

Deno.test("TestAuditGracefulShutdown: the process outlives the time its profile gives the audit log", async () => {
  await withFolder(async (home) => {
    const environment = environmentOf({ HOME: home });
    const wait = (...argv: string[]) => windDownMs({ argv, environment });
    assert.equal(await wait("mcp", "--stdio"), SHORTEST_WIND_DOWN_MS);
    await Deno.mkdir(`${home}/.config/gum/patient`, { recursive: true });
    const file = `${home}/.config/gum/patient/config.toml`;
    await Deno.writeTextFile(file, "audit.drain_timeout_seconds = 30\n");
    assert.ok(await wait("mcp", "--profile", "patient") > 30_000);
    assert.equal(await wait("mcp"), SHORTEST_WIND_DOWN_MS);
    await Deno.writeTextFile(file, "audit.drain_timeout_seconds = 0\n");
    assert.equal(await wait("mcp", "--profile=patient"), SHORTEST_WIND_DOWN_MS);
    await Deno.writeTextFile(file, "= nonsense");
    assert.equal(await wait("mcp", "--profile=patient"), SHORTEST_WIND_DOWN_MS);
    assert.equal(await wait("mcp", "--profile=../bad"), SHORTEST_WIND_DOWN_MS);
  });
});
