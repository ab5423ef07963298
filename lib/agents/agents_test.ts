import assert from "node:assert/strict";
import fc from "fast-check";
import { CLIENTS_WITHOUT_DOTS } from "../../mcp/tool_name_clients.ts";
import { type JsonValue, parseJson } from "../json/mod.ts";
import { AGENT_TARGETS, clientFile, serverArgs } from "./clients.ts";
import { diffLines, editBetween, undoEdit } from "./edits.ts";
import { hasComments, JsoncError, jsoncValue, memberAt, removeMember, setMember } from "./jsonc.ts";
import { forgetChange, recordedChanges, rememberChange } from "./restore.ts";
import { textBefore } from "./take_back.ts";
import { TOML_MARKS, withoutServer, withServer, withSortedServer } from "./server_entry.ts";

const PATH = ["mcpServers", "gum"];

Deno.test("jsonc: a member is set without touching comments, order or trailing commas", () => {
  const cases: [string, string][] = [
    ["{}", '{\n  "mcpServers": {\n    "gum": 1\n  }\n}'],
    ['{"a":1}', '{"a":1, "mcpServers": {"gum":1}}'],
    [
      '{\n\t// mine\n\t"mcpServers": {\n\t\t"a": 1, // keep\n\t},\n}\n',
      '{\n\t// mine\n\t"mcpServers": {\n\t\t"a": 1, // keep\n\t\t"gum": 1,\n\t},\n}\n',
    ],
    [
      '{\n  "mcpServers": {\n    "a": 1 /* x */\n  }\n}',
      '{\n  "mcpServers": {\n    "a": 1, /* x */\n    "gum": 1\n  }\n}',
    ],
    ['{\r\n  "mcpServers": {}\r\n}', '{\r\n  "mcpServers": {\r\n    "gum": 1\r\n  }\r\n}'],
    ['{"mcpServers":{"gum":{"old":true},"z":2}}', '{"mcpServers":{"gum":1,"z":2}}'],
    [
      "\ufeff{\n  // only this\n}",
      '\ufeff{\n  // only this\n  "mcpServers": {\n    "gum": 1\n  }\n}',
    ],
  ];
  for (const [before, after] of cases) assert.equal(setMember(before, PATH, 1), after);
});

Deno.test("jsonc: what is no object, or stands in the way, is refused with its line", () => {
  for (
    const text of ["", "[]", "5", "{", '{"a":}', '{"a":1 "b":2}', "{'a':1}", '{"a":01}', "{}x"]
  ) {
    assert.throws(() => setMember(text, PATH, 1), JsoncError, text);
  }
  assert.throws(() => setMember('{\n\n"a" 1}', PATH, 1), /line 3/);
  assert.throws(() => setMember('{"mcpServers":[]}', PATH, 1), /mcpServers is not an object/);
  assert.equal(hasComments('{"a":[1,2]}'), false);
  for (const text of ['{"a":1,}', '{"a":[1,]}', "{/**/}", "{}//"]) {
    assert.equal(hasComments(text), true);
  }
});

Deno.test("jsonc: setting agrees with JSON.parse, and removing gives every other member back", () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  const root = fc.dictionary(fc.string(), value, { maxKeys: 5 });
  fc.assert(fc.property(root, value, fc.constantFrom(0, 2, 4, "\t"), (object, set, indent) => {
    const text = JSON.stringify(object, null, indent);
    const written = setMember(text, ["gum servers"], set as JsonValue);
    const { "gum servers": _old, ...others } = object;
    assert.deepEqual(
      JSON.parse(written),
      JSON.parse(JSON.stringify({ ...object, "gum servers": set })),
    );
    assert.deepEqual(memberAt(written, ["gum servers"]), parseJson(JSON.stringify(set)));
    assert.deepEqual(
      JSON.parse(removeMember(written, ["gum servers"])),
      JSON.parse(JSON.stringify(others)),
    );
  }));
});

/** JSON with remarks, odd blanks and trailing commas wherever they may stand. */
function commentedObject(): fc.Arbitrary<string> {
  const gap = fc.constantFrom("", " ", "\n", "\n  ", "\r\n\t", " /* a, } */ ", '\n// b "{\n  ');
  const key = fc.constantFrom("a", "b c", "mcp", "//", "\u00e4");
  const { object } = fc.letrec<{ object: string; value: string }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.jsonValue({ maxDepth: 0 }).map((one) => JSON.stringify(one)),
      tie("object"),
      fc.tuple(gap, tie("value"), gap).map(([left, one, right]) => `[${left}${one}${right}]`),
    ),
    object: fc.tuple(
      fc.uniqueArray(fc.tuple(key, gap, gap, tie("value"), gap), {
        maxLength: 4,
        selector: ([name]) => name,
      }),
      gap,
      fc.boolean(),
    ).map(([members, inside, comma]) => {
      const texts = members.map(([name, before, between, one, after]) =>
        `${before}${JSON.stringify(name)}${between}:${between}${one}${after}`
      );
      return `{${texts.join(",")}${comma && texts.length > 0 ? "," : ""}${inside}}`;
    }),
  }));
  return object;
}

