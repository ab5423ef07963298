/**
 * Reading text out of HTML bodies. Pure, and one walk over the text each: a body comes from a
 * stranger, and one that is forwarded must not be able to hold this process up.
 */

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  gt: ">",
  lt: "<",
  nbsp: " ",
  quot: '"',
};

/** Readable text of an HTML body: no tags, the common entities, one line a block. */
export function textOfHtml(html: string): string {
  const text = withoutMarks(html, /<(style|script|head|title)\b/gi)
    .replace(/\s+/g, " ")
    .replace(/<br\s*\/?>|<\/(p|div|li|tr|h[1-6]|blockquote)\s*>/gi, "\n");
  return withoutMarks(text, /<()/g)
    .replace(/&(amp|lt|gt|quot|nbsp);/g, (_whole, name: string) => ENTITIES[name] ?? "")
    .replace(/&#(x[0-9a-f]{1,6}|[0-9]{1,7});/gi, (whole, code: string) => {
      const point = /^x/i.test(code) ? parseInt(code.slice(1), 16) : Number(code);
      return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point).toWellFormed() : whole;
    })
    .split("\n").map((line) => line.replace(/^ +/, "").trimEnd()).join("\n")
    .replace(/\n{3,}/g, "\n\n").trim();
}

/** The inside of a document, so that one document does not nest in another. */
export function innerHtml(html: string): string {
  const open = /<body\b/i.exec(html);
  const start = open === null ? 0 : endOfTag(html, open.index);
  if (start !== undefined && start > 0) {
    const closing = /<\/body\s{0,20}>/gi;
    closing.lastIndex = start;
    const close = closing.exec(html);
    if (close !== null) return html.slice(start, close.index);
  }
  return withoutMarks(html, /<(?:\/?(?:html|body)\b()|!doctype()|(head)\b)/gi);
}

/**
 * The text without what `openings` finds: a whole element where a group names it, else a single
 * tag. What never ends stays as it is.
 */
function withoutMarks(html: string, openings: RegExp): string {
  const kept: string[] = [];
  const endless = new Set<string>();
  let from = 0;
  for (let open = openings.exec(html); open !== null; open = openings.exec(html)) {
    const element = open.slice(1).find((group) => group !== undefined && group !== "");
    const name = element?.toLowerCase() ?? "";
    if (endless.has(name)) continue;
    const end = name === ""
      ? endOfTag(html, open.index)
      : endOfElement(html, { name, from: openings.lastIndex });
    if (end === undefined) {
      endless.add(name);
      continue;
    }
    kept.push(html.slice(from, open.index));
    from = openings.lastIndex = end;
  }
  kept.push(html.slice(from));
  return kept.join("");
}

function endOfTag(html: string, start: number): number | undefined {
  const close = html.indexOf(">", start);
  return close < 0 ? undefined : close + 1;
}

function endOfElement(
  html: string,
  element: { name: string; from: number },
): number | undefined {
  const closing = new RegExp(`</${element.name}\\s{0,20}>`, "gi");
  closing.lastIndex = element.from;
  return closing.exec(html) === null ? undefined : closing.lastIndex;
}
