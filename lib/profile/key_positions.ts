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
  const scan: Scan = { text, position: 0, offsets: new Map(), lists: new Map() };
  scanDocument(scan);
  return (path) => {
    for (let length = path.length; length > 0; length--) {
      const offset = scan.offsets.get(keyOf(path.slice(0, length)));
      if (offset !== undefined) return positionOf(text, offset);
    }
    return undefined;
  };
}

interface Scan {
  readonly text: string;
  position: number;
  /** Offset of what a path names, under {@link keyOf}. */
  readonly offsets: Map<string, number>;
  /** Tables so far in each array of tables. */
  readonly lists: Map<string, number>;
}

function keyOf(path: readonly string[]): string {
  return JSON.stringify(path);
}

function positionOf(text: string, offset: number): KeyPosition {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

/** Remembers a path and everything above it; what was seen first counts. */
function note(scan: Scan, path: readonly string[], offset: number): void {
  for (let length = 1; length <= path.length; length++) {
    const key = keyOf(path.slice(0, length));
    if (!scan.offsets.has(key)) scan.offsets.set(key, offset);
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
  written.forEach((segment, index) => {
    path.push(segment);
    const key = keyOf(path);
    const opensElement = isList && index === written.length - 1;
    const count = scan.lists.get(key);
    if (opensElement) scan.lists.set(key, (count ?? 0) + 1);
    if (opensElement) path.push(String(count ?? 0));
    else if (count !== undefined) path.push(String(count - 1));
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
