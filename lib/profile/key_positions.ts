/**
 * Where the keys of a TOML text stand. The parser tells that only of what it cannot read; a key with
 * a wrong value has been read by then, so its place is looked up in the text once more.
 *
 * @module
 */

/** A place in a text, both counted from 1, columns in code units, as the TOML parser does. */
export interface KeyPosition {
  line: number;
  column: number;
}

/**
 * The positions of every table, key and element of a text that the TOML parser has accepted. The
 * returned function finds the position of a path, or else of the nearest thing around it.
 */
export function keyPositions(
  text: string,
): (path: readonly string[]) => KeyPosition | undefined {
  const scan: Scan = { text, position: 0, root: newPlace() };
  scanDocument(scan);
  const starts = lineStarts(text);
  return (path) => {
    let place: Place | undefined = scan.root;
    let offset: number | undefined;
    for (const segment of path) {
      place = place.below.get(segment);
      if (place === undefined) break;
      offset = place.offset ?? offset;
    }
    return offset === undefined ? undefined : positionOf(starts, offset);
  };
}

interface Scan {
  readonly text: string;
  position: number;
  readonly root: Place;
}

/** What a path names; a tree, so that long paths cost their length and no more. */
interface Place {
  /** Where it was seen first. */
  offset?: number;
  /** Tables so far, in an array of tables. */
  tables?: number;
  readonly below: Map<string, Place>;
}

function newPlace(): Place {
  return { below: new Map() };
}

function placeBelow(place: Place, segment: string): Place {
  let below = place.below.get(segment);
  if (below === undefined) {
    below = newPlace();
    place.below.set(segment, below);
  }
  return below;
}

/** Offsets at which the lines of a text begin. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function positionOf(starts: readonly number[], offset: number): KeyPosition {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}

/** Remembers a path and everything above it; what was seen first counts. */
function note(scan: Scan, path: readonly string[], offset: number): void {
  let place = scan.root;
  for (const segment of path) {
    place = placeBelow(place, segment);
    place.offset ??= offset;
  }
}

function scanDocument(scan: Scan): void {
  const { text } = scan;
  let table: string[] = [];
  for (skipBlank(scan); scan.position < text.length; skipBlank(scan)) {
    const start = scan.position;
    if (text[start] === "[") table = scanHeader(scan);
    else scanMember(scan, table);
    // A text that the parser took never gets here; one that it should not have taken still ends.
    if (scan.position === start) scan.position++;
  }
}

/** `[table]` or `[[table]]`; gives the path that the keys below it belong to. */
function scanHeader(scan: Scan): string[] {
  const start = scan.position;
  const isList = scan.text.startsWith("[[", start);
  scan.position += isList ? 2 : 1;
  const written = scanKey(scan);
  scan.position += isList ? 2 : 1;
  const path: string[] = [];
  let place = scan.root;
  written.forEach((segment, index) => {
    path.push(segment);
    place = placeBelow(place, segment);
    if (isList && index === written.length - 1) place.tables = (place.tables ?? 0) + 1;
    if (place.tables === undefined) return;
    const element = String(place.tables - 1);
    path.push(element);
    place = placeBelow(place, element);
  });
  note(scan, path, start);
  return path;
}

/** `key = value`, in a table or an inline one. */
function scanMember(scan: Scan, table: readonly string[]): void {
  const start = scan.position;
  const path = [...table, ...scanKey(scan)];
  note(scan, path, start);
  skipSpace(scan);
  if (scan.text[scan.position] !== "=") return;
  scan.position++;
  scanValue(scan, path);
}

/** A dotted key, up to what ends it. */
function scanKey(scan: Scan): string[] {
  const segments: string[] = [];
  while (true) {
    skipSpace(scan);
    const first = scan.text[scan.position];
    if (first === '"' || first === "'") segments.push(scanText(scan));
    else segments.push(matchAt(scan, /[A-Za-z0-9_-]*/y));
    skipSpace(scan);
    if (scan.text[scan.position] !== ".") return segments;
    scan.position++;
  }
}

function scanValue(scan: Scan, path: readonly string[]): void {
  skipSpace(scan);
  switch (scan.text[scan.position]) {
    case '"':
    case "'":
      scanText(scan);
      return;
    case "[":
      return scanElements(scan, "]", (index) => {
        const element = [...path, String(index)];
        note(scan, element, scan.position);
        scanValue(scan, element);
      });
    case "{":
      return scanElements(scan, "}", () => scanMember(scan, path));
    default:
      matchAt(scan, /[^,\]}#\r\n]*/y);
  }
}

function scanElements(scan: Scan, close: string, scanOne: (index: number) => void): void {
  scan.position++;
  for (let index = 0; scan.position < scan.text.length; index++) {
    skipBlank(scan);
    if (scan.text[scan.position] === close) {
      scan.position++;
      return;
    }
    const start = scan.position;
    scanOne(index);
    skipBlank(scan);
    if (scan.text[scan.position] === ",") scan.position++;
    if (scan.position === start) return;
  }
}

/** A string of any of the four kinds; gives its value where it may be a key. */
function scanText(scan: Scan): string {
  const { text, position } = scan;
  const quote = text[position] ?? "";
  if (text.startsWith(quote.repeat(3), position)) {
    // Up to two quotes may stand before the three that close it.
    matchAt(scan, quote === '"' ? /"""(?:\\[^]|[^\\])*?"""(?:"{0,2})/y : /'''[^]*?'''(?:'{0,2})/y);
    return "";
  }
  const token = matchAt(scan, quote === '"' ? /"(?:\\.|[^"\\\n])*"?/y : /'[^'\n]*'?/y);
  return quote === '"' ? unescaped(token) : token.slice(1, -1);
}

const ESCAPES: Readonly<Record<string, string>> = {
  b: "\b",
  t: "\t",
  n: "\n",
  f: "\f",
  r: "\r",
  e: "\u001b",
};

function unescaped(token: string): string {
  return token.slice(1, -1).replace(
    /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|(.))/g,
    (_match, four?: string, eight?: string, two?: string, letter = "") => {
      const digits = four ?? eight ?? two;
      if (digits === undefined) return ESCAPES[letter] ?? letter;
      const code = Number.parseInt(digits, 16);
      return code > 0x10ffff ? "" : String.fromCodePoint(code);
    },
  );
}

/** Moves past what a sticky pattern matches here. */
function matchAt(scan: Scan, pattern: RegExp): string {
  pattern.lastIndex = scan.position;
  const [token = ""] = pattern.exec(scan.text) ?? [];
  scan.position += token.length;
  return token;
}

function skipSpace(scan: Scan): void {
  matchAt(scan, /[ \t]*/y);
}

/** Moves past white space, line ends and comments. */
function skipBlank(scan: Scan): void {
  matchAt(scan, /(?:[ \t\r\n]|#[^\n]*)*/y);
}
