import assert from "node:assert/strict";
import fc from "fast-check";
import {
  fitsPattern,
  hasOpenEnd,
  innerPattern,
  isSafePattern,
  patternForm,
  resourceForm,
  unitedPattern,
  wholePattern,
} from "./mod.ts";
import { sampleValue } from "./testdata/sample_value.ts";

const MESSAGE = "^spaces/[^/]+/messages/[^/]+$";

Deno.test("a pattern of the catalog covers the whole value, however Discovery writes it", () => {
  const rows: [written: string | undefined, whole: string | undefined][] = [
    [MESSAGE, MESSAGE],
    ["organizations/[0-9]{0,20}", "^organizations/[0-9]{0,20}$"],
    ["-|[a-z]+", "^(?:-|[a-z]+)$"],
    ["^(?:-|[a-z]+)$", "^(?:-|[a-z]+)$"],
    ["a/(b|c)", "^a/(b|c)$"],
    ["^(?:a)|(?:b)$", "^(?:(?:a)|(?:b))$"],
    // These say nothing.
    ["^.*$", undefined],
    ["", undefined],
    [undefined, undefined],
  ];
  for (const [written, whole] of rows) {
    assert.equal(wholePattern(written), whole, String(written));
    assert.equal(wholePattern(whole), whole, "and stays as it is");
  }
  assert.equal(unitedPattern([MESSAGE, MESSAGE]), MESSAGE);
  assert.equal(unitedPattern(["^a/[^/]+$", "^b$"]), "^(?:a/[^/]+|b)$");
  assert.equal(unitedPattern([MESSAGE, undefined]), undefined);
  assert.equal(innerPattern("^(?:a|b)$"), "a|b");
  assert.equal(hasOpenEnd("^operations/.*$"), true);
  assert.equal(hasOpenEnd(MESSAGE), false);
});

Deno.test("a value fits as a whole or not at all", () => {
  assert.ok(fitsPattern("spaces/a/messages/b.c:d", MESSAGE));
  const rows = ["spaces/a", "spaces/a/messages/", "spaces//messages/b", "xspaces/a/messages/b"];
  for (const value of [...rows, "spaces/a/messages/b/c", "spaces%2Fa/messages/b", ""]) {
    assert.equal(fitsPattern(value, MESSAGE), false, value);
  }
  assert.equal(fitsPattern("x".repeat(5_000), "^[^/]+$"), false, "no address is that long");
});

Deno.test("the form of a value reads like Google's own documentation", () => {
  const rows: [pattern: string, form: string][] = [
    [MESSAGE, "spaces/{space}/messages/{message}"],
    ["^people/[^/]+$", "people/{person}"],
    ["^contactGroups/[^/]+$", "contactGroups/{contactGroup}"],
    ["^operations/.*$", "operations/{operation}"],
    ["^[^/]+/[^/]+/locations/[^/]+$", "{collection}/{id}/locations/{location}"],
    [
      "^projects/[^/]+/locations/global/operations$",
      "projects/{project}/locations/global/operations",
    ],
    ["^organizations/[0-9]{0,20}$", "organizations/{organization}"],
    [
      "^reservations/([a-z](?:[-a-z0-9]{0,61}[a-z0-9])?|[1-9][0-9]{0,19})$",
      "reservations/{reservation}",
    ],
    ["^(?:projects/[^/]+|folders/[^/]+)$", "projects/{project}"],
  ];
  for (const [pattern, form] of rows) {
    assert.equal(patternForm(pattern), form);
    assert.equal(resourceForm({ pattern }), form);
  }
  assert.equal(resourceForm({ pattern: "^[^/]+$" }), undefined, "goes without saying");
  assert.equal(resourceForm({}), undefined);
});

Deno.test("a pattern that could take long to match is refused, not run", () => {
  const costly = ["^(a+)+$", "^(?:[^/]+/?)*x$", "^(?:(?:a{1,9}){1,9}){1,9}$", "^(?:a|b+)*c$"];
  const strange = ["(?=a)b", "(a)\\1", "(?<n>a)", "[", "a".repeat(600), ".*.*.*x"];
  for (const pattern of [...costly, ...strange]) {
    assert.equal(isSafePattern(pattern), false, pattern.slice(0, 40));
    assert.equal(resourceForm({ pattern }), undefined);
  }
  const fine = [MESSAGE, "^(?:a/[^/]+|b)$", "^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$", "^[*+]{2,}$"];
  for (const pattern of [...fine, "^operations/.*$", "^\\d+:\\d+$"]) {
    assert.equal(isSafePattern(pattern), true, pattern);
  }
});

Deno.test("any resource name fits its own pattern, and no other segment count does", () => {
  const word = fc.stringMatching(/^[a-z][A-Za-z]{2,8}$/);
  fc.assert(fc.property(
    fc.array(word, { minLength: 1, maxLength: 5 }),
    fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
    (collections, stream) => {
      const pattern = `^${collections.map((name) => `${name}/[^/]+`).join("/")}$`;
      const value = sampleValue(pattern, () => stream.next().value);
      assert.ok(isSafePattern(pattern));
      assert.ok(fitsPattern(value, pattern), `${value} ${pattern}`);
      assert.equal(fitsPattern(`${value}/more`, pattern), false);
      assert.equal(fitsPattern(value.slice(0, value.lastIndexOf("/")), pattern), false);
      assert.equal(patternForm(pattern).split("/").length, value.split("/").length);
    },
  ));
});
