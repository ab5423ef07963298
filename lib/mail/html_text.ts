/** Reading text out of HTML bodies. Pure. */

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  gt: ">",
  lt: "<",
  nbsp: " ",
  quot: '"',
};

/** Readable text of an HTML body: no tags, the common entities, one line a block. */
export function textOfHtml(html: string): string {
  return html
    .replace(/<(style|script|head|title)\b[\s\S]*?<\/\1\s*>/gi, "")
    .replace(/\s+/g, " ")
    .replace(/<br\s*\/?>|<\/(p|div|li|tr|h[1-6]|blockquote)\s*>/gi, "\n")
    .replace(/<[^>]*>/g, "")
    .replace(/&(amp|lt|gt|quot|nbsp);/g, (_whole, name: string) => ENTITIES[name] ?? "")
    .replace(/&#(x[0-9a-f]{1,6}|[0-9]{1,7});/gi, (whole, code: string) => {
      const point = /^x/i.test(code) ? parseInt(code.slice(1), 16) : Number(code);
      return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point).toWellFormed() : whole;
    })
    .replace(/ *\n */g, "\n").replace(/\n{3,}/g, "\n\n").trim();
}