Deno.test("jsonc: with remarks anywhere, a member is only ever inserted, and comes out again", () => {
  fc.assert(fc.property(commentedObject(), (text) => {
    const after = setMember(text, PATH, { command: "gum" });
    assert.deepEqual(memberAt(after, PATH), { command: "gum" });
    const edit = editBetween(text, after);
    assert.ok(after.length > text.length);
    assert.equal(undoEdit(after, edit), text);
    const without = removeMember(after, PATH);
    assert.equal(memberAt(without, PATH), undefined);
    for (const name of ["a", "mcp", "//"]) {
      assert.deepEqual(memberAt(without, [name]), memberAt(text, [name]), name);
    }
  }));
});

Deno.test("take back: whatever was written around gum's entry since, only the entry goes", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const path = "/x/mcp.json";
    const target = "cursor";
    const edits = fc.constantFrom(
      (text: string) => text,
      (text: string) => text.replace("{", '{ "theirs": [1, "}"], // new\n'),
      (text: string) => "// new\n" + text + "\n/* end */",
      (text: string) => JSON.stringify(jsoncValue(text), null, "\t"),
    );
    await fc.assert(
      fc.asyncProperty(commentedObject(), edits, async (text, edit) => {
        const installed = withServer(text, { target });
        await rememberChange(directory, { path, before: text, after: installed });
        const change = (await recordedChanges(directory)).get(path);
        const now = edit(installed);
        const left = await textBefore(now, { target, change });
        if (now === installed) return assert.equal(left, text);
        assert.deepEqual(jsoncValue(left), jsoncValue(withoutServer(now, target)));
        for (const [remark] of now.matchAll(/\/\/ new|\/\* end \*\//g)) {
          assert.ok(left.includes(remark), remark);
        }
        const { theirs: _theirs, ...others } = jsoncValue(left) as Record<string, JsonValue>;
        assert.deepEqual(others, { ...jsoncValue(text) as Record<string, JsonValue> });
        await forgetChange(directory, path);
      }),
      { numRuns: 60 },
    );
    // An object that was empty before is there again, although the file was edited.
    const text = '{"mcpServers":{}}';
    const installed = withServer(text, { target });
    await forgetChange(directory, path);
    await rememberChange(directory, { path, before: text, after: installed });
    const change = (await recordedChanges(directory)).get(path);
    assert.equal(await textBefore(`${installed}\n`, { target, change }), `${text}\n`);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("edits: undoing an edit gives the text before it, also when other places changed", () => {
  fc.assert(fc.property(fc.string(), fc.string(), (before, after) => {
    const undone = undoEdit(after, editBetween(before, after));
    assert.ok(undone === before || undone === undefined);
    if (after.length > before.length) assert.equal(undone, before);
  }));
  const before = '{\n  "mcpServers": {\n    "a": 1\n  }\n}\n';
  const after = setMember(before, PATH, { command: "gum" });
  const edit = editBetween(before, after);
  assert.equal(undoEdit(after.replace('"a": 1', '"a": 222'), edit), before.replace("1", "222"));
  assert.equal(undoEdit("something else", edit), undefined);
});

Deno.test("edits: a diff shows what goes and comes with a little context", () => {
  assert.deepEqual(diffLines("a\nb\nc\nd\n", "a\nb\nx\nc\nd\n"), [
    "  a",
    "  b",
    "+ x",
    "  c",
    "  d",
  ]);
  assert.deepEqual(diffLines("", "a\n"), ["+ a"]);
  // Line ends of Windows show only where they change.
  assert.deepEqual(diffLines("a\r\n", "a\r\nb\r\n"), ["  a", "+ b"]);
  assert.deepEqual(diffLines("a\r\nz", "a\r\nb\r\nz"), ["  a", "+ b", "  z"]);
  assert.deepEqual(diffLines("a\r\n", "a\n"), ["- a\r", "+ a"]);
  assert.deepEqual(diffLines("a\nb\n", "a\nc\n"), ["  a", "- b", "+ c"]);
});

Deno.test("clients: those that refuse a dot in a tool name get the explicit flag", () => {
  assert.deepEqual(serverArgs("codex"), ["mcp", "--stdio", "--tool-names=underscore"]);
  assert.deepEqual(serverArgs("claude", ["--read-only"]), ["mcp", "--stdio", "--read-only"]);
  assert.deepEqual(serverArgs("codex", ["--tool-names=auto"]), [
    "mcp",
    "--stdio",
    "--tool-names=auto",
  ]);
  for (const target of AGENT_TARGETS) {
    // The table holds parts of announced names; `claude` alone is Claude Code, which takes dots.
    const listed = CLIENTS_WITHOUT_DOTS.includes(target);
    assert.equal(serverArgs(target).includes("--tool-names=underscore"), listed, target);
  }
});

Deno.test("clients: VS Code is looked for where its system keeps it", () => {
  const at = (os: typeof Deno.build.os, more: object = {}) =>
    clientFile("vscode", { scope: "user", places: { home: "/h", project: "/p", os, ...more } });
  assert.equal(at("linux"), "/h/.config/Code/User/mcp.json");
  assert.equal(at("linux", { configHome: "/x" }), "/x/Code/User/mcp.json");
  assert.equal(
    at("darwin", { configHome: "/x" }),
    "/h/Library/Application Support/Code/User/mcp.json",
  );
  assert.equal(at("windows", { appData: "/a" }), "/a/Code/User/mcp.json");
});

Deno.test("server entry: JSON clients, the typed form of VS Code, and nothing to do twice", () => {
  const text = withServer(undefined, { target: "vscode" });
  assert.deepEqual(JSON.parse(text), {
    servers: { gum: { args: ["mcp", "--stdio"], command: "gum", type: "stdio" } },
  });
  assert.equal(withServer(text, { target: "vscode" }), text);
  const reordered = '{"mcpServers":{"gum":{"command":"gum","args":["mcp","--stdio"]}}}';
  assert.equal(withServer(reordered, { target: "cursor" }), reordered);
  assert.equal(withoutServer(reordered, "cursor"), "{}");
});

Deno.test("server entry: gum init sorts plain JSON and keeps a file with comments as it is", () => {
  const sorted = withSortedServer('{"z":{"b":1,"a":2},"mcpServers":{"x":{}}}', "claude");
  assert.equal(
    sorted,
    '{\n  "mcpServers": {\n    "gum": {\n      "args": [\n        "mcp",\n        "--stdio"\n      ],\n' +
      '      "command": "gum"\n    },\n    "x": {}\n  },\n  "z": {\n    "a": 2,\n    "b": 1\n  }\n}\n',
  );
  const commented = withSortedServer('{\n  "z": 1, // last\n}\n', "claude");
  assert.match(commented, /^\{\n {2}"z": 1, \/\/ last\n {2}"mcpServers"/);
  // What a rewrite would lose keeps its place: a name given twice, a number no double holds.
  const twice = withSortedServer('{"mcpServers":{"a":1},"mcpServers":{"b":2}}', "claude");
  assert.match(twice, /^\{"mcpServers":\{"a":1\},"mcpServers":\{"b":2, "gum": /);
  assert.match(withSortedServer('{"n":1E400,"m":12345678901234567890}', "claude"), /: 1E400\n\}/);
  for (const bad of ["[]", "no", '{"mcpServers":3}']) {
    assert.throws(() => withSortedServer(bad, "claude"));
  }
});

Deno.test("TOML: the managed block is put in, replaced in place and taken out, the rest stays", () => {
  const block = `${TOML_MARKS.begin}\n[mcp_servers.gum]\ncommand = "gum"\n` +
    `args = ["mcp", "--stdio", "--tool-names=underscore"]\n${TOML_MARKS.end}\n`;
  assert.equal(withServer(undefined, { target: "codex" }), block);
  const before = 'model = "x" # mine\n';
  const after = withServer(before, { target: "codex" });
  assert.equal(after, `${before}\n${block}`);
  assert.equal(withServer(after, { target: "codex" }), after);
  assert.equal(withoutServer(after, "codex"), before);
  const changed = withServer(`${after}\n[profiles.a]\nx = 1\n`, {
    target: "codex",
    extra: ["--read-only"],
  });
  assert.match(
    changed,
    /"--read-only"\]\n# END gum managed mcp server\n\n\[profiles\.a\]\nx = 1\n$/,
  );
  for (
    const bad of [
      `${TOML_MARKS.begin}\n[mcp_servers.gum]\n`,
      `x = 1\n${TOML_MARKS.end}\n`,
      '[mcp_servers.gum]\ncommand = "other"\n',
      '[mcp_servers."gum"]\ncommand = "other"\n',
      'mcp_servers.gum.command = "other"\n',
      `${block}[mcp_servers.gum.env]\nA = "1"\n`,
    ]
  ) assert.throws(() => withServer(bad, { target: "codex" }), { name: "BlockError" }, bad);
});
