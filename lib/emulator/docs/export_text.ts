/** Documents as plain text and Markdown. */

import { type Block, type Paragraph, textOf } from "./model.ts";

/** The text of a document; table cells line by line. */
export function plainText(blocks: readonly Block[]): string {
  return blocks.map((block) =>
    block.kind === "paragraph"
      ? `${block.bullet === undefined ? "" : `${"   ".repeat(block.bullet.level)}* `}${
        textOf(block)
      }`
      : block.rows.map((row) => `${row.map((cell) => plainText(cell).trimEnd()).join("\t")}\n`)
        .join("")
  ).join("");
}

const PREFIXES: Readonly<Record<string, string>> = {
  TITLE: "# ",
  SUBTITLE: "## ",
  HEADING_1: "# ",
  HEADING_2: "## ",
  HEADING_3: "### ",
  HEADING_4: "#### ",
  HEADING_5: "##### ",
  HEADING_6: "###### ",
};

/** A document as Markdown: headings, emphasis, links, lists and pipe tables. */
export function markdownText(blocks: readonly Block[]): string {
  return blocks.map((block, index) => {
    if (block.kind === "paragraph") {
      const next = blocks[index + 1];
      const inList = block.bullet !== undefined && next?.kind === "paragraph" &&
        next.bullet !== undefined;
      return `${markdownLine(block)}\n${inList ? "" : "\n"}`;
    }
    const rows = block.rows.map((row) =>
      `| ${
        row.map((cell) => plainText(cell).trim().replace(/\s*\n\s*/g, " ").replaceAll("|", "\\|"))
          .join(" | ")
      } |`
    );
    const width = Math.max(1, ...block.rows.map((row) => row.length));
    return `${[rows[0], `|${" :---- |".repeat(width)}`, ...rows.slice(1)].join("\n")}\n\n`;
  }).join("");
}

function markdownLine(target: Paragraph): string {
  const text = target.runs.map((run) => {
    const words = run.special === undefined ? run.text.replace(/\n$/, "") : "";
    const bare = words.trim();
    if (bare === "") return words;
    const link = (run.style.link as { url?: string } | undefined)?.url;
    const marked = link !== undefined
      ? `[${bare}](${link})`
      : run.style.bold
      ? `**${bare}**`
      : run.style.italic
      ? `*${bare}*`
      : bare;
    return words.replace(bare, () => marked);
  }).join("");
  const prefix = target.bullet === undefined
    ? PREFIXES[String(target.style.namedStyleType)] ?? ""
    : `${"  ".repeat(target.bullet.level)}* `;
  return `${prefix}${text}`;
}
