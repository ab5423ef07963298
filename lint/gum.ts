/** Lint rules of the project: what the architecture forbids and the stock rules cannot say. */

/** Folders whose code reaches the world only through what it is given. */
const QUIET = /\/(lib|mcp|cli|catalog)\//;

function isTest(path: string): boolean {
  return path.endsWith("_test.ts") || path.endsWith("_bench.ts") || path.includes("/testdata/");
}

const plugin: Deno.lint.Plugin = {
  name: "gum",
  rules: {
    // The logger is injected and stdout belongs to the result: nothing prints on its own.
    "no-console": {
      create(context) {
        const path = context.filename.replaceAll("\\", "/");
        if (!QUIET.test(path) || isTest(path)) return {};
        return {
          'MemberExpression[object.name="console"]'(node) {
            context.report({
              node,
              message: "console is not used here",
              hint: "take a Logger, or the command's stdout and stderr writers",
            });
          },
        };
      },
    },
    // A test fixture in production code would ship with the executable.
    "no-testdata-import": {
      create(context) {
        if (isTest(context.filename.replaceAll("\\", "/"))) return {};
        const check = (node: Deno.lint.ImportDeclaration | Deno.lint.ExportNamedDeclaration) => {
          if (node.source?.value.includes("testdata/")) {
            context.report({ node, message: "production code does not import from testdata" });
          }
        };
        return { ImportDeclaration: check, ExportNamedDeclaration: check };
      },
    },
  },
};

export default plugin;
