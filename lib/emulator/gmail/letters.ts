/** Mail between people: bodies, quoted history, attachments, invitations. */

import { utf8 } from "../encoding.ts";
import type { Person, SeededRandom } from "../service.ts";
import type { WritePart } from "./mime_write.ts";
import { escapeHtml } from "./newsletters.ts";
import type { Prose } from "../prose.ts";

/** Number of paragraphs with a long tail: most letters are short, a few are essays. */
export function longTail(random: SeededRandom, scale: number): number {
  return Math.max(1, Math.round(scale * Math.exp(1.15 * gaussian(random))));
}

function gaussian(random: SeededRandom): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}

/** What a letter says, without what it quotes. */
export function letterText(
  input: { random: SeededRandom; prose: Prose; from: Person; to: Person; scale: number },
): string {
  const { random, prose, from, to } = input;
  const paragraphs = Array.from(
    { length: Math.min(40, longTail(random, input.scale)) },
    () => random.next() < 0.16 ? prose.foreign() : prose.paragraph(random.int(1, 5)),
  );
  if (random.next() < 0.3) {
    paragraphs.splice(
      random.int(0, paragraphs.length),
      0,
      Array.from({ length: random.int(2, 7) }, () => `- ${prose.sentence()}`).join("\n"),
    );
  }
  const greeting = random.pick(["Hi", "Hello", "Dear", "Hej", "Hallo", "Bonjour", ""]);
  const first = to.displayName.split(" ")[0] as string;
  const signature = random.pick([
    `Best,\n${from.displayName}`,
    `${from.displayName.split(" ")[0]}`,
    `Cheers\n${from.displayName}\n--\n${from.displayName} | ext. ${random.int(100, 999)}`,
    `Viele Grüße\n${from.displayName}`,
    `— ${from.displayName}`,
  ]);
  return `${greeting === "" ? "" : `${greeting} ${first},\n\n`}${
    paragraphs.join("\n\n")
  }\n\n${signature}\n`;
}

/** The earlier message below a reply. */
export function quoted(text: string, from: Person, date: number): string {
  const when = new Date(date).toUTCString().replace(/:\d\d GMT$/, "");
  const lines = text.trimEnd().split("\n").map((line) => `>${line === "" ? "" : " "}${line}`);
  return `\nOn ${when}, ${from.displayName} <${from.email}> wrote:\n\n${lines.join("\n")}\n`;
}

/** The same as HTML, the way a web client writes it. */
export function letterHtml(
  text: string,
  quote?: { text: string; from: Person; date: number },
): string {
  const block = (body: string) =>
    body.trimEnd().split("\n\n").map((paragraph) =>
      `<div>${escapeHtml(paragraph).replaceAll("\n", "<br>\n")}</div><div><br></div>`
    ).join("\n");
  const history = quote === undefined
    ? ""
    : `<div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">On ${
      new Date(quote.date).toUTCString()
    }, ${
      escapeHtml(quote.from.displayName)
    } &lt;<a href="mailto:${quote.from.email}">${quote.from.email}</a>&gt; wrote:<br></div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);padding-left:1ex">${
      block(quote.text)
    }</blockquote></div>`;
  return `<div dir="ltr">${block(text)}</div>\n${history}\n`;
}

/** A file somebody attached. */
export function attachment(random: SeededRandom, prose: Prose): WritePart {
  const stem = prose.noun().replaceAll(" ", random.pick(["_", "-", " "])).replaceAll("'", "");
  switch (random.int(0, 4)) {
    case 0:
      return file("application/pdf", `${stem}.pdf`, pdf(random, prose));
    case 1: {
      const rows = Array.from(
        { length: random.int(4, 90) },
        (_, index) =>
          `${index + 1},"${prose.noun()}",${random.int(1, 900)},${random.next().toFixed(3)}`,
      );
      return file(
        "text/csv",
        `${stem} ${random.int(2023, 2026)}.csv`,
        utf8(`no,item,count,share\n${rows.join("\n")}\n`),
      );
    }
    case 2:
      return file("image/png", `${stem}.png`, png(random));
    case 3:
      return file(
        "image/jpeg",
        `Größe ${stem}.jpg`,
        bytes(random, random.int(900, 14000), [0xff, 0xd8, 0xff, 0xe0]),
      );
    default:
      return file(
        "text/plain",
        `${stem}-notes.txt`,
        utf8(`${prose.paragraph(random.int(3, 20))}\n`),
      );
  }
}

function file(contentType: string, fileName: string, content: Uint8Array): WritePart {
  return { kind: "file", contentType, fileName, bytes: content };
}

function bytes(random: SeededRandom, length: number, magic: readonly number[]): Uint8Array {
  const content = new Uint8Array(length);
  for (let index = 0; index < length; index++) content[index] = random.int(0, 255);
  content.set(magic);
  return content;
}

function png(random: SeededRandom): Uint8Array {
  return bytes(random, random.int(600, 6000), [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
}

function pdf(random: SeededRandom, prose: Prose): Uint8Array {
  const lines = Array.from(
    { length: random.int(3, 30) },
    (_, index) =>
      `BT /F1 11 Tf 60 ${760 - index * 18} Td (${prose.sentence().replace(/[()\\]/g, "")}) Tj ET`,
  );
  const stream = lines.join("\n");
  return utf8(
    `%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n` +
      `3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj\n` +
      `4 0 obj<</Length ${stream.length}>>stream\n${stream}\nendstream endobj\n` +
      `5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\ntrailer<</Root 1 0 R/ID[<${
        random.hex(32)
      }>]>>\n%%EOF\n`,
  );
}

/** An iCalendar invitation. */
export function invitation(
  input: {
    random: SeededRandom;
    prose: Prose;
    organizer: Person;
    attendees: readonly Person[];
    start: number;
    title: string;
  },
): string {
  const stamp = (at: number) => new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, "");
  const { random, organizer } = input;
  return [
    "BEGIN:VCALENDAR",
    "PRODID:-//Example Calendar//EN",
    "VERSION:2.0",
    "CALSCALE:GREGORIAN",
    "METHOD:REQUEST",
    "BEGIN:VEVENT",
    `DTSTART:${stamp(input.start)}`,
    `DTEND:${stamp(input.start + random.int(1, 6) * 900_000)}`,
    `DTSTAMP:${stamp(input.start - 500_000_000)}`,
    `ORGANIZER;CN=${organizer.displayName}:mailto:${organizer.email}`,
    `UID:${random.hex(26)}@example.com`,
    ...input.attendees.map((person) =>
      `ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;CN=${person.displayName};X-NUM-GUESTS=0:mailto:${person.email}`
    ),
    `DESCRIPTION:${input.prose.paragraph(3).replace(/([,;])/g, "\\$1")}`,
    `SUMMARY:${input.title.replace(/([,;])/g, "\\$1")}`,
    "SEQUENCE:0",
    "STATUS:CONFIRMED",
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\n");
}
