import assert from "node:assert/strict";
import fc from "fast-check";
import { type JsonValue, parseJson } from "../json/mod.ts";
import {
  cellText,
  cutToWidth,
  encodeCsv,
  encodeMarkdown,
  renderTable,
  renderValuePath,
  textWidth,
} from "./mod.ts";

const csv = (json: string) => encodeCsv(parseJson(json))?.text;
const markdown = (json: string) => encodeMarkdown(parseJson(json))?.text;

Deno.test("TestRenderCSVKeepsTopLevelScalars: members beside the records repeat on each row", () => {
  assert.equal(
    csv(
      '{"messages":[{"id":"m1"},{"id":"m2"}],"nextPageToken":"tok","labels":["a","b"],"id":"outer"}',
    ),
    "id,_id,labels,nextPageToken\nm1,outer,[2 items],tok\nm2,outer,[2 items],tok\n",
  );
});

Deno.test("TestRenderCSVKeepsSecondaryArrayCounts: a second array shows its length and is reported", () => {
  const table = encodeCsv({ items: [{ a: 1 }], other: [1, 2, 3] });
  assert.equal(table?.text, "a,other\n1,[3 items]\n");
  assert.deepEqual(table?.countedArrays, ["other"]);
});

Deno.test("TestRenderCSVEnvelopeSurvivesZeroRows: no records, one row of the rest", () => {
  assert.equal(csv('{"messages":[],"nextPageToken":"tok"}'), "nextPageToken\ntok\n");
  assert.equal(csv('{"messages":[]}'), "value\n");
  assert.equal(csv("[]"), "value\n");
});

Deno.test("TestRenderCSVEnvelopeNameCollision: underscores until the name is free", () => {
  assert.equal(csv('{"items":[{"id":1,"_id":2}],"id":"o"}'), "_id,id,__id\n2,1,o\n");
  assert.equal(
    csv('{"items":[{"id":1}],"id":"o","_id":"p"}'),
    "id,_id,__id\n1,p,o\n",
  );
});

Deno.test("TestRenderCSVUnchangedWithoutAnEnvelope: a single array is a plain table", () => {
  assert.equal(
    csv('{"siteEntry":[{"permissionLevel":"siteOwner","siteUrl":"sc-domain:turek.co"}]}'),
    "permissionLevel,siteUrl\nsiteOwner,sc-domain:turek.co\n",
  );
});

Deno.test("TestRenderCSVDoesNotTruncate: a long cell stays whole", () => {
  const long = "x".repeat(5_000);
  assert.equal(csv(JSON.stringify([{ a: long }])), `a\n${long}\n`);
});

Deno.test("TestApplyEncodesCSV: scalars, mixed arrays, plain objects, quoting", () => {
  assert.equal(csv('[1,null,"x"]'), 'value\n1\n""\nx\n');
  assert.equal(csv('[{"a":1},2]'), "a,value\n1,\n,2\n");
  assert.equal(csv('[{"value":1},2]'), "value,_value\n1,\n,2\n");
  assert.equal(csv('{"b":null,"a":{"x":1}}'), 'field,value\na,"{""x"":1}"\nb,\n');
  assert.equal(csv('"s"'), "value\ns\n");
  assert.equal(
    csv('[{"a":"p,q","b":"\\" x","c":"l\\nm","d":" edge"}]'),
    'a,b,c,d\n"p,q",""" x","l\nm"," edge"\n',
  );
});

Deno.test("TestApplyEncodesCSV: rows that are lists get a column for each place, ragged ones too", () => {
  assert.equal(
    csv('{"range":"S!A1:B3","values":[["Item","Due"],["a, b"],[1,true]]}'),
    '1,2,range\nItem,Due,S!A1:B3\n"a, b",,S!A1:B3\n1,true,S!A1:B3\n',
  );
  assert.equal(csv("[[1,null],[]]"), "1,2\n1,\n,\n");
  assert.equal(csv('[[1],"x"]'), "value\n[1]\nx\n");
  assert.equal(csv("[[],[]]"), "value\n[]\n[]\n");
});

