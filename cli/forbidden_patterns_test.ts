import assert from "node:assert/strict";

/** What the command line must not contain (spec 08 §3.2, step 5). */
const CLI_LIBRARIES = [
  "commander",
  "gunshi",
  "yargs",
  "cac",
  "cliffy",
  "oclif",
  "cleye",
  "clipanion",
  "sade",
];

const rules: Deno.lint.Plugin = {
  name: "forbidden",
  rules: {
    patterns: {
      create(context) {
        const report = (node: Deno.lint.Node, message: string) => context.report({ node, message });
        const checkSource = (node: Deno.lint.Node, source: unknown) => {
          if (typeof source !== "string") return;
          const name = source.replace(/^(npm|jsr):\/?/, "").replace(/^@/, "");
          if (CLI_LIBRARIES.some((library) => name.split(/[/@]/).includes(library))) {
            report(node, `hook API of a CLI library: ${source}`);
          }
        };
        return {
          ImportDeclaration: (node) => checkSource(node, node.source.value),
          ExportNamedDeclaration: (node) => checkSource(node, node.source?.value),
          ExportAllDeclaration: (node) => checkSource(node, node.source.value),
          ImportExpression(node) {
            if (node.source.type === "Literal") checkSource(node, node.source.value);
          },
          "CallExpression[callee.property.name=/^(hook|preAction|postAction|preRun|postRun|persistentPreRun|onInitialize|onBeforeCommand|onAfterCommand)$/]":
            (node: Deno.lint.Node) => report(node, "hook registration"),
          'MemberExpression[object.name="console"]': (node: Deno.lint.Node) =>
            report(node, "console"),
          'MemberExpression[object.name="Deno"][property.name="env"]': (node: Deno.lint.Node) =>
            report(node, "environment read outside lib/config"),
          "Program > ExpressionStatement": (node: Deno.lint.Node) =>
            report(node, "module-level side effect"),
          "Program > VariableDeclaration > VariableDeclarator > AwaitExpression": (
            node: Deno.lint.Node,
          ) => report(node, "module-level await"),
          'Program > VariableDeclaration > VariableDeclarator > CallExpression[callee.object.name="Deno"]':
            (node: Deno.lint.Node) => report(node, "module-level side effect"),
          "Program > :matches(ForStatement, ForOfStatement, ForInStatement, WhileStatement, TryStatement, BlockStatement)":
            (node: Deno.lint.Node) => report(node, "module-level side effect"),
          "Program > IfStatement"(node) {
            // `if (import.meta.main)` is where a program starts; anything else runs on import.
            const test = node.test;
            const entry = test.type === "MemberExpression" &&
              test.object.type === "MetaProperty" && test.property.type === "Identifier" &&
              test.property.name === "main";
            if (!entry) report(node, "module-level side effect");
          },
        };
      },
    },
  },
};

function findings(source: string): string[] {
  return Deno.lint.runPlugin(rules, "main.ts", source).map((finding) => finding.message);
}

Deno.test("TestForbiddenPatterns: no hooks, no side effects on import, no console in the CLI", async () => {
  const root = new URL("..", import.meta.url);
  const files = ["main.ts"];
  for await (const entry of Deno.readDir(new URL("cli/", root))) {
    if (entry.isFile && entry.name.endsWith(".ts") && !entry.name.endsWith("_test.ts")) {
      files.push(`cli/${entry.name}`);
    }
  }
  assert.ok(files.length > 20);
  for (const file of files) {
    assert.deepEqual(findings(await Deno.readTextFile(new URL(file, root))), [], file);
  }
});

Deno.test("TestForbiddenPatternsDetectorCatchesEachHookForm: every spelling is seen", () => {
  const forbidden = [
    `import { program } from "commander";`,
    `import { program as p } from "npm:commander@15";`,
    `import * as c from "commander";`,
    `import commander from "commander";`,
    `import "gunshi";`,
    `import { cli } from "npm:gunshi@0.27.0";`,
    `export { cli } from "gunshi/plugin";`,
    `export * from "npm:yargs";`,
    `const f = () => import("commander");`,
    `import { Command } from "jsr:@cliffy/command";`,
    `export function f(c) { c.hook("preAction", g); }`,
    `export function f(c) { c.onBeforeCommand(g); }`,
    `export function f(c) { c["x"].persistentPreRun(g); }`,
    `register();`,
    `globalThis.x = 1;`,
    `await start();`,
    `const x = await start();`,
    `const x = Deno.readTextFileSync("a");`,
    `for (const x of [1]) f(x);`,
    `if (true) f();`,
    `try { f(); } catch { g(); }`,
    `export function f() { console.error("x"); }`,
    `export function f() { return Deno.env.get("HOME"); }`,
  ];
  for (const source of forbidden) assert.notDeepEqual(findings(source), [], source);
  const allowed = [
    `import { parse } from "./parse.ts";`,
    `const NAMES = new Set(["a"]);\nexport const x = [...NAMES];`,
    `const command = make({ name: "x" });`,
    `if (import.meta.main) Deno.exit(await main());`,
    `export function f() { return Deno.args; }`,
  ];
  for (const source of allowed) assert.deepEqual(findings(source), [], source);
});
