import assert from "node:assert/strict";
import fc from "fast-check";
import { GumError } from "../../errors/mod.ts";
import { isRawNumber, type JsonValue, parseJson } from "../../json/mod.ts";
import {
  decodeToonDocument,
  encodeDocument,
  encodeToonDocument,
  ToonDecodeError,
  toonDocumentFrom,
  type ToonDocumentOptions,
  toonDocumentValue,
} from "../mod.ts";

const IDS = { op: "gmail.users.messages.list", variant: "gmail.v1.rest.users.messages.list" };
const HEAD = `op: ${IDS.op}\nvariant: ${IDS.variant}\nformat_version: 1\n`;

function encode(json: string, options: Partial<ToonDocumentOptions> = {}): string | undefined {
  return encodeToonDocument(parseJson(json), { ...IDS, ...options });
}

/** Text of the worked example after the three fixed lines. */
function example(json: string, options: Partial<ToonDocumentOptions> = {}): string {
  const text = encode(json, options) ?? "not representable";
  assert.ok(text.startsWith(HEAD), text);
  return text.slice(HEAD.length);
}

Deno.test("TestToonVariantHeader: the header names op, variant and version, then the columns", () => {
  assert.equal(
    encode('[{"id":"m1","threadId":"t1"},{"id":"m2","threadId":"t1"}]'),
    HEAD + "count: 2\nfields: id,threadId\n\nm1,t1\nm2,t1\n",
  );
});

Deno.test("TestEncodeDocument: page token, record name and other members stay in the header", () => {
  assert.equal(
    example(
      '{"messages":[{"id":"18abc001","threadId":"18abc001"},{"id":"18abc002","threadId":"18abc002"}],' +
        '"resultSizeEstimate":25,"nextPageToken":"tok_abc"}',
    ),
    "count: 2\nfields: id,threadId\nnext_page_token: tok_abc\nrecords: messages\n" +
      "meta.resultSizeEstimate: 25\n\n18abc001,18abc001\n18abc002,18abc002\n",
  );
});

Deno.test("TestEncodeDocument: null and the empty string are different cells", () => {
  const rows = '[{"id":"msg001","snippet":null,"size_estimate":42},' +
    '{"id":"msg002","snippet":"","size_estimate":null},' +
    '{"id":"msg003","snippet":"hello","size_estimate":7}]';
  assert.equal(
    example(rows, { columns: ["id", "snippet", "size_estimate"] }),
    'count: 3\nfields: id,snippet,size_estimate\n\nmsg001,,42\nmsg002,"",\nmsg003,hello,7\n',
  );
});

Deno.test("TestEncodeDocument: nested values, commas, quotes and newlines", () => {
  assert.equal(
    example(
      '{"items":[{"id":"ev1","start":{"dateTime":"2026-05-22T09:00:00Z"},"summary":"Team, standup"},' +
        '{"id":"ev2","summary":"He said \\"hi\\"\\nok"}]}',
    ),
    "count: 2\nfields: id,start,summary\nrecords: items\njson_fields: start\n\n" +
      'ev1,"{""dateTime"":""2026-05-22T09:00:00Z""}","Team, standup"\n' +
      'ev2,,"He said ""hi""\nok"\n',
  );
});

Deno.test("TestEncodeDocument: strings that look like something else are quoted", () => {
  assert.equal(
    example('[{"a":"27100","b":27100,"c":"true","d":true,"e":""}]'),
    'count: 1\nfields: a,b,c,d,e\n\n"27100",27100,"true",true,""\n',
  );
  for (const text of ["1e5", "+1", ".5", "1.", "0x1F", "-0X1", "Inf", "-infinity", "NaN", "null"]) {
    assert.ok(example(JSON.stringify([{ a: text }])).endsWith(`\n\n"${text}"\n`), text);
  }
  for (const text of ["1e", "1.2.3", "nullx", "infinite", "tru", " 1", "-", "٣", "tom"]) {
    assert.ok(example(JSON.stringify([{ a: text }])).endsWith(`\n\n${text}\n`), text);
  }
});

Deno.test("TestEncodeDocument: empty lists", () => {
  assert.equal(example('{"messages":[]}'), "count: 0\nfields: \nrecords: messages\n\n{}\n");
  assert.equal(example("[]"), "count: 0\nfields: \n\n{}\n");
});

Deno.test("TestReplayMeasuresTheNineZeroDocument: a column of zeros goes, a zero among others is a gap", () => {
  const options = { omitZeroCounts: true };
  assert.equal(
    example('[{"id":"a","n":0},{"id":"b","n":0}]', options),
    "count: 2\nfields: id\n\na\nb\n",
  );
  assert.equal(
    example('[{"id":"a","n":0},{"id":"b","n":3}]', options),
    "count: 2\nfields: id,n\n\na,\nb,3\n",
  );
});