Deno.test("TestApplyEncodesCSV: formulas are disarmed, also after whitespace; numbers are not touched", () => {
  assert.equal(csv('{"rows":[{"name":"=SUM(A1:A9)","n":-5}]}'), "n,name\n-5,'=SUM(A1:A9)\n");
  for (const lead of ["", "\t", "\r", "\n", " ", "\u00a0"]) {
    for (const sign of ["=", "+", "-", "@"]) {
      const text = encodeCsv([{ a: `${lead}${sign}cmd` }])?.text ?? "";
      assert.match(text, /^a\n"?'/, JSON.stringify(lead + sign));
    }
  }
  assert.equal(csv('[{"=a":1,"b":-1e19}]'), "'=a,b\n1,-10000000000000000000\n");
});

function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const pattern = /("(?:[^"]|"")*"|[^,\n]*)(,|\n)/gy;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const cell = match[1] ?? "";
    row.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (match[2] === "\n") {
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

Deno.test("TestApplyEncodesCSV: no cell is ever lost", () => {
  const scalar = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.integer(),
    fc.constantFrom("=x", "\t-", 'a"b', "c\nd", "e,f"),
  );
  const record = fc.dictionary(fc.string({ minLength: 1 }), scalar, { minKeys: 1, maxKeys: 4 });
  fc.assert(
    fc.property(fc.array(record, { minLength: 1, maxLength: 5 }), (rows) => {
      const [header = [], ...body] = parseCsv(encodeCsv(rows as JsonValue)?.text ?? "");
      const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].sort();
      const plain = (cell: string) => cell.replace(/^'(?=\s*[=+\-@])/, "");
      assert.deepEqual(header.map(plain), columns.map(plain));
      assert.equal(body.length, rows.length);
      rows.forEach((row, index) =>
        columns.forEach((column, at) => {
          const value = Object.hasOwn(row, column) ? row[column] : undefined;
          assert.equal(
            plain(body[index]?.[at] ?? "missing"),
            plain(cellText(value as JsonValue | undefined)),
          );
        })
      );
    }),
    { numRuns: 300 },
  );
});

Deno.test("TestApplyEncodesCSV: no row is a blank line, which readers skip", () => {
  assert.equal(csv('[{"a":null},{"a":"x"}]'), 'a\n""\nx\n');
  assert.equal(csv('{"messages":[],"n":null}'), 'n\n""\n');
  assert.equal(csv('[{"":1}]'), '""\n1\n');
  assert.equal(csv("[[],[null]]"), '1\n""\n""\n');
  const value = fc.oneof(fc.constantFrom(null, "", "x"), fc.constant([]), fc.constant({}));
  const row = fc.oneof(value, fc.dictionary(fc.constantFrom("", "a"), value, { maxKeys: 2 }));
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 4 }), (rows) => {
      const lines = csv(JSON.stringify(rows))?.split("\n") ?? [];
      assert.equal(lines.pop(), "");
      assert.equal(lines.length, rows.length + 1);
      assert.ok(!lines.includes(""), JSON.stringify(lines));
    }),
    { numRuns: 300 },
  );
});

Deno.test("TestApplyEncodesMarkdown: records without members are rows, not none", () => {
  assert.equal(markdown('{"messages":[{},{}]}'), "| value |\n| --- |\n| {} |\n| {} |\n");
  assert.equal(markdown("[{},1]"), "| value |\n| --- |\n| {} |\n| 1 |\n");
  assert.equal(renderTable([{}]), "value\n-----\n{}\n");
  assert.equal(csv("[{},{}]"), "value\n{}\n{}\n");
});

