import assert from "node:assert/strict";
import { completionScript } from "./completion_scripts.ts";

/** Says with its exit code whether its standard input is PowerShell; 3 without the parser. */
const PARSE = `
import sys
try:
    import tree_sitter, tree_sitter_powershell
except ImportError:
    sys.exit(3)
parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_powershell.language()))
source = sys.stdin.buffer.read()
def faults(node):
    own = [node.start_point.row + 1] if node.type == "ERROR" or node.is_missing else []
    return own + [line for child in node.children for line in faults(child)]
found = faults(parser.parse(source).root_node) if source else []
print(found)
sys.exit(1 if found else 0)
`;

async function parse(script: string): Promise<number> {
  try {
    const child = new Deno.Command("python3", {
      args: ["-c", PARSE],
      stdin: "piped",
      stdout: "null",
      stderr: "null",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(script));
    await writer.close();
    return (await child.status).code;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.BrokenPipe) return 3;
    throw error;
  }
}

const ignore = await parse(" ") === 3;
const name = "TestCLICompletionsAllShells: the PowerShell script parses";

Deno.test({
  name: ignore ? `${name} (ignored: python3 with tree-sitter-powershell is not installed)` : name,
  ignore,
  async fn() {
    assert.equal(await parse("foreach ($x in $y { }"), 1);
    for (const descriptions of [true, false]) {
      assert.equal(await parse(completionScript("powershell", descriptions)), 0);
    }
  },
});