Deno.test("TestEncodeDocument: counts and a second array survive as meta lines", () => {
  assert.equal(
    example('{"items":[{"id":1},{"id":2}],"omitted_count":3}'),
    "count: 2\nfields: id\nrecords: items\nmeta.omitted_count: 3\n\n1\n2\n",
  );
  assert.equal(
    example(
      '{"results":[{"m":"1","text":"a"}],"results_omitted_count":143,"unmatchedInputs":["x","y"]}',
    ),
    "count: 1\nfields: m,text\nrecords: results\nmeta.results_omitted_count: 143\n" +
      'meta.unmatchedInputs: ["x","y"]\n\n"1",a\n',
  );
});

Deno.test("TestEncodeDocument: rows of nulls and awkward field names", () => {
  assert.equal(example('[{"a":null},{"a":null}]'), "count: 2\nfields: a\n\n\n\n");
  assert.equal(
    example('[{"a,b":1,"c\\"d":2}]'),
    'count: 1\nfields: "a,b","c""d"\n\n1,2\n',
  );
  const edges = '[{" a":1,"":2,"b\\u00a0":3}]';
  const decoded = decodeToonDocument(encode(edges) ?? "");
  assert.deepEqual(toonDocumentValue(decoded), JSON.parse(edges));
});

Deno.test("TestEncodeDocument: numbers have no exponent and keep every digit", () => {
  assert.equal(
    example('[{"a":1e19,"b":1e-7,"c":-0,"d":12345678901234567890,"e":-1.5e-3,"f":2.5e3}]'),
    "count: 1\nfields: a,b,c,d,e,f\n\n10000000000000000000,0.0000001,0,12345678901234567890,-0.0015,2500\n",
  );
});

Deno.test("TestEncodeDocument: an awkward page token is a meta line", () => {
  for (const token of ["", " x", "a\nb"]) {
    const text = encode(JSON.stringify({ items: [{ a: 1 }], nextPageToken: token })) ?? "";
    assert.ok(!text.includes("next_page_token"));
    assert.ok(text.includes(`meta.nextPageToken: ${JSON.stringify(token)}\n`));
  }
});

Deno.test("TestDocumentFromRepresentable: lists of records, bare or in an object", () => {
  for (const json of ["[]", '[{"a":1}]', '{"x":[{"a":1}],"n":5}', '{"items":[{"a":1}],"b":[1]}']) {
    const source = toonDocumentFrom(parseJson(json), IDS);
    assert.ok(source !== undefined, json);
    assert.ok(encodeDocument(source).startsWith(HEAD));
  }
});

Deno.test("TestDocumentFromFallsBack: everything else is left to JSON", () => {
  const refused = [
    '{"k":"v"}',
    '"s"',
    "[1,2]",
    "[{}]",
    '{"a":[1],"b":[2]}',
    '{"x":[1,2]}',
    "null",
    "5",
    '[{"a\\nb":1}]',
    '{"items":[{"a":1}],"bad key":1}',
    '{"bad key":[{"a":1}]}',
    '[{"a":1},2]',
  ];
  for (const json of refused) assert.equal(encode(json), undefined, json);
});

Deno.test("TestDocumentFromFallsBack: a table of almost only empty cells is left to JSON", () => {
  const rows = Array.from({ length: 5_000 }, (_, index) => ({ [`k${index}`]: index }));
  assert.equal(encodeToonDocument(rows, IDS), undefined);
});

function reasonOf(text: string): string {
  try {
    decodeToonDocument(text);
  } catch (error) {
    if (error instanceof ToonDecodeError) return error.reason;
    if (error instanceof GumError) return error.code;
    throw error;
  }
  return "none";
}

Deno.test("TestToonVersionUnsupported: every other integer version is refused with what is supported", () => {
  for (const version of ["0", "-1", "2", "999"]) {
    const text = `op: o\nvariant: v\nformat_version: ${version}\ncount: 0\nfields: \n\n{}\n`;
    assert.throws(() => decodeToonDocument(text), (error: unknown) => {
      assert.ok(error instanceof GumError);
      assert.equal(error.code, "TOON_VERSION_UNSUPPORTED");
      assert.equal(error.details.format_version, Number(version));
      assert.deepEqual(error.details.supported, [1]);
      assert.equal(error.retryable, false);
      return true;
    });
  }
});

Deno.test("TestToonVersionUnsupported: other faults are typed, in the order of the checks", () => {
  const head = "op: o\nvariant: v\n";
  assert.equal(reasonOf("op: o\nvariant: v"), "missing_separator");
  assert.equal(reasonOf("op: o\nnonsense\n\n{}\n"), "malformed_header");
  assert.equal(reasonOf("op: o\n\n{}\n"), "missing_header");
  assert.equal(
    reasonOf(`${head}format_version: x\ncount: z\nfields: \n\n{}\n`),
    "bad_format_version",
  );
  assert.equal(reasonOf(`${head}format_version: 1\ncount: -1\nfields: \n\n{}\n`), "bad_count");
  assert.equal(reasonOf(`${head}format_version: 1\ncount: 0\nfields: \n\nx\n`), "count_zero_body");
  assert.equal(reasonOf(`${head}format_version: 1\ncount: 2\nfields: a\n\nx\n`), "count_mismatch");
  assert.equal(
    reasonOf(`${head}format_version: 1\ncount: 1\nfields: a\n\nx,y\n`),
    "fields_mismatch",
  );
  assert.equal(
    reasonOf(`${head}format_version: 1\ncount: 1\nfields: a\n\n"x\n`),
    "unterminated_quote",
  );
  assert.equal(
    reasonOf(`${head}format_version: 1\ncount: 1\nfields: a\njson_fields: a\n\n{\n`),
    "bad_json",
  );
});

