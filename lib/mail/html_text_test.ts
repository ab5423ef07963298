import assert from "node:assert/strict";
import { innerHtml, textOfHtml } from "./html_text.ts";

Deno.test("HTML becomes text: blocks are lines, code and head go, entities are read", () => {
  const html = "<html><head><title>t</title></head><BODY class=a><style>p{}</style >" +
    "<p>One &amp; two</p >  <div> three<br/>four  &#x41;&#0;</div>\n\n\n<script>x</script>five</body>";
  assert.equal(textOfHtml(html), "One & two\nthree\nfour A&#0;\nfive");
  assert.equal(textOfHtml("a < b"), "a < b");
  assert.equal(textOfHtml("<style>never closed"), "never closed");
});

Deno.test("one document does not nest in another", () => {
  assert.equal(innerHtml("<html><body bgcolor=x><p>a</p></body ></html>"), "<p>a</p>");
  assert.equal(innerHtml("<!DOCTYPE html><html><head><b></head><body><p>a</p>"), "<p>a</p>");
  assert.equal(innerHtml("<p>a</p>"), "<p>a</p>");
  assert.equal(innerHtml("<body"), "<body");
});

Deno.test("TestHostileBodies: a stranger's HTML is read in one walk, whatever it opens and never closes", () => {
  // Quadratic work over a million characters would take this test run minutes.
  const size = 1_000_000;
  const pieces = [
    "<style",
    "<head ",
    "<",
    "<body",
    "</body",
    "<!doctype",
    "< ",
    " ",
    "\n ",
    "<p",
    "&#",
  ];
  for (const piece of pieces) {
    const html = piece.repeat(size / piece.length);
    assert.ok(textOfHtml(html).length <= html.length);
    assert.ok(innerHtml(html).length <= html.length);
    assert.ok(textOfHtml(`<body>${html}x`).length <= html.length + 10);
    assert.ok(innerHtml(`<body>${html}x`).length <= html.length + 10);
  }
});
