import assert from "node:assert/strict";
import fc from "fast-check";
import { parseCallArguments } from "./arg_grammar.ts";
import { CliArgError } from "./errors.ts";

interface World {
  files?: Record<string, string | Uint8Array>;
  arrays?: Record<string, string>;
}

async function parse(words: string[], world: World = {}): Promise<unknown> {
  const args = await parseCallArguments(words, {
    arrayFields: new Map(Object.entries(world.arrays ?? {})),
    readSource(source) {
      const content = world.files?.[source];
      if (content === undefined) return Promise.reject(new Deno.errors.NotFound(source));
      return Promise.resolve(
        typeof content === "string" ? new TextEncoder().encode(content) : content,
      );
    },
  });
  return JSON.parse(JSON.stringify(args));
}

async function failure(words: string[], world: World = {}): Promise<CliArgError> {
  try {
    await parse(words, world);
  } catch (error) {
    assert.ok(error instanceof CliArgError, `not a CliArgError: ${error}`);
    return error;
  }
  throw new Error(`accepted: ${words.join(" ")}`);
}

Deno.test("TestCLIArgGrammar: text, JSON values, nesting and escapes", async () => {
  assert.deepEqual(await parse(["userId=me", "maxResults:=5"]), { userId: "me", maxResults: 5 });
  assert.deepEqual(await parse(["flag:=true", 'labels:=["A","B"]']), {
    flag: true,
    labels: ["A", "B"],
  });
  assert.deepEqual(await parse(["message.subject=Hi", "message.body.text=x"]), {
    message: { subject: "Hi", body: { text: "x" } },
  });
  assert.deepEqual(await parse(["labels\\.literal=K"]), { "labels.literal": "K" });
  assert.deepEqual(await parse(["weird\\\\key=v"]), { "weird\\key": "v" });
  assert.deepEqual(await parse(["k=a=b", "n:x=1", "e="]), { k: "a=b", "n:x": "1", e: "" });
  assert.deepEqual(await parse(["url=https://x.y/z?a=1", "digits=007"]), {
    url: "https://x.y/z?a=1",
    digits: "007",
  });
});

Deno.test("TestCLIArgGrammar: integers beyond 2^53 keep their digits", async () => {
  const args = await parseCallArguments(["id:=9007199254740993"], {
    arrayFields: new Map(),
    readSource: () => Promise.reject(new Error("no file")),
  });
  assert.equal(JSON.stringify(args), '{"id":9007199254740993}');
});

Deno.test("TestCLIArgGrammar: a repeated path is appended to an array field, else refused", async () => {
  const arrays = { labelIds: "string", rows: "array", "body.labelIds": "string" };
  assert.deepEqual(await parse(["labelIds=INBOX", "labelIds=UNREAD"], { arrays }), {
    labelIds: ["INBOX", "UNREAD"],
  });
  assert.deepEqual(await parse(["labelIds=INBOX"], { arrays }), { labelIds: "INBOX" });
  assert.deepEqual(await parse(['labelIds:=["A"]', "labelIds=B", "labelIds=C"], { arrays }), {
    labelIds: ["A", "B", "C"],
  });
  assert.deepEqual(await parse(["rows:=[1,2]", "rows:=[3]"], { arrays }), { rows: [[1, 2], [3]] });
  assert.deepEqual(await parse(["body.labelIds=A", "body.labelIds=B"], { arrays }), {
    body: { labelIds: ["A", "B"] },
  });
  assert.equal((await failure(["q=a", "q=b"])).message, "CLI_ARG_DUPLICATE: q");
  assert.equal((await failure(["a\\.b.c=1", "a\\.b.c=2"])).key, "a\\.b.c");
  assert.equal((await failure(["m.b=x", "m=s"])).code, "CLI_ARG_DUPLICATE");
});

Deno.test("TestCLIArgGrammar: files come first, an inline value overrides them once", async () => {
  const files = { "body.json": '{"q":"old","x":1}', "-": '{"m":{"s":"a","k":1}}', "b": '{"x":2}' };
  assert.deepEqual(await parse(["@body.json", "q=new"], { files }), { q: "new", x: 1 });
  assert.deepEqual(await parse(["q=new", "@body.json"], { files }), { q: "new", x: 1 });
  assert.deepEqual(await parse(["@-", "m.s=b"], { files }), { m: { s: "b", k: 1 } });
  assert.deepEqual(await parse(["@body.json", "@b"], { files }), { q: "old", x: 2 });
  assert.equal((await failure(["@body.json", "q=1", "q=2"], { files })).code, "CLI_ARG_DUPLICATE");
});

