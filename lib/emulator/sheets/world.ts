/** Contents of the seeded spreadsheets, built when first opened. */

import { type NativeFile, type Prose, proseOf } from "../drive/mod.ts";
import type { Person, SeededRandom } from "../service.ts";
import { type Cell, enteredCell, numberCell, serialOf, textCell } from "./cells.ts";
import { blankSheet, type StoredSheet, type StoredSpreadsheet } from "./store.ts";

type Row = (Cell | undefined)[];

interface Maker {
  random: SeededRandom;
  prose: Prose;
  people: readonly Person[];
  /** Serial number of today. */
  today: number;
}

/** What seeded contents are made from. */
export interface ContentSeed {
  content: SeededRandom;
  people: readonly Person[];
  now: number;
}

/** The content of a seeded spreadsheet. The first few are made for known shapes, the rest vary. */
export function seededSpreadsheet(
  seed: ContentSeed,
  file: NativeFile,
): StoredSpreadsheet {
  const random = seed.content.fork(`spreadsheet ${file.seeded ?? file.id}`);
  const maker: Maker = {
    random,
    prose: proseOf(random.fork("prose")),
    people: seed.people,
    today: Math.floor(serialOf(seed.now)),
  };
  const spreadsheet: StoredSpreadsheet = {
    id: file.id,
    locale: random.pick(["en_GB", "de_DE", "en_US"]),
    zone: "Europe/Berlin",
    sheets: [],
    namedRanges: [],
  };
  switch (file.seeded) {
    case 0:
      spreadsheet.sheets = [
        ledger(maker, 820),
        summary(maker),
        blankSheet({ sheetId: random.int(1, 2e9), title: "It's empty" }),
      ];
      spreadsheet.namedRanges = [{
        id: random.hex(12),
        name: "Amounts",
        sheetId: 0,
        area: { startRow: 1, endRow: 821, startColumn: 5, endColumn: 6 },
      }];
      break;
    case 1:
      spreadsheet.sheets = [oddities(maker)];
      break;
    case 2:
      spreadsheet.sheets = [ragged(maker)];
      break;
    case 3:
      spreadsheet.sheets = [blankSheet({ sheetId: 0, title: "Sheet1" })];
      break;
    default: {
      const rows = 3 + Math.floor(300 * random.next() ** 4);
      spreadsheet.sheets = random.next() < 0.5
        ? [tracker(maker, { rows, title: random.pick(["Sheet1", "Tracker", "数据", "Übersicht"]) })]
        : [ledger(maker, rows)];
      if (random.next() < 0.3) {
        spreadsheet.sheets.push(
          blankSheet({
            sheetId: random.int(1, 2e9),
            title: "Notes & ideas",
            hidden: random.next() < 0.3,
          }),
        );
      }
    }
  }
  return spreadsheet;
}

function header(names: readonly string[]): Row {
  return names.map(textCell);
}

/** Bookings with dates, exact 17-digit numbers, amounts and a running formula. */
function ledger({ random, prose, people, today }: Maker, count: number): StoredSheet {
  const rows: Row[] = [
    header([
      "Date",
      "Booking no.",
      "Site",
      "Description",
      "Clerk",
      "Amount",
      "Share",
      "Cleared",
      "Balance",
    ]),
  ];
  for (let index = 0; index < count; index++) {
    const line = index + 2;
    rows.push([
      numberCell(today - count + index, "DATE"),
      // Beyond 2^53: a reader that rounds shows it.
      { value: bookingNumber(random) },
      textCell(prose.place().split(",")[0] as string),
      random.next() < 0.06 ? undefined : textCell(prose.sentence()),
      textCell(random.pick(people).displayName),
      numberCell(random.int(-90_000, 450_000) / 100, "CURRENCY"),
      numberCell(random.int(0, 10_000) / 10_000, "PERCENT"),
      { value: { type: "boolean", value: random.next() < 0.7 } },
      {
        value: { type: "empty" },
        formula: index === 0 ? "=F2" : `=I${line - 1}+F${line}`,
        format: "CURRENCY",
      },
    ]);
  }
  return blankSheet({
    sheetId: 0,
    title: `Ledger ${random.int(2024, 2026)}`,
    rowCount: Math.max(1000, count + 20),
    frozenRows: 1,
    rows,
  });
}

