import assert from "node:assert/strict";
import fc from "fast-check";
import {
  expandGranted,
  normaliseScopes,
  pruneLoginScopes,
  scopesMissing,
  scopesSatisfied,
} from "./scopes.ts";
import { redacted } from "./redact.ts";

const G = "https://www.googleapis.com/auth/gmail.";

Deno.test("scopes: short names get Google's prefix, URLs stay as they are", () => {
  assert.deepEqual(
    normaliseScopes(["", "gmail.readonly", "https://mail.google.com/", "http://x", "https://"]),
    [`${G}readonly`, "https://mail.google.com/", "http://x", "https://"],
  );
});

Deno.test("scopes: gmail.metadata goes when a wider one is asked for, and counts as covered", () => {
  for (const wider of [`${G}readonly`, `${G}modify`, "https://mail.google.com/"]) {
    const asked = Object.freeze([`${G}metadata`, "https://x", wider]);
    assert.deepEqual(pruneLoginScopes(asked), ["https://x", wider]);
    assert.ok(scopesSatisfied([wider], [`${G}metadata`]));
    assert.ok(expandGranted([wider]).includes(`${G}metadata`));
  }
  assert.deepEqual(pruneLoginScopes([`${G}metadata`, `${G}send`]), [`${G}metadata`, `${G}send`]);
  assert.deepEqual(scopesMissing([`${G}send`], [`${G}metadata`, `${G}send`]), [`${G}metadata`]);
});

Deno.test("scopes: a pruned set covers everything the whole one did, and pruning twice changes nothing", () => {
  const scope = fc.constantFrom(
    `${G}metadata`,
    `${G}readonly`,
    `${G}modify`,
    "https://mail.google.com/",
    `${G}send`,
  );
  fc.assert(fc.property(fc.array(scope), (scopes) => {
    const pruned = pruneLoginScopes(scopes);
    assert.ok(scopesSatisfied(pruned, scopes));
    assert.deepEqual(pruneLoginScopes(pruned), pruned);
  }));
});

Deno.test("text from outside loses everything that looks like a credential", () => {
  const tokens = [
    "ya29.a0AbCdEfGh",
    "1//0gAbCdEf",
    "AIzaSyA1234",
    "GOCSPX-abcdef",
    "eyJhbGciOi.eyJzdWIi.c2ln",
    "-----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY-----",
  ];
  const clean = redacted(`before ${tokens.join(" and ")} after known-value`, ["known-value"]);
  for (const token of [...tokens, "known-value"]) assert.equal(clean.includes(token), false, token);
  assert.match(clean, /^before .* after \[redacted\]$/);
  assert.equal(redacted("a\u001b[31m\nb\u202e"), "a [31m b");
  assert.equal(redacted("x".repeat(500)).length, 201);
});
