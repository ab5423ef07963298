import assert from "node:assert/strict";
import { embeddedCatalogBytes, embeddedCatalogSha256, embeddedIndexBytes } from "../embedded.ts";
import { loadCatalog } from "../load.ts";
import { defaultVariant } from "../describe/mod.ts";
import { buildIndex } from "./build.ts";
import { createSearch, decodeIndex, encodeIndex } from "./mod.ts";

Deno.test("TestCatalogIndexSnapshotInvariant: the shipped index holds exactly the shipped operations", async () => {
  const digest = await crypto.subtle.digest("SHA-256", embeddedCatalogBytes());
  const catalogSha256 = new Uint8Array(digest).toHex();
  assert.equal(embeddedCatalogSha256(), catalogSha256);
  const index = decodeIndex(embeddedIndexBytes(), { catalogSha256 });
  const { ops } = loadCatalog();
  assert.deepEqual(index.docs.map(({ op_id }) => op_id), ops.map(({ op_id }) => op_id));
  for (const [at, op] of ops.entries()) {
    const variant = defaultVariant(op);
    assert.equal(index.docs[at]?.summary, op.summary);
    assert.equal(index.docs[at]?.risk_class, variant?.risk_class);
    assert.equal(index.docs[at]?.auth_strategy, variant?.auth_strategy);
  }
});

Deno.test("TestCatalogIndexSnapshotInvariant: the shipped file is what a fresh build gives", () => {
  const shipped = decodeIndex(embeddedIndexBytes());
  const fresh = buildIndex(loadCatalog().ops, {
    catalogSha256: embeddedCatalogSha256(),
    tables: shipped.tables,
  });
  assert.deepEqual(encodeIndex(fresh), embeddedIndexBytes());
  for (const query of ["send an email", "list files", "create event", "delete"]) {
    assert.deepEqual(
      createSearch(fresh).search(query, 50),
      createSearch(shipped).search(query, 50),
    );
  }
});

Deno.test("hot path: a search reaches no Node built-in and no package", async () => {
  const entry = new URL("./mod.ts", import.meta.url).pathname;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", entry],
    stdout: "piped",
    stderr: "null",
  }).output();
  interface Dependency {
    specifier: string;
    isDynamic?: boolean;
    code?: { specifier?: string };
  }
  const graph = JSON.parse(new TextDecoder().decode(stdout)) as {
    roots: string[];
    modules: { specifier: string; dependencies?: Dependency[] }[];
  };
  const byName = new Map(graph.modules.map((module) => [module.specifier, module]));
  const reached = new Set<string>();
  const queue = [...graph.roots];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (reached.has(name)) continue;
    reached.add(name);
    assert.ok(name.startsWith("file:"), `${name} is on the path of a search`);
    for (const { code, isDynamic } of byName.get(name)?.dependencies ?? []) {
      if (!isDynamic && code?.specifier !== undefined) queue.push(code.specifier);
    }
  }
  assert.ok(reached.size > 5 && reached.size < 30, `${reached.size} modules`);
});