Deno.test("TestToonRoundTrip: short rows are padded, CRLF ends rows, CRLF in quotes is text", () => {
  const head = "op: o\r\nvariant: v\r\nformat_version: 1\r\n";
  const padded = decodeToonDocument(`${head}count: 1\r\nfields: a,b,c\r\n\r\n1`);
  assert.deepEqual(padded.rows, [[1, null, null]]);
  const ended = decodeToonDocument(`${head}count: 2\r\nfields: a,b\r\n\r\nx,"p\r\nq"\r\ny,z\r\n`);
  assert.deepEqual(ended.rows, [["x", "p\r\nq"], ["y", "z"]]);
  const empty = decodeToonDocument(`${head}count: 0\r\nfields: \r\n\r\n\r\n\r\n{}\r\n`);
  assert.deepEqual(empty.rows, []);
});

Deno.test("TestToonRoundTrip: a schema decides text against number and null against empty", () => {
  const head = "op: o\nvariant: v\nformat_version: 1\n";
  const text = `${head}count: 1\nfields: a,b\n\n,""\n`;
  const strings = [{ name: "a", type: "string" as const }, { name: "b", type: "string" as const }];
  assert.deepEqual(decodeToonDocument(text, { schema: strings }).rows, [[null, ""]]);
  const digits = `${head}count: 1\nfields: a,b\n\n27100,27100\n`;
  const mixed = [{ name: "a", type: "string" as const }, { name: "b", type: "int" as const }];
  assert.deepEqual(decodeToonDocument(digits, { schema: mixed }).rows, [["27100", 27100]]);
  const bad = `${head}count: 1\nfields: a,b\n\nx,1.5\n`;
  const numbers = [{ name: "a", type: "float" as const }, { name: "b", type: "int" as const }];
  assert.deepEqual(decodeToonDocument(bad, { schema: numbers }).rows, [[null, null]]);
  assert.throws(() => decodeToonDocument(bad, { schema: mixed.slice(1) }), /schema/);
});

/** A record array in which absent and null, the one thing a cell cannot tell apart, are both absent. */
const scalars = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: fc.constantFrom(",", '"', "\n", "\r", " ", "1", "e", ".", "-", "t", "x") }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
  fc.boolean(),
);
const cells = fc.oneof(
  { weight: 4, arbitrary: scalars },
  { weight: 1, arbitrary: fc.array(scalars, { maxLength: 3 }) },
  {
    weight: 1,
    arbitrary: fc.dictionary(fc.string().filter((key) => !key.includes("\\")), scalars, {
      maxKeys: 3,
    }),
  },
);
const names = fc.oneof(
  fc.constantFrom("id", "name", "a,b", 'q"q', " edge", "", "__proto__", "toString"),
  fc.string().filter((name) => !/[\r\n]/.test(name)),
);
const records = fc.array(
  fc.array(fc.tuple(names, cells), { minLength: 1, maxLength: 5 })
    .map((members) => Object.fromEntries(members)),
  { minLength: 1, maxLength: 6 },
);

Deno.test("FuzzToonDecode: any list of records survives the document unchanged", () => {
  fc.assert(
    fc.property(records, (rows) => {
      const text = encodeToonDocument(rows as JsonValue, IDS);
      assert.ok(text !== undefined);
      const decoded = decodeToonDocument(text);
      assert.equal(
        JSON.stringify(normal(toonDocumentValue(decoded))),
        JSON.stringify(normal(rows)),
      );
    }),
    { numRuns: 400 },
  );
});

/** Sorted members; a number too large for exact digits in a double is compared as a double. */
function normal(value: unknown): unknown {
  if (isRawNumber(value)) return Number(value.rawJSON);
  if (Array.isArray(value)) return value.map(normal);
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? 0 : value;
  return Object.keys(value).sort().map((
    key,
  ) => [key, normal((value as Record<string, unknown>)[key])]);
}

Deno.test("FuzzToonDecode: no text makes the reader throw anything but its own errors", () => {
  const pieces = fc.constantFrom(
    "op: o\n",
    "variant: v\n",
    "format_version: 1\n",
    "format_version: 3\n",
    "count: 1\n",
    "fields: a,b\n",
    "json_fields: a\n",
    "meta.x: {\n",
    "\n",
    '"',
    ",",
    "{}",
    "[1]",
    "x",
    "\r\n",
  );
  fc.assert(
    fc.property(fc.oneof(fc.array(pieces).map((parts) => parts.join("")), fc.string()), (text) => {
      reasonOf(text);
    }),
    { numRuns: 500 },
  );
});
