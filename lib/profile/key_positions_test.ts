import assert from "node:assert/strict";
import fc from "fast-check";
import { parse as parseToml } from "smol-toml";
import { keyPositions } from "./key_positions.ts";
import { readProfileText } from "./parse_file.ts";

function lines(text: string): (number | undefined)[] {
  return readProfileText(text, { path: "f.toml" }).problems.map(({ line }) => line);
}

Deno.test("TestParseFileReadsDocumentedEnvelope: a fault is reported where it stands, not where its name does", () => {
  const longerNameFirst = `[output_profiles."mail.other"]
limit = 1
[output_profiles.mail]
# limit = 3
on_empty = """
limit = 4"""
limit = -1
`;
  assert.deepEqual(lines(longerNameFirst), [7]);
  const subTable = `[output_profiles.a.collapse_arrays]
max_items = -1
[output_profiles.b]
collapse_arrays = { max_items = 1 }
`;
  assert.deepEqual(lines(subTable), [2]);
  const bindings = `[output_profiles.x]
limit = 1
[override_bindings]
"gmail.users.messages.list" = "x"
"gmail.users.labels.list" = 7
`;
  assert.deepEqual(lines(bindings), [5]);
  const tests = `limit = 1
[[tests]]
name = "one"
fixture = "f"
[[tests]]
name = "two"
fixture = "f"
expect_max_tokens = 0
[[tests]]
name = "three"
`;
  assert.deepEqual(lines(tests), [8, 9]);
  assert.deepEqual(lines("[output_profiles.a]\ndedupe = {}\n"), [2]);
  assert.deepEqual(lines('[output_profiles.a]\nkeep_fields = [\n  "x", # ]\n  "",\n]\n'), [4]);
  assert.deepEqual(lines('[output_profiles.x]\nlimit = 1\n[output_profiles."-x"]\n'), [3]);
  assert.deepEqual(lines("[output_profiles.x]\nlimit = 1\n[unknown]\na = 1\n"), [3]);
});

/** A table's text, one member a line, each value in one of TOML's ways of writing it. */
const KEY = fc.oneof(
  fc.constantFrom("a", "b-c", "x_1"),
  fc.string({ unit: fc.constantFrom("a", ".", '"', "#", "]", "=", "é", "\n", "\\", "'") }),
);
const VALUES: readonly string[] = [
  "1",
  "true",
  '"x # y = [z]"',
  "'it''s'".replace("''", ""),
  '"""\nk = 1\n[t]\n\\""""',
  "'''\n[decoy]\na = 1 '''",
  "1979-05-27 07:32:00Z",
  '[1, "]", [2,\n # a = 1\n 3], { k = "}" }]',
  "{ k = 1, l = [ { m = '}' } ] }",
  "{ }",
  "+1.5e3",
];

Deno.test("TestParseFileReadsDocumentedEnvelope: every key of any text is found on its line", () => {
  const written = (key: string) => /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
  const table = fc.record({
    path: fc.array(KEY, { minLength: 1, maxLength: 3 }),
    members: fc.uniqueArray(fc.tuple(KEY, fc.constantFrom(...VALUES)), {
      maxLength: 4,
      selector: ([key]) => key,
    }),
    list: fc.boolean(),
    gap: fc.constantFrom("", "\n", "# [c]\n", "  \t"),
  });
  let checked = 0;
  fc.assert(
    fc.property(fc.array(table, { maxLength: 4 }), (tables) => {
      let text = "";
      const wanted: { path: string[]; line: number }[] = [];
      const line = () => text.split("\n").length;
      tables.forEach(({ path, members, list, gap }, index) => {
        text += gap;
        const top = [`t${index}`, ...path];
        const header = top.map(written).join(" . ");
        const place = list ? [...top, "0"] : top;
        wanted.push({ path: place, line: line() });
        text += list ? `[[ ${header} ]] # x\n` : `[${header}]\r\n`;
        for (const [key, value] of members) {
          wanted.push({ path: [...place, key], line: line() });
          text += ` ${written(key)}\t= ${value} # [q]\n`;
        }
      });
      parseToml(text); // the text must be what the scanner may assume
      const find = keyPositions(text);
      for (const { path, line } of wanted) {
        assert.equal(find(path)?.line, line, JSON.stringify({ path, text }));
        checked++;
      }
    }),
    { numRuns: 500 },
  );
  assert.ok(checked > 500);
});

Deno.test("TestParseFileReadsDocumentedEnvelope: elements, inline members and absent keys have a place", () => {
  const find = keyPositions(
    'a = { b = [1,\n  { c = 1 }] }\nd."e.f" = 2\n[[g]]\n[g.h]\ni = 1\n[[g]]\ni = 2\n',
  );
  assert.deepEqual(find(["a", "b", "1", "c"]), { line: 2, column: 5 });
  assert.deepEqual(find(["a", "b", "0"]), { line: 1, column: 12 });
  assert.deepEqual(find(["a", "b", "7", "x"]), { line: 1, column: 7 });
  assert.deepEqual(find(["d", "e.f"]), { line: 3, column: 1 });
  assert.deepEqual(find(["g", "0", "h", "i"]), { line: 6, column: 1 });
  assert.deepEqual(find(["g", "1", "i"]), { line: 8, column: 1 });
  assert.equal(find(["z"]), undefined);
});