Deno.test("TestCLIArgGrammar: collisions name the full path and the place", async () => {
  const error = await failure(["m=s", "m.b=x"]);
  assert.equal(error.code, "CLI_ARG_INVALID");
  assert.match(error.message, /m\.b collides with the value already at m$/);
  assert.match((await failure(["a.b:=[1]", "a.b.c.d=1"])).message, /a\.b\.c\.d .* at a\.b$/);
});

Deno.test("TestCLIArgGrammar: everything malformed is CLI_ARG_INVALID", async () => {
  const malformed = [
    "x:=10garbage",
    "x:=",
    "x:= ",
    "x:={",
    "=v",
    ":=1",
    "bad.=v",
    ".a=v",
    "a..b=v",
    "noequals",
    "",
    "-x=1",
    "a\\n=1",
    "a\\",
    "a\\=1",
    "@",
    "@missing",
  ];
  for (const word of malformed) {
    assert.equal((await failure([word])).code, "CLI_ARG_INVALID", word);
  }
  const files = { list: "[1]", text: "nope", bytes: new Uint8Array([0xff, 0xfe]) };
  for (const name of Object.keys(files)) {
    assert.equal((await failure([`@${name}`], { files })).code, "CLI_ARG_INVALID", name);
  }
});

Deno.test("TestCLIArgGrammar: a source over the limit is refused", async () => {
  const huge = new Uint8Array(64 * 1024 * 1024 + 1);
  assert.match((await failure(["@big"], { files: { big: huge } })).message, /64 MiB/);
});

Deno.test("TestCLIArgGrammar: hostile keys stay plain data", async () => {
  const args = await parseCallArguments(["__proto__.polluted=yes", "constructor.prototype.x=1"], {
    arrayFields: new Map(),
    readSource: () => Promise.reject(new Error("no file")),
  });
  assert.deepEqual(Object.keys(args), ["__proto__", "constructor"]);
  assert.equal((Object.prototype as Record<string, unknown>).polluted, undefined);
  assert.equal((Object as unknown as Record<string, unknown>).x, undefined);
  const fromFile = await parseCallArguments(["@f", "a.__proto__.b=1"], {
    arrayFields: new Map(),
    readSource: () =>
      Promise.resolve(new TextEncoder().encode('{"a":{"k":1},"__proto__":{"z":1}}')),
  });
  assert.equal(JSON.stringify(fromFile), '{"a":{"k":1,"__proto__":{"b":"1"}},"__proto__":{"z":1}}');
  assert.equal((Object.prototype as Record<string, unknown>).b, undefined);
});

Deno.test("FuzzParseArgs: arbitrary words give an object or a CliArgError, nothing else", async () => {
  const word = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom(...'ab.\\:=@-[]{}"1 ') }),
    fc.tuple(fc.string(), fc.constantFrom("=", ":="), fc.json()).map((parts) => parts.join("")),
  );
  const seconds = Number(Deno.env.get("GUM_FUZZ_SECONDS") ?? 0);
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 6 }), fc.string(), async (words, content) => {
      try {
        const args = await parseCallArguments(words, {
          arrayFields: new Map([["a", "string"], ["b", "array"]]),
          readSource: () => Promise.resolve(new TextEncoder().encode(content)),
        });
        JSON.stringify(args);
      } catch (error) {
        assert.ok(error instanceof CliArgError, String(error));
      }
    }),
    seconds > 0 ? { numRuns: Infinity, interruptAfterTimeLimit: seconds * 1000 } : { numRuns: 500 },
  );
});

Deno.test("FuzzParseArgs: a flat text argument comes back as it was typed", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ minLength: 1 }), fc.string(), async (key, text) => {
      const escaped = key.replace(/[.\\]/g, "\\$&");
      fc.pre(!/[=]/.test(key) && !key.endsWith(":") && !/^[-@]/.test(key));
      assert.deepEqual(
        await parse([`${escaped}=${text}`]),
        JSON.parse(JSON.stringify(Object.fromEntries([[key, text]]))),
      );
    }),
  );
});
