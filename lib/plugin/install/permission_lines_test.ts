import assert from "node:assert/strict";
import { checkManifest } from "../manifest/mod.ts";
import { pluginPaths } from "../paths.ts";
import { manifestTree } from "../testdata/fixture.ts";
import { permissionLines } from "./permission_lines.ts";

const paths = pluginPaths("/data/gum/p");

Deno.test("permission lines: what is read, written, reached and handed on, in words that hold", async () => {
  const tree = manifestTree({
    declared_capabilities: { network: true, net_hosts: ["a.example"], env_allow: ["A", "B", "C"] },
  });
  const { manifest } = await checkManifest(tree);
  const lines = (mayRead: (name: string) => boolean) =>
    permissionLines(manifest, { paths, mayRead });
  assert.deepEqual(lines(() => true), [
    "reads: whatever you can read, unless plugins.sandbox_read is strict",
    "writes: /data/gum/p/plugin-data/echo-box",
    "network: every host (declared: a.example)",
    "environment: 3 of your variables",
  ]);
  assert.equal(
    lines((name) => name === "B").at(-1),
    "environment: 1 of your variables; 2 more that it asks for, GUM itself may not read",
  );
});

Deno.test("permission lines: a script reads and reaches what its flags say", async () => {
  const { manifest } = await checkManifest(manifestTree({
    plugin: { shape: "deno-script", executable: "main.ts" },
    declared_capabilities: { network: true, net_hosts: ["a.example"] },
  }));
  const [reads, , network, flags] = permissionLines(manifest, { paths });
  assert.equal(reads, "reads: its own folders");
  assert.equal(network, "network: a.example");
  assert.match(flags ?? "", / --allow-net=a\.example$/);
});
