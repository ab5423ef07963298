import assert from "node:assert/strict";
import { importGraph, sourceFiles } from "../../lint/import_graph.ts";

const ROOT = new URL("../../", import.meta.url).pathname.replace(/\/$/, "");
const SHAPE = /GOCSPX-[A-Za-z0-9_-]{8,}/;
const LITERAL = /client_?secret["']?\s*[:=]\s*["'][A-Za-z0-9_-]{8,}["']/i;

Deno.test("TestAuthHappyPathNoUserClientSecret: no source carries a client secret", () => {
  assert.match('clientSecret: "abcdefgh12"', LITERAL);
  const files = sourceFiles(ROOT).filter((file) =>
    !/_test\.ts$|\/testdata\//.test(file) && /^(lib|cli|mcp|catalog|tasks|main)/.test(file)
  );
  assert.ok(files.length > 300);
  for (const file of files) {
    const text = Deno.readTextFileSync(`${ROOT}/${file}`);
    assert.equal(SHAPE.test(text) || LITERAL.test(text), false, file);
  }
});

Deno.test("TestNoCyclicImports: auth knows the kernel by its types only", () => {
  const offenders = importGraph(ROOT).filter(({ from, to, typeOnly }) =>
    from.startsWith("lib/auth/") && to.startsWith("lib/dispatch/") && !typeOnly
  );
  assert.deepEqual(offenders, []);
});