function bookingNumber(random: SeededRandom): { type: "number"; number: number; digits: string } {
  const digits = `9${random.int(10_000_000, 99_999_999)}${random.int(10_000_000, 99_999_999)}${
    random.pick(["1", "3", "7", "9"])
  }`;
  return { type: "number", number: Number(digits), digits };
}

function summary({ random, prose }: Maker): StoredSheet {
  const rows: Row[] = [header(["Key figure", "Value", "Comment"])];
  const figure = (name: string, formula: string, format?: Cell["format"]): Row => [
    textCell(name),
    { value: { type: "empty" }, formula, ...(format === undefined ? {} : { format }) },
    textCell(prose.sentence()),
  ];
  const ledgerTitle = "'Ledger'";
  rows.push(
    figure("Bookings", "=COUNTA(A2:A9)-1"),
    figure("Two thirds", "=ROUND(2/3, 4)"),
    figure("Broken division", "=1/0"),
    figure("Lost reference", `=SUM(${ledgerTitle}!F2:F9)`),
    figure("Unknown function", "=VLOOKUPS(A1)"),
    figure("Guarded", '=IFERROR(1/0, "n/a")'),
    figure("Today", "=TODAY()", "DATE"),
    figure("Joined", '=CONCATENATE("Σ ", UPPER("ok"))'),
  );
  return blankSheet({
    sheetId: random.int(1, 2e9),
    title: "Key figures",
    rows,
    tabColor: { red: 0.9, green: 0.4, blue: 0.1 },
  });
}

/** Every kind of value that trips a reader up. */
function oddities({ prose }: Maker): StoredSheet {
  const typed = (...texts: string[]): Row =>
    texts.map((text) => enteredCell(text, { parse: true }));
  const raw = (...texts: string[]): Row => texts.map((text) => enteredCell(text, { parse: false }));
  return blankSheet({
    sheetId: 0,
    title: "Odd values",
    rows: [
      header(["Kind", "Typed", "Raw", "Note"]),
      typed("integer", "42", "007", prose.sentence()),
      [textCell("large"), {
        value: { type: "number", number: 2 ** 53, digits: "9007199254740993" },
      }, { value: { type: "number", number: -(2 ** 63), digits: "-9223372036854775807" } }],
      typed("date", "2026-03-29", "2026-10-25", "clock change"),
      typed("time", "02:30", "23:59:59"),
      typed("percent", "12.5%", "0.1%"),
      typed("currency", "€1,234.50", "$0.99"),
      typed("boolean", "TRUE", "false"),
      typed("formula", "=B2*2", '=C2&"!"', "text from a number"),
      typed("error", "=1/0", "=NA()", "=FOO(1)"),
      raw("raw", "=SUM(A1:A9)", "TRUE", "2026-01-01"),
      raw("quotes", 'say "hi", twice', "tab\there", "line\nbreak"),
      raw("scripts", "Größe ≥ 3", "数量は三つ", "עברית و عربية"),
      raw("emoji", "👩🏽‍🔧 🇩🇪", "​zero width", "\u202Eoverride"),
      [],
      raw("after a gap", "", "", "last"),
    ],
  });
}

function ragged({ random, prose }: Maker): StoredSheet {
  const rows: Row[] = [];
  for (let index = 0; index < 60; index++) {
    const width = random.next() < 0.15 ? 0 : random.int(1, 12);
    rows.push(
      Array.from(
        { length: width },
        () =>
          random.next() < 0.25
            ? undefined
            : random.next() < 0.5
            ? numberCell(random.int(0, 9_999) / 10)
            : textCell(prose.subject()),
      ),
    );
  }
  return blankSheet({ sheetId: 0, title: "Ragged", columnCount: 14, rowCount: 90, rows });
}

function tracker(
  { random, prose, people, today }: Maker,
  { rows: count, title }: { rows: number; title: string },
): StoredSheet {
  const rows: Row[] = [header(["Item", "Owner", "Status", "Due", "Estimate", "Comment"])];
  for (let index = 0; index < count; index++) {
    rows.push([
      textCell(prose.subject()),
      textCell(random.pick(people).email),
      textCell(random.pick(["open", "in progress", "blocked", "done"])),
      random.next() < 0.2 ? undefined : numberCell(today + random.int(-60, 90), "DATE"),
      numberCell(random.int(1, 80) / 2),
      random.next() < 0.4 ? undefined : textCell(prose.paragraph(random.int(1, 2))),
    ]);
  }
  return blankSheet({ sheetId: 0, title, frozenRows: 1, rows });
}
