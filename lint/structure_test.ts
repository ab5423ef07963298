import assert from "node:assert/strict";
import {
  folderOf,
  type ImportEdge,
  importGraph,
  sourceFiles,
  valueCycles,
} from "./import_graph.ts";

const ROOT = new URL("..", import.meta.url).pathname.replace(/\/$/, "");
const edges = importGraph(ROOT);

/** Leaves of the tree: values anyone may import. */
const LEAVES = [
  "lib/digest",
  "lib/spelling",
  "lib/json",
  "lib/errors",
  "lib/log",
  "lib/clock",
  "lib/version",
  "lib/resource_names",
];

function breaches(rule: (edge: ImportEdge) => boolean): string[] {
  return edges.filter(rule).map((edge) => `${edge.from} imports ${edge.to}`);
}

Deno.test("TestNoCyclicImports: no module reaches itself through value imports", () => {
  assert.ok(edges.length > 100, "the scan found the sources");
  assert.deepEqual(valueCycles(edges).map((cycle) => cycle.join(" -> ")), []);
});

Deno.test("TestNoCyclicImports: a cycle would be found", () => {
  const edge = (from: string, to: string) => ({ from, to, typeOnly: false, lazy: false });
  assert.deepEqual(valueCycles([edge("a", "b"), edge("b", "c"), edge("c", "a")]), [[
    "a",
    "b",
    "c",
  ]]);
});

Deno.test("TestNoCyclicImports: the kernel imports types, leaves and the canonicalizer only", () => {
  const allowed = (to: string) =>
    LEAVES.includes(folderOf(to)) || folderOf(to) === "lib/dispatch" ||
    to === "lib/format/jcs.ts";
  assert.deepEqual(
    breaches((edge) =>
      folderOf(edge.from) === "lib/dispatch" && !edge.typeOnly && !allowed(edge.to)
    ),
    [],
  );
});

Deno.test("TestNoCyclicImports: only the surfaces and the session import the kernel's values", () => {
  const allowed = ["lib/dispatch", "lib/session", "cli", "mcp", "main.ts", "mod.ts"];
  assert.deepEqual(
    breaches((edge) =>
      folderOf(edge.to) === "lib/dispatch" && !edge.typeOnly &&
      !allowed.includes(folderOf(edge.from))
    ),
    [],
  );
});

Deno.test("TestNoCyclicImports: cli and mcp never import each other, lib imports neither", () => {
  assert.deepEqual(
    breaches((edge) => {
      const [from, to] = [folderOf(edge.from), folderOf(edge.to)];
      return (from === "cli" && to === "mcp") || (from === "mcp" && to === "cli") ||
        (from.startsWith("lib/") && (to === "cli" || to === "mcp"));
    }),
    [],
  );
});

Deno.test("TestNoCyclicImports: folders meet at their faces", () => {
  const isFace = (path: string) => /(^|\/)(mod|types|service)\.ts$/.test(path);
  const exceptions = [
    "lib/format/jcs.ts",
    "lib/config/environment.ts",
    "lib/config/directories.ts",
    "lib/config/glance.ts",
  ];
  assert.deepEqual(
    breaches((edge) =>
      edge.to.startsWith("lib/") && edge.to.endsWith(".ts") &&
      folderOf(edge.from) !== folderOf(edge.to) && !isFace(edge.to) &&
      !exceptions.includes(edge.to)
    ),
    [],
  );
});

Deno.test("TestTestdataNoProductionImport: no production module imports from testdata", () => {
  assert.deepEqual(breaches((edge) => edge.to.includes("testdata/")), []);
});

Deno.test("TestNoOTelImportV01: no module imports a telemetry package", () => {
  assert.deepEqual(breaches((edge) => edge.to.includes("opentelemetry")), []);
});

Deno.test("TestNoPprofImportV01: no module opens an inspector or a profiler", () => {
  assert.deepEqual(breaches((edge) => /^node:(inspector|v8|trace_events)/.test(edge.to)), []);
});

Deno.test("TestStdLogProhibition: nothing prints on its own", () => {
  const printing =
    /\bconsole\.(log|error|warn|info|debug|trace|table|dir)\b|\bDeno\.(stderr|stdout)\b|\bprocess\.(stderr|stdout)\b/;
  // The two places where the process meets its streams.
  const writers = ["cli/streams.ts", "mcp/guard_transport.ts", "mcp/stdio.ts"];
  const scanned = sourceFiles(ROOT).filter((file) =>
    /^(lib|mcp|cli)\//.test(file) && !file.includes(".generated.") && !writers.includes(file)
  );
  for (
    const folder of [
      "lib/dispatch",
      "lib/adapters",
      "mcp",
      "cli",
      "lib/cache",
      "lib/auth",
      "lib/audit",
      "lib/profile",
      "lib/shape",
      "lib/format",
      "lib/artifact",
      "lib/gain",
    ]
  ) assert.ok(scanned.some((file) => file.startsWith(`${folder}/`)), `${folder} is scanned`);
  const offenders = scanned.filter((file) =>
    printing.test(withoutComments(Deno.readTextFileSync(`${ROOT}/${file}`)))
  );
  assert.deepEqual(offenders, []);
});

function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "");
}
