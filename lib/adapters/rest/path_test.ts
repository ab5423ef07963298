import assert from "node:assert/strict";
import fc from "fast-check";
import { GumError } from "../../errors/mod.ts";
import { rawNumber } from "../../json/mod.ts";
import { expandPath, wireText } from "./path.ts";

const SIMPLE = "https://www.googleapis.com/drive/v3/files/{id}/copy";
const RESERVED = "https://run.googleapis.com/v2/{+name}:wait";

function refused(template: string, value: unknown): boolean {
  try {
    expandPath(template, { id: value as never, name: value as never });
    return false;
  } catch (error) {
    assert.ok(error instanceof GumError && error.code === "INVALID_ARGS");
    return true;
  }
}

Deno.test("{x} encodes everything but unreserved characters", () => {
  const text = "a/b?c#d e%f&g=h+i!*'()é";
  assert.equal(
    expandPath(SIMPLE, { id: text }).href,
    "https://www.googleapis.com/drive/v3/files/a%2Fb%3Fc%23d%20e%25f%26g%3Dh%2Bi%21%2A%27%28%29%C3%A9/copy",
  );
  assert.equal(expandPath(SIMPLE, { id: "~._-A9" }).pathname, "/drive/v3/files/~._-A9/copy");
});

Deno.test("{+x} keeps its slashes, never a query, a fragment or a line break", () => {
  assert.equal(
    expandPath(RESERVED, { name: "projects/p/locations/l/a:b@c?x=1#f\r\n" }).href,
    "https://run.googleapis.com/v2/projects/p/locations/l/a:b@c%3Fx=1%23f:wait",
  );
  assert.equal(expandPath(RESERVED, { name: "a\\b" }).pathname, "/v2/a%5Cb:wait");
  assert.equal(expandPath(RESERVED, { name: "a%20b" }).pathname, "/v2/a%20b:wait");
});

Deno.test("values that lead elsewhere are refused, in every spelling", () => {
  for (const value of ["", ".", "..", "%2e%2e", "%2E.", ".%2e", "%252e%252e"]) {
    assert.ok(refused(SIMPLE, value), `{id} ${value}`);
    assert.ok(refused(RESERVED, value), `{+name} ${value}`);
  }
  for (const value of ["a/../b", "a/./b", "../a", "a/..", "a/%2e%2e/b", "a%2f..%2fb", "a\\..\\b"]) {
    assert.ok(refused(RESERVED, value), value);
  }
  for (const value of [null, undefined, {}, ["a"], NaN, Infinity]) {
    assert.ok(refused(SIMPLE, value), String(value));
  }
  assert.ok(!refused(RESERVED, "projects/..a/b../c.d"));
});

Deno.test("scalars are plain text on the wire", () => {
  assert.equal(wireText(1.5e9), "1500000000");
  assert.equal(wireText(1e21), "1000000000000000000000");
  assert.equal(wireText(1e-7), "0.0000001");
  assert.equal(wireText(1.5e-21), "0.0000000000000000000015");
  assert.equal(wireText(-5e-324), `-0.${"0".repeat(323)}5`);
  assert.equal(wireText(1.2345678901234566e-7), "0.00000012345678901234566");
  assert.equal(wireText(-2.5), "-2.5");
  assert.equal(wireText(true), "true");
  assert.equal(wireText(rawNumber("9007199254740993")), "9007199254740993");
  assert.equal(wireText({}), undefined);
  assert.equal(wireText(null), undefined);
});

Deno.test("a relative path lands on the default host", () => {
  assert.equal(expandPath("/drive/v3/about", {}).href, "https://www.googleapis.com/drive/v3/about");
  assert.equal(expandPath("drive/v3/about", {}).href, "https://www.googleapis.com/drive/v3/about");
});

Deno.test("line breaks and tabs hide no path step", () => {
  for (const value of [".\r./", "a/.\n./b", "a/%2e%0d%2e/b", "a/.%0A./b", ".\t.", "\r\n"]) {
    assert.throws(
      () => expandPath(RESERVED, { name: value }),
      (error: unknown) => error instanceof GumError && error.code === "INVALID_ARGS",
      JSON.stringify(value),
    );
  }
  assert.equal(
    expandPath(RESERVED, { name: "operations/a\r\nb" }).pathname.includes("operations/ab"),
    true,
  );
});

Deno.test("law: no value changes the host or the literal segments, or starts a query", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({
      unit: fc.constantFrom(
        "/",
        ".",
        "%",
        "2",
        "e",
        "E",
        "f",
        "?",
        "#",
        "\\",
        "@",
        ":",
        "a",
        "\r",
        "\n",
        "\t",
        " ",
      ),
    }),
  );
  fc.assert(
    fc.property(text, (value) => {
      let simple: URL;
      try {
        simple = expandPath(SIMPLE, { id: value });
      } catch (error) {
        assert.ok(error instanceof GumError);
        return;
      }
      assert.equal(simple.origin, "https://www.googleapis.com");
      assert.equal(simple.search + simple.hash + simple.username, "");
      const segments = simple.pathname.split("/");
      assert.deepEqual([segments.length, ...segments.slice(1, 4), segments[5]], [
        6,
        "drive",
        "v3",
        "files",
        "copy",
      ]);
      assert.equal(decodeURIComponent(segments[4] ?? ""), value.toWellFormed());
    }),
    { numRuns: 3000 },
  );
  fc.assert(
    fc.property(text, (value) => {
      let reserved: URL;
      try {
        reserved = expandPath(RESERVED, { name: value });
      } catch (error) {
        assert.ok(error instanceof GumError);
        return;
      }
      assert.equal(reserved.origin, "https://run.googleapis.com");
      assert.equal(reserved.search + reserved.hash + reserved.username, "");
      assert.ok(reserved.pathname.startsWith("/v2/"));
      assert.ok(reserved.pathname.endsWith(":wait"));
    }),
    { numRuns: 3000 },
  );
});

Deno.test("law: a number on the wire is the same number, without an exponent", () => {
  fc.assert(fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
    const text = wireText(value) ?? "";
    assert.match(text, /^-?[0-9]+(\.[0-9]+)?$/);
    assert.equal(Number(text), value + 0);
  }));
});
