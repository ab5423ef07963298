/** Lint rules of the project: what the architecture forbids and the stock rules cannot say. */

/** Folders whose code reaches the world only through what it is given. */
const QUIET = /\/(lib|mcp|cli|catalog)\//;

function isTest(path: string): boolean {
  return path.endsWith("_test.ts") || path.endsWith("_bench.ts") || path.includes("/testdata/");
}

/** Words that name nothing: a file called so has no subject. */
const VAGUE = /(?:^|_)(?:utils?|helpers?|(?<!data_)manager|common|misc|stuff)(?:_|\.|$)/;

/** More than this reads like a puzzle at the place of the call; new code keeps to two. */
const MOST_POSITIONAL = 3;

/** @param node any function; rest parameters and a declared `this` are none of its positions */
function positionalCount(node: { params: Deno.lint.Parameter[] }): number {
  return node.params.filter((one) =>
    one.type !== "RestElement" && !(one.type === "Identifier" && one.name === "this")
  ).length;
}

/** The name that an exported declaration introduces first. */
function declaredName(declaration: Deno.lint.ExportNamedDeclaration["declaration"]): string {
  if (declaration === null || declaration === undefined) return "";
  if (declaration.type === "VariableDeclaration") {
    const id = declaration.declarations[0]?.id;
    return id?.type === "Identifier" ? id.name : "";
  }
  return "id" in declaration && declaration.id?.type === "Identifier" ? declaration.id.name : "";
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
    // A reader of the documentation sees every export; one without a line is a riddle.
    "exported-jsdoc": {
      create(context) {
        if (isTest(context.filename.replaceAll("\\", "/"))) return {};
        // Only the first overload of a function carries the comment.
        const documented = new Set<string>();
        return {
          ExportNamedDeclaration(node) {
            const name = declaredName(node.declaration);
            if (name === "" || documented.has(name)) return;
            const comments = context.sourceCode.getCommentsBefore(node);
            if (comments.some(({ type, value }) => type === "Block" && value.startsWith("*"))) {
              documented.add(name);
            } else context.report({ node, message: `${name} is exported without a JSDoc line` });
          },
        };
      },
    },
    // What is left to do belongs where it is looked for: the matrix or an issue.
    "no-left-over-note": {
      create(context) {
        return {
          Program() {
            for (const { value, range } of context.sourceCode.getAllComments()) {
              if (!/\b(?:TODO|FIXME|XXX|HACK)\b/.test(value)) continue;
              context.report({ range, message: "a note about work to do in a comment" });
            }
          },
        };
      },
    },
    "no-vague-file-name": {
      create(context) {
        const name = context.filename.replaceAll("\\", "/").split("/").at(-1) ?? "";
        if (/^[a-z0-9_.]+$/.test(name) && !VAGUE.test(name)) return {};
        return {
          Program(node) {
            context.report({ node, message: `${name}: files are snake_case and named by subject` });
          },
        };
      },
    },
    "few-positional-parameters": {
      create(context) {
        if (isTest(context.filename.replaceAll("\\", "/"))) return {};
        const check = (node: Deno.lint.FunctionDeclaration | Deno.lint.FunctionExpression) => {
          if (positionalCount(node) <= MOST_POSITIONAL) return;
          context.report({
            node,
            message: "too many positional parameters",
            hint: "name them in an options object",
          });
        };
        return { FunctionDeclaration: check, FunctionExpression: check };
      },
    },
  },
};

export default plugin;
