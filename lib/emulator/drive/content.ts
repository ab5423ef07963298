/** Real bytes for the files of the emulated Drive, deterministic and made on demand. */

import { createHash } from "node:crypto";
import { concatBytes, utf8 } from "../encoding.ts";
import { seededRandom } from "../random.ts";
import { pngImage, zipArchive } from "./binary_formats.ts";
import { OFFICE_TYPES } from "./mime_types.ts";
import { proseOf } from "./prose.ts";
import type { StoredContent, StoredFile } from "./store.ts";

/** Bytes of a file with their checksums. */
export interface FileBytes {
  bytes: Uint8Array;
  md5: string;
  sha1: string;
  sha256: string;
}

const known = new WeakMap<StoredContent, FileBytes>();

/** The bytes of a file; undefined for files without bytes of their own. */
export function bytesOf(file: StoredFile): FileBytes | undefined {
  const { content } = file;
  if (content === undefined) return undefined;
  const cached = known.get(content);
  if (cached !== undefined) return cached;
  const bytes = content.from === "upload"
    ? content.bytes
    : seededBytes(file.mimeType, { key: content.key, size: content.size });
  const digest = (algorithm: string) => createHash(algorithm).update(bytes).digest("hex");
  const made = { bytes, md5: digest("md5"), sha1: digest("sha1"), sha256: digest("sha256") };
  known.set(content, made);
  return made;
}

/** Pixel size of a seeded image. */
export function imageSize(key: string): { width: number; height: number } {
  const random = seededRandom(1, `image ${key}`);
  return { width: random.int(24, 120), height: random.int(16, 90) };
}

/** A text of a file, for full-text search: empty for binary ones. */
export function searchableText(file: StoredFile): string {
  if (!/^text\/|json$/.test(file.mimeType)) return "";
  const content = bytesOf(file);
  return content === undefined ? "" : new TextDecoder().decode(content.bytes.subarray(0, 65_536));
}

function seededBytes(mimeType: string, { key, size }: { key: string; size: number }): Uint8Array {
  const random = seededRandom(1, `bytes ${key}`);
  const prose = proseOf(random);
  const paragraphs = (limit: number) => {
    let text = "";
    while (text.length < limit) text += `${prose.paragraph(random.int(1, 7))}\n\n`;
    return text;
  };
  switch (mimeType) {
    case "text/csv": {
      let text = "date,site,item,amount,note\r\n";
      while (text.length < size) {
        const day = new Date(Date.UTC(2024, 0, random.int(1, 800))).toISOString().slice(0, 10);
        text += `${day},"${prose.place().replaceAll('"', '""')}",${random.int(100, 99_999)},${
          random.int(-40, 9_000)
        }.${random.int(10, 99)},"${prose.sentence().replaceAll('"', '""')}"\r\n`;
      }
      return utf8(text);
    }
    case "application/json": {
      const rows = Array.from({ length: Math.max(1, Math.round(size / 190)) }, () => ({
        id: random.hex(12),
        title: prose.subject(),
        note: prose.sentence(),
        amount: random.int(1, 90_000) / 100,
        open: random.next() < 0.5,
      }));
      return utf8(JSON.stringify(rows, null, 2));
    }
    case "text/markdown":
      return utf8(`# ${prose.topic()}\n\n${paragraphs(size)}`);
    case "image/svg+xml":
      return utf8(
        `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 40"><title>${prose.topic()}</title><rect width="${
          random.int(10, 90)
        }" height="40" fill="#${random.hex(6)}"/></svg>\n`,
      );
    case "image/png":
      return pngImage({ ...imageSize(key), random });
    case "application/pdf":
      return pdfDocument({
        title: prose.topic(),
        text: paragraphs(Math.min(size, 6000)),
        padTo: size,
      });
    case "application/zip":
      return zipArchive([{ name: "README.txt", bytes: utf8(paragraphs(size)) }]);
    case "video/mp4":
      return concatBytes([
        new Uint8Array([0, 0, 0, 20]),
        utf8("ftypisom"),
        new Uint8Array([0, 0, 2, 0]),
        utf8("isom"),
        noise(size, random.int(1, 2 ** 30)),
      ]);
    default:
      if (Object.values(OFFICE_TYPES).includes(mimeType)) {
        return officeDocument(mimeType, paragraphs(size));
      }
      return utf8(paragraphs(size));
  }
}

/** A one-page PDF with a text layer, padded to about `padTo` bytes with an unused stream. */
export function pdfDocument(
  { title, text, padTo }: { title: string; text: string; padTo: number },
): Uint8Array {
  const escapeText = (line: string) =>
    line.replace(/[^\x20-\x7e]/g, "?").replace(/[\\()]/g, "\\$&");
  const lines = text.split("\n").flatMap((line) => line.match(/.{1,95}/g) ?? [""]).slice(0, 60);
  const page = `BT /F1 10 Tf 50 790 Td 12 TL (${escapeText(title)}) Tj T* ${
    lines.map((line) => `(${escapeText(line)}) Tj T*`).join(" ")
  } ET`;
  const filler = noise(Math.max(0, padTo - page.length - 900), title.length * 7919 + padTo).toHex()
    .slice(0, Math.max(0, padTo - page.length - 900));
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>/Contents 4 0 R>>",
    `<</Length ${page.length}>>stream\n${page}\nendstream`,
    "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    `<</Length ${filler.length}>>stream\n${filler}\nendstream`,
  ];
  let body = "%PDF-1.4\n";
  const offsets: number[] = [];
  for (const [index, object] of objects.entries()) {
    offsets.push(body.length);
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  return utf8(
    `${body}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<</Size ${
      objects.length + 1
    }/Root 1 0 R>>\nstartxref\n${body.length}\n%%EOF\n`,
  );
}

/** An Office package that holds the text in its main part. */
export function officeDocument(mimeType: string, text: string): Uint8Array {
  const main = mimeType === OFFICE_TYPES.document
    ? "word/document.xml"
    : mimeType === OFFICE_TYPES.spreadsheet
    ? "xl/workbook.xml"
    : "ppt/presentation.xml";
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return zipArchive([
    {
      name: "[Content_Types].xml",
      bytes: utf8(
        `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/${main}" ContentType="${mimeType}.main+xml"/></Types>`,
      ),
    },
    { name: main, bytes: utf8(`<?xml version="1.0"?><document>${escaped}</document>`) },
  ]);
}

/** `length` bytes that do not compress, from a 32-bit state. */
function noise(length: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = seed | 1;
  for (let index = 0; index < length; index++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[index] = state & 0xff;
  }
  return bytes;
}
