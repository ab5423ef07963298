import { deepStrictEqual, equal, ok } from "node:assert/strict";
import { isJsonObject, type JsonObject } from "../lib/json/mod.ts";
import { createMcpSurface } from "./mod.ts";
import { fakeHelp, fakeSession } from "./testdata/fake_session.ts";
import { withPeer } from "./testdata/raw_peer.ts";

const NAMES = ["gum.audit_recent_writes", "gum.summarize_workspace_for_today"];

Deno.test("TestPromptRegistration: two prompts, one user text each, under 6 KiB, about real tools", async () => {
  const surface = createMcpSurface(fakeSession().session, { version: "t", help: fakeHelp });
  const tools = new Map(
    surface.tools.snapshot().tools.map(({ definition }) => [definition.name, definition]),
  );
  await withPeer(fakeSession().session, {}, async (peer) => {
    const { result } = await peer.request("prompts/list");
    deepStrictEqual((result as { prompts: JsonObject[] }).prompts.map(({ name }) => name), NAMES);
    for (const name of NAMES) {
      const got = (await peer.request("prompts/get", { name })).result as JsonObject;
      const [message, ...others] = got.messages as JsonObject[];
      equal(others.length, 0);
      equal(message?.role, "user");
      const content = message?.content as JsonObject;
      equal(content.type, "text");
      const text = String(content.text);
      ok(new TextEncoder().encode(text).length < 6144);
      ok(text.includes("GUM MCP server"));
      const mentioned = text.match(
        /\b(?:gum\.[a-z_]+|(?:gmail|drive|calendar|docs|sheets|slides|tasks)_[a-z_]+)\b/g,
      );
      ok(mentioned && mentioned.length > 2);
      for (const tool of mentioned) ok(tools.has(tool), tool);
      // Arguments are written as `name "value"` behind "with": each must exist on some named tool.
      const known = new Set(
        mentioned.flatMap((tool) => {
          const properties = tools.get(tool)?.inputSchema.properties;
          return isJsonObject(properties) ? Object.keys(properties) : [];
        }),
      );
      for (const [, argument = ""] of text.matchAll(/\b(?:with|and|,) ([a-z][a-zA-Z]+) ["\d]/g)) {
        ok(known.has(argument), argument);
      }
    }
  });
});

Deno.test("TestPromptZeroArgumentContract: entries declare no arguments", async () => {
  await withPeer(fakeSession().session, {}, async (peer) => {
    const { result } = await peer.request("prompts/list");
    for (const prompt of (result as { prompts: JsonObject[] }).prompts) {
      deepStrictEqual(prompt.arguments, []);
      deepStrictEqual(Object.keys(prompt).toSorted(), [
        "arguments",
        "description",
        "name",
        "title",
      ]);
      const name = prompt.name ?? "";
      ok((await peer.request("prompts/get", { name })).result);
      ok((await peer.request("prompts/get", { name, arguments: {} })).result);
    }
  });
});

Deno.test("TestPromptsGetInvalidArgs: any argument and any other name are refused", async () => {
  await withPeer(fakeSession().session, {}, async (peer) => {
    const get = async (params: JsonObject) =>
      (await peer.request("prompts/get", params)).error as JsonObject;
    const extra = await get({ name: NAMES[0] ?? "", arguments: { z: "1", a: "2" } });
    equal(extra.code, -32602);
    const data = extra.data as JsonObject;
    deepStrictEqual([data.error_code, data.prompt, data.unknown], [
      "INVALID_ARGS",
      NAMES[0],
      ["a", "z"],
    ]);
    const cases: JsonObject[] = [{ name: "none" }, {}, { name: 7 }];
    for (const params of cases) {
      const error = await get(params);
      equal(error.code, -32602);
      equal((error.data as JsonObject).error_code, "INVALID_ARGS");
    }
  });
});