/** Cells of a table line by GitHub's rules: a backslash escapes what follows, then text is read. */
function markdownCells(line: string): string[] {
  const cells = [...line.slice(1).matchAll(/((?:\\[^]|[^\\|])*)\|/g)].map(([, cell = ""]) => cell);
  return cells.map((cell) => cell.slice(1, -1).replaceAll("\\|", "|"));
}

Deno.test("TestRenderMarkdownDoesNotTruncate: no text leaves its cell, whatever it escapes", () => {
  assert.equal(
    markdown(String.raw`[{"a":"x\\|y","b":1}]`)?.split("\n")[2],
    String.raw`| x\\\|y | 1 |`,
  );
  const cell = fc.string({ unit: fc.constantFrom("|", "\\", "a", " ", "\n", "-") });
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 3 }), (rows) => {
      const text = markdown(JSON.stringify(rows.map(([a, b]) => ({ a, b })))) ?? "";
      const lines = text.trimEnd().split("\n").slice(2).map(markdownCells);
      // A renderer shows two backslashes before a pipe as one; elsewhere they are as they were.
      const shown = (value: string) => value.replace(/(\\+)(?=\|)/g, (run) => run + run);
      const wanted = rows.map((row) => row.map((value) => shown(value.replaceAll("\n", " "))));
      assert.deepEqual(lines, wanted);
    }),
    { numRuns: 500 },
  );
});

Deno.test("TestRenderMarkdownDoesNotTruncate: pipes are escaped, nothing is cut", () => {
  assert.equal(markdown('[{"a":1,"b":"x|y"}]'), "| a | b |\n| --- | --- |\n| 1 | x\\|y |\n");
  const long = "word ".repeat(500).trim();
  assert.ok(markdown(JSON.stringify([{ a: long }]))?.includes(long));
});

Deno.test("TestApplyEncodesMarkdown: members, table, counts, empty tables", () => {
  assert.equal(
    markdown('{"items":[{"a":"p\\r\\nq"}],"token":"t","other":[1,2],"n":null}'),
    "n: \ntoken: t\n\n| a |\n| --- |\n| p q |\n\nother: [2 items]\n",
  );
  assert.equal(markdown("[]"), "(no rows)\n");
  assert.equal(markdown('{"a":1}'), "| field | value |\n| --- | --- |\n| a | 1 |\n");
});

Deno.test("TestRenderTableStillTruncates: cells stop at 60 columns, wide characters whole", () => {
  const text = renderTable([{ id: "x", note: "y".repeat(100) }, { id: "日本", note: "z" }]) ?? "";
  assert.equal(
    text,
    `id    note\n----  ${"-".repeat(60)}\nx     ${"y".repeat(59)}…\n日本  z\n`,
  );
  assert.equal(textWidth("日本e\u0301\u200b"), 5);
  assert.equal(cutToWidth("日".repeat(40), 60), "日".repeat(29) + "…");
  assert.equal(cutToWidth("日".repeat(30), 60), "日".repeat(30));
});

Deno.test("TestRenderTableStillTruncates: nothing in a terminal table is invisible", () => {
  const text = renderTable([{ a: "x\u001b[31m\u202ey\nz" }]) ?? "";
  assert.ok(text.includes("x<U+001B>[31m<U+202E>y z"));
});

Deno.test("TestRenderTableStillTruncates: value(path) prints one text per match", () => {
  const value = parseJson('{"items":[{"id":"a","tags":["x","y"]},{"id":"b"}],"n":{"Deep":5}}');
  assert.equal(renderValuePath(value, "n.Deep"), "5\n");
  assert.equal(renderValuePath(value, "n.deep"), "");
  assert.equal(renderValuePath(value, "items[].id"), "a\nb\n");
  assert.equal(renderValuePath(value, "items[0].tags[1]"), "y\n");
  assert.equal(renderValuePath(value, "items[7].id"), "");
  assert.equal(renderValuePath(value, "items[x]"), undefined);
});
