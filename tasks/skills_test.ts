/** What the skills show holds: their commands run in docs_test.ts, their tool calls here. */

import assert from "node:assert/strict";
import { isJsonObject, type JsonObject } from "../lib/json/mod.ts";
import { bundledSkills } from "../lib/skills/mod.ts";
import { withEmulator } from "../mcp/testdata/emulated.ts";
import { envelopeOf, textOf, withPeer } from "../mcp/testdata/raw_peer.ts";

async function bodyOf(name: string): Promise<string> {
  const body = (await bundledSkills()).find((skill) => skill.name === name)?.body;
  assert.ok(body !== undefined);
  return body;
}

interface ShownCall {
  name: string;
  arguments: JsonObject;
}

function shownCalls(markdown: string): ShownCall[] {
  return [...markdown.matchAll(/^ *```json\n([\s\S]*?)^ *```/gm)]
    .flatMap(([, block = ""]) => block.trim().split("\n"))
    .map((line) => {
      const { name, arguments: args } = JSON.parse(line);
      assert.ok(typeof name === "string" && isJsonObject(args), line);
      return { name, arguments: args };
    });
}

Deno.test("skills: every tool call the MCP skill shows works on the emulator, confirmed where asked", async () => {
  const calls = shownCalls(await bodyOf("mcp"));
  assert.deepEqual(calls.map(({ name }) => name), [
    "gum.search_apis",
    "gum.describe_op",
    "gum.read",
    "gum.write",
    "gum.destructive",
  ]);
  await withEmulator(async (session) => {
    await withPeer(session, {}, async (peer) => {
      for (const { name, arguments: args } of calls) {
        let result = await peer.call(name, args);
        if (result.isError === true) {
          const asked = envelopeOf(result);
          assert.equal(asked.error_code, "REQUIRES_CONFIRMATION", `${name}: ${textOf(result)}`);
          result = await peer.call(name, {
            ...args,
            confirmed: true,
            confirmation_token: asked.confirmation_token ?? "",
          });
        }
        assert.equal(result.isError, undefined, `${name}: ${textOf(result)}`);
      }
    });
  });
});

Deno.test("skills: every tool, resource and argument the MCP skill names exists", async () => {
  const body = await bodyOf("mcp");
  await withEmulator(async (session) => {
    await withPeer(session, {}, async (peer) => {
      const { result } = await peer.request("tools/list", {}) as unknown as {
        result: { tools: { name: string; inputSchema: { properties: JsonObject } }[] };
      };
      const { tools } = result;
      const names = new Set(tools.map(({ name }) => name));
      for (
        const [, name = ""] of body.matchAll(
          /`((?:gum\.|gmail_|drive_|calendar_|docs_|sheets_|slides_|tasks_|flights_)[a-z_]+)`/g,
        )
      ) {
        assert.ok(names.has(name), name);
      }
      // Nor is a shortcut that the server lists left out.
      for (const name of names) {
        if (name.includes(".") || name.startsWith("skills_")) continue;
        assert.ok(body.includes(`\`${name}\``), `${name} is listed, and the skill is silent`);
      }
      const read = tools.find(({ name }) => name === "gum.read")?.inputSchema.properties ?? {};
      for (const argument of ["args", "fields", "page_size", "page_token", "format", "max_items"]) {
        assert.ok(argument in read, argument);
        assert.ok(body.includes(`\`${argument}`), argument);
      }
      const refused = await peer.call("gum.read", {
        op_id: "gmail.users.labels.delete",
        args: { id: "Label_1" },
      });
      assert.equal(envelopeOf(refused).required_tool, "gum.destructive");
      const topics = await peer.request("resources/read", { uri: "gum://help/topics" });
      assert.ok(JSON.stringify(topics).includes("one_line_description"));
    });
  });
});
