/** Contents of the seeded documents, built when first opened. */

import type { JsonObject } from "../../json/mod.ts";
import { type NativeFile, opaqueId, type Prose, proseOf } from "../drive/mod.ts";
import type { Person, SeededRandom } from "../service.ts";
import type { StoredDocument } from "./document_view.ts";
import { type Block, normalStyle, type Paragraph, paragraph, type Run } from "./model.ts";

interface Maker {
  random: SeededRandom;
  prose: Prose;
  people: readonly Person[];
  document: StoredDocument;
}

/** What seeded contents are made from. */
export interface ContentSeed {
  content: SeededRandom;
  people: readonly Person[];
}

/** The content of a seeded document: the first one is long, the others long-tailed. */
export function seededDocument(
  seed: ContentSeed,
  file: NativeFile,
): StoredDocument {
  const random = seed.content.fork(`document ${file.seeded ?? file.id}`);
  const document = emptyDocument(file.id);
  const maker: Maker = {
    random,
    prose: proseOf(random.fork("prose")),
    people: seed.people,
    document,
  };
  document.revision = random.int(20, 4000);
  const sections = file.seeded === 0 ? 34 : 1 + Math.floor(14 * random.next() ** 3);
  document.blocks = [
    styled(file.title, { namedStyleType: "TITLE", random }),
    styled(`${random.pick(seed.people).displayName}, ${maker.prose.topic()}`, {
      namedStyleType: "SUBTITLE",
      random,
    }),
  ];
  for (let section = 0; section < sections; section++) {
    document.blocks.push(...sectionBlocks(maker));
  }
  document.blocks.push(paragraph(""));
  return document;
}

/** A document of plain paragraphs; without text nothing but its last newline. */
export function emptyDocument(id: string, text = ""): StoredDocument {
  const blocks = text.replace(/\r?\n$/, "").split(/\r?\n/).map((line) => paragraph(line));
  return { id, blocks, lists: {}, inlineObjects: {}, namedRanges: [], revision: 1 };
}

function styled(
  text: string,
  { namedStyleType, random }: { namedStyleType: string; random: SeededRandom },
): Paragraph {
  return paragraph(text, {
    headingId: `h.${random.hex(12)}`,
    namedStyleType,
    direction: "LEFT_TO_RIGHT",
  });
}

function sectionBlocks(maker: Maker): Block[] {
  const { random, prose } = maker;
  const level = random.pick(["HEADING_1", "HEADING_2", "HEADING_2", "HEADING_3"]);
  const blocks: Block[] = [styled(prose.subject(), { namedStyleType: level, random })];
  for (let count = random.int(1, 4); count > 0; count--) blocks.push(richParagraph(maker));
  const draw = random.next();
  if (draw < 0.35) blocks.push(...bulletList(maker));
  else if (draw < 0.5) blocks.push(table(maker), paragraph(""));
  else if (draw < 0.56) blocks.push(image(maker));
  else if (draw < 0.6) {
    blocks.push({
      kind: "paragraph",
      style: normalStyle(),
      runs: [{ text: "", style: {}, special: { pageBreak: { textStyle: {} } } }, {
        text: "\n",
        style: {},
      }],
    });
  }
  return blocks;
}

function richParagraph({ random, prose }: Maker): Paragraph {
  const runs: Run[] = [];
  for (let count = random.int(1, 5); count > 0; count--) {
    const draw = random.next();
    const text = `${prose.sentence()} `;
    if (draw < 0.75) runs.push({ text, style: {} });
    else if (draw < 0.85) runs.push({ text, style: { bold: true } });
    else if (draw < 0.93) runs.push({ text, style: { italic: true } });
    else {
      runs.push({
        text,
        style: {
          underline: true,
          foregroundColor: {
            color: { rgbColor: { red: 0.06666667, green: 0.33333334, blue: 0.8 } },
          },
          link: {
            url: `https://wiki.example.com/${
              prose.topic().toLowerCase().replace(/\P{L}+/gu, "-")
            }?rev=${random.int(1, 900)}`,
          },
        },
      });
    }
  }
  const last = runs.at(-1) as Run;
  last.text = `${last.text.trimEnd()}\n`;
  return { kind: "paragraph", runs, style: normalStyle() };
}

/** Nesting levels of a list. */
export function listProperties(glyphs: "bullet" | "number"): JsonObject {
  return {
    listProperties: {
      nestingLevels: Array.from({ length: 9 }, (_, level): JsonObject => ({
        bulletAlignment: "START",
        ...(glyphs === "bullet"
          ? { glyphSymbol: ["●", "○", "■"][level % 3] as string }
          : { glyphType: ["DECIMAL", "ALPHA", "ROMAN"][level % 3] as string }),
        glyphFormat: `%${level}${glyphs === "number" ? "." : ""}`,
        indentFirstLine: { magnitude: 18 + 36 * level, unit: "PT" },
        indentStart: { magnitude: 36 + 36 * level, unit: "PT" },
        textStyle: { underline: false },
        startNumber: 1,
      })),
    },
  };
}

function bulletList({ random, prose, document }: Maker): Paragraph[] {
  const listId = `kix.${opaqueId(random, 12).toLowerCase().replace(/[-_]/g, "x")}`;
  document.lists[listId] = listProperties(random.next() < 0.6 ? "bullet" : "number");
  return Array.from({ length: random.int(2, 8) }, (_, index) => ({
    ...paragraph(prose.sentence().slice(0, -1)),
    bullet: { listId, level: index === 0 ? 0 : random.int(0, 2) },
  }));
}

function table({ random, prose, people }: Maker): Block {
  const columns = random.int(2, 4);
  const header = ["Item", "Owner", "Due", "Remark"].slice(0, columns);
  const rows = Array.from(
    { length: random.int(2, 7) },
    () =>
      [
        prose.subject(),
        random.pick(people).displayName,
        `${random.int(1, 28)}.${random.int(1, 12)}.2026`,
        prose.sentence(),
      ].slice(0, columns),
  );
  return {
    kind: "table",
    rows: [header, ...rows].map((row) => row.map((text) => [paragraph(text)])),
  };
}

function image({ random, prose, document }: Maker): Paragraph {
  const objectId = `kix.${random.hex(12)}`;
  document.inlineObjects[objectId] = {
    objectId,
    inlineObjectProperties: {
      embeddedObject: {
        title: prose.topic(),
        imageProperties: {
          contentUri: `https://lh7-rt.googleusercontent.com/docsz/AD_4nX${
            opaqueId(random, 90)
          }?key=${opaqueId(random, 22)}`,
          cropProperties: {},
        },
        embeddedObjectBorder: {
          color: { color: { rgbColor: {} } },
          width: { unit: "PT" },
          dashStyle: "SOLID",
          propertyState: "NOT_RENDERED",
        },
        size: {
          height: { magnitude: random.int(90, 420), unit: "PT" },
          width: { magnitude: random.int(120, 460), unit: "PT" },
        },
        marginTop: { magnitude: 9, unit: "PT" },
        marginBottom: { magnitude: 9, unit: "PT" },
      },
    },
  };
  return {
    kind: "paragraph",
    style: normalStyle(),
    runs: [
      {
        text: "",
        style: {},
        special: { inlineObjectElement: { inlineObjectId: objectId, textStyle: {} } },
      },
      { text: "\n", style: {} },
    ],
  };
}
