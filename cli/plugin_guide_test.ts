import assert from "node:assert/strict";
import { parse as parseToml } from "smol-toml";
import { loadCatalog } from "../lib/catalog/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { inspectManifest } from "../lib/plugin/mod.ts";
import { runGum, withFolder } from "./testing/spawned.ts";

const GUIDE = await Deno.readTextFile(new URL("../docs/plugin-author-guide.md", import.meta.url));

Deno.test("plugin author's guide: its manifest is one, and every part of one fits into it", async () => {
  const [whole, ...parts] = [...GUIDE.matchAll(/^```toml\n([\s\S]*?)^```$/gm)]
    .map(([, text = ""]) => parseToml(text) as unknown as JsonObject);
  assert.ok(whole);
  assert.deepEqual((await inspectManifest(whole)).violations, []);
  assert.ok(parts.length >= 3);
  for (const part of parts) {
    const tools = structuredClone(whole.tools) as JsonObject[];
    const asksForToken = JSON.stringify(part).includes("google_access_token");
    if (asksForToken) { for (const tool of tools) tool.auth_strategy = "compound"; }
    const { violations } = await inspectManifest({ ...whole, ...part, tools });
    assert.deepEqual(violations.map(({ message }) => message), [], JSON.stringify(part));
  }
});

Deno.test("plugin author's guide: the operations that wait for a plugin are those of the catalog", () => {
  const rows = [...GUIDE.matchAll(/^\| `([a-z.]+)` \| `([a-z-]+)` \| `([a-z_]+)` \|/gm)]
    .map(([, opId, plugin, tool]) => [opId, plugin, tool]);
  const waiting = loadCatalog().ops.flatMap(({ op_id: opId, variants: [variant] }) =>
    variant?.backend_kind === "mcp-plugin"
      ? [[opId, variant.binding?.plugin_name, variant.binding?.tool_name]]
      : []
  );
  assert.equal(waiting.length, 5);
  assert.deepEqual(rows.sort(), waiting.sort());
});

Deno.test("bundled operations: a plugin with the right id and tool serves one, text arguments typed", async () => {
  await withFolder(async (folder) => {
    const home = await Deno.realPath(folder);
    const plugin = `${home}/google-flights`;
    await Deno.mkdir(plugin);
    const example = new URL("../examples/plugins/word-count/stdio_server.ts", import.meta.url);
    await Deno.copyFile(example, `${plugin}/stdio_server.ts`);
    await Deno.writeTextFile(
      `${plugin}/plugin.toml`,
      `manifest_schema_version = 1
[plugin]
name = "google-flights"
version = "1.0.0"
namespace_owner = "example.flights"
shape = "deno-script"
executable = "main.ts"
[[tools]]
tool_name = "flights_search"
risk_class = "read"
raw_result_allowed = true
`,
    );
    await Deno.writeTextFile(
      `${plugin}/main.ts`,
      `import { serve } from "./stdio_server.ts";
await serve({ name: "google-flights", version: "1" }, [{
  name: "flights_search",
  description: "Finds itineraries",
  inputSchema: { type: "object" },
  run: ({ origin, adults }) => ({ flights: [{ carrier: origin, price: adults, secret: "x" }] }),
}]);
`,
    );
    const gum = async (...words: string[]) => {
      const ran = await runGum(words, { home, cwd: home });
      assert.equal(ran.code, 0, `${words.join(" ")}\n${ran.stdout}${ran.stderr}`);
      return ran.stdout;
    };
    await gum("plugin", "install", plugin, "--yes");
    const answer = await gum(
      ...["call", "flights.search", "--risk=read", "origin=SFO", "destination=JFK"],
      ...["departure_date=2027-01-02", "--adults=2", "-o", "json", "--no-envelope"],
    );
    assert.deepEqual(JSON.parse(answer).flights, [{ carrier: "SFO", price: 2 }]);
    assert.doesNotMatch(await gum("describe", "flights.search"), /"hint"/);
  });
});
