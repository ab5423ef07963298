/** Bytes of mail as text, whatever their declaration says. Never throws. */

/**
 * Decodes the body of a text part.
 *
 * The service usually hands bodies over as UTF-8 and leaves the old charset in the header, so bytes
 * that are valid UTF-8 count as UTF-8; else the declared charset, else windows-1252, which every
 * byte sequence is valid in.
 */
export function decodeText(bytes: Uint8Array, charset: string | undefined): string {
  return strictText(bytes, charset) ?? new TextDecoder("windows-1252").decode(bytes);
}

/** {@link decodeText} where the bytes are valid UTF-8 or what they were declared to be. */
function strictText(bytes: Uint8Array, charset: string | undefined): string | undefined {
  const declared = (charset ?? "utf-8").trim().toLowerCase();
  // Seven-bit charsets with escapes look like ASCII, which is UTF-8.
  if (/^(iso-2022|utf-7|hz-)/.test(declared)) {
    const text = decodedAs(bytes, declared);
    if (text !== undefined) return text;
  }
  // ASCII in pairs of bytes is valid UTF-8 full of NULs, which no mail holds.
  if (/^(utf-?16|ucs-2)/.test(declared) && bytes.includes(0)) {
    const text = decodedAs(bytes, bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : declared);
    if (text !== undefined) return text;
  }
  return decodedAs(bytes, "utf-8") ?? decodedAs(bytes, declared);
}

function decodedAs(bytes: Uint8Array, charset: string): string | undefined {
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(charset, { fatal: true });
  } catch (error) {
    if (error instanceof RangeError) return undefined; // a charset nobody knows
    throw error;
  }
  try {
    return decoder.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined; // bytes of another charset
    throw error;
  }
}

/** Bytes of base64 or base64url text; letters that do not belong are skipped. */
export function decodeBase64(text: string): Uint8Array {
  const letters = text.replaceAll("-", "+").replaceAll("_", "/").replace(/[^A-Za-z0-9+/]/g, "");
  // One letter past a group of four holds no byte.
  const whole = letters.length % 4 === 1 ? letters.slice(0, -1) : letters;
  return Uint8Array.fromBase64(whole);
}

const ENCODED_WORD = /=\?([^?\s*]+)(?:\*[^?\s]*)?\?([bBqQ])\?([^?\s]*)\?=/g;

/** Encoded words of one charset that follow each other. */
interface WordRun {
  charset: string;
  words: Uint8Array[];
}

/**
 * A header value on one line, with its encoded words (RFC 2047) resolved. In a list of addresses, a
 * decoded word with characters that mean something there is put in quotes: it is a name, whatever
 * address it spells.
 */
export function decodeWords(value: string, options: { addresses?: boolean } = {}): string {
  const line = value.replace(/[\r\n]+[ \t]*/g, " ");
  if (!line.includes("=?")) return line;
  let text = "";
  let run: WordRun | undefined;
  let position = 0;
  let isInQuotes = false;
  const finish = () => {
    if (run === undefined) return;
    const words = runText(run).replace(/\p{Cc}+/gu, " ");
    text += options.addresses ? quotedName(words, isInQuotes) : words;
    run = undefined;
  };
  for (const match of line.matchAll(ENCODED_WORD)) {
    const [whole, charset = "", encoding = "", content = ""] = match;
    const between = line.slice(position, match.index);
    const bytes = encoding.toLowerCase() === "b" ? decodeBase64(content) : decodeQ(content);
    // Blanks between two encoded words are there for the sake of the line length only.
    const follows = run !== undefined && between.trim() === "";
    if (follows && run?.charset === charset.toLowerCase()) run.words.push(bytes);
    else {
      finish();
      if (!follows) {
        text += between;
        if (oddQuotes(between)) isInQuotes = !isInQuotes;
      }
      run = { charset: charset.toLowerCase(), words: [bytes] };
    }
    position = match.index + whole.length;
  }
  finish();
  return text + line.slice(position);
}

/** Some senders cut a character in two: the words are decoded together where that works. */
function runText({ charset, words }: WordRun): string {
  const together = new Uint8Array(words.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const word of words) {
    together.set(word, offset);
    offset += word.length;
  }
  return strictText(together, charset) ??
    words.map((word) => decodeText(word, charset)).join("");
}

/** Whether a piece of a header opens a quoted string that it does not close, or the other way. */
function oddQuotes(piece: string): boolean {
  return piece.replace(/\\./g, "").split('"').length % 2 === 0;
}

function quotedName(words: string, isInQuotes: boolean): string {
  if (!/[()<>[\]:;@\\,"]/.test(words)) return words;
  const escaped = words.replace(/["\\]/g, "\\$&");
  return isInQuotes ? escaped : `"${escaped}"`;
}

function decodeQ(text: string): Uint8Array {
  const bytes: number[] = [];
  for (let index = 0; index < text.length; index++) {
    const hex = text[index] === "=" ? text.slice(index + 1, index + 3) : "";
    if (/^[0-9A-Fa-f]{2}$/.test(hex)) {
      bytes.push(parseInt(hex, 16));
      index += 2;
    } else bytes.push(text[index] === "_" ? 0x20 : text.charCodeAt(index) & 0xff);
  }
  return Uint8Array.from(bytes);
}
