import assert from "node:assert/strict";
import fc from "fast-check";
import { EmulatedError } from "../service.ts";
import { parseQuery, type QueryFacts, type QueryNode, satisfies } from "./query.ts";

function facts(given: Partial<QueryFacts> = {}): QueryFacts {
  return {
    name: "Quarterly Budget review 2026",
    mimeType: "text/plain",
    fullText: () => "The northern depot moves to Kørsvik.",
    trashed: () => false,
    starred: false,
    sharedWithMe: false,
    parents: ["folder1"],
    owners: ["mara.lindqvist@example.com", "me"],
    writers: [],
    readers: [],
    modifiedTime: Date.UTC(2026, 4, 1, 12),
    createdTime: Date.UTC(2025, 0, 1),
    viewedByMeTime: undefined,
    sharedWithMeTime: undefined,
    visibility: "limited",
    properties: { team: "blue" },
    appProperties: {},
    shortcutTarget: undefined,
    ...given,
  };
}

const holds = (text: string, given?: Partial<QueryFacts>) =>
  satisfies(parseQuery(text), facts(given));

Deno.test("drive query: every term of the language, true and false", () => {
  const cases: [string, boolean][] = [
    ["name contains 'budg'", true],
    ["name contains 'udget'", false],
    ["name contains 'Budget rev'", true],
    ["name = 'quarterly budget review 2026'", true],
    ["name != 'x'", true],
    ["mimeType = 'text/plain'", true],
    ["mimeType contains 'text/'", true],
    ["mimeType != 'text/plain'", false],
    ["fullText contains 'depot kørsvik'", true],
    ["fullText contains '\"depot moves\"'", true],
    ["fullText contains '\"moves depot\"'", false],
    ["trashed = false", true],
    ["trashed", false],
    ["not trashed", true],
    ["'folder1' in parents", true],
    ["'folder2' in parents", false],
    ["'me' in owners", true],
    ["modifiedTime > '2026-05-01T00:00:00'", true],
    ["modifiedTime > '2026-05-01T14:00:00+02:00'", false],
    ["modifiedTime >= '2026-05-01T14:00:00+02:00'", true],
    ["modifiedTime < '2026-05-01'", false],
    ["sharedWithMe", false],
    ["sharedWithMe = false and starred = false", true],
    ["properties has { key='team' and value='blue' }", true],
    ["properties has { key='team' and value='red' }", false],
    ["starred or trashed and starred", false],
    ["not (starred or trashed)", true],
    ["(name contains 'budget' or starred) and not trashed", true],
  ];
  for (const [text, wanted] of cases) assert.equal(holds(text), wanted, text);
});

Deno.test("drive query: escaped quotes and backslashes, names in scripts without spaces", () => {
  assert.ok(holds("name = 'It\\'s \\\\ here'", { name: "It's \\ here" }));
  assert.ok(holds("name contains '事録'", { name: "会議議事録" }));
});

Deno.test("drive query: what Drive refuses is 400 with reason invalid", () => {
  const wrong = [
    "name",
    "name contains",
    "name contains budget",
    "name ~ 'x'",
    "name > 'x'",
    "nmae = 'x'",
    "trashed = 'yes'",
    "'x' in",
    "'x' in names",
    "(name = 'x'",
    "name = 'x')",
    "name = 'x' and",
    "and name = 'x'",
    "name = 'x' name = 'y'",
    "name = 'unclosed",
    "modifiedTime > 'yesterday'",
    "properties has { key='a' }",
    "name = 'x' && trashed = false",
  ];
  for (const text of wrong) {
    assert.throws(() => parseQuery(text), (failure) => {
      assert.ok(failure instanceof EmulatedError, text);
      assert.equal(failure.status, 400, text);
      return true;
    }, text);
  }
});

Deno.test("drive query: printing a tree and parsing it gives the same answer (property)", () => {
  const quoted = (text: string) => `'${text.replace(/[\\']/g, "\\$&")}'`;
  const leaf: fc.Arbitrary<QueryNode> = fc.oneof(
    fc.string().map((value): QueryNode => ({
      kind: "compare",
      field: "name",
      operator: "=",
      value,
    })),
    fc.boolean().map((value): QueryNode => ({
      kind: "compare",
      field: "trashed",
      operator: "=",
      value,
    })),
    fc.constantFrom("folder1", "folder2", "a'b\\c").map((value): QueryNode => ({
      kind: "in",
      value,
      field: "parents",
    })),
  );
  const tree = fc.letrec<{ node: QueryNode }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.record({
        kind: fc.constantFrom("and" as const, "or" as const),
        left: tie("node"),
        right: tie("node"),
      }, { noNullPrototype: true }),
      fc.record({ kind: fc.constant("not" as const), inner: tie("node") }, {
        noNullPrototype: true,
      }),
    ),
  })).node;
  const print = (node: QueryNode): string => {
    switch (node.kind) {
      case "and":
      case "or":
        return `(${print(node.left)} ${node.kind} ${print(node.right)})`;
      case "not":
        return `not (${print(node.inner)})`;
      case "in":
        return `${quoted(node.value)} in ${node.field}`;
      case "has":
        return "";
      case "compare":
        return typeof node.value === "string"
          ? `${node.field} ${node.operator} ${quoted(node.value)}`
          : `${node.field} ${node.operator} ${node.value}`;
    }
  };
  fc.assert(fc.property(tree, (node) => {
    assert.deepEqual(parseQuery(print(node)), node);
  }));
});

Deno.test("drive query: any text parses or is a 400, never another failure (property)", () => {
  const words = fc.constantFrom(
    "name",
    "and",
    "or",
    "not",
    "in",
    "=",
    "contains",
    "'x'",
    "(",
    ")",
    "trashed",
    "true",
    "{",
    "'",
  );
  fc.assert(fc.property(fc.array(words, { maxLength: 12 }), (parts) => {
    try {
      parseQuery(parts.join(" "));
    } catch (failure) {
      assert.ok(failure instanceof EmulatedError && failure.status === 400);
    }
  }));
});
