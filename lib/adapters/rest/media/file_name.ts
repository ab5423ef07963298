/** The name a downloaded file gets in a directory. Pure; the name comes from strangers. */

const LONGEST_BYTES = 200;
/** Characters of a given name that are looked at. */
const LONGEST_CONSIDERED = 2_000;
const WINDOWS_DEVICE = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;
// Separators of every system, what Windows refuses, control and direction-changing characters.
const UNSAFE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029/\\:*?"<>|]/gu;

/**
 * One path component that stays where it is put: no separator, no `..`, no hidden file, no device
 * name, short enough for every file system. `fallback` is used when nothing is left.
 */
export function safeFileName(given: string, fallback = "download"): string {
  const cleaned = given.slice(0, LONGEST_CONSIDERED).toWellFormed().normalize("NFC")
    .replace(UNSAFE, "_")
    .replace(/^[.\s]+/, "").replace(/[.\s]+$/, "");
  const named = cleaned === "" ? fallback : cleaned;
  return shortened(WINDOWS_DEVICE.test(named) ? `_${named}` : named);
}

/** Cuts the stem, so that the extension survives. */
function shortened(name: string): string {
  const size = (text: string) => new TextEncoder().encode(text).length;
  if (size(name) <= LONGEST_BYTES) return name;
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? "";
  const characters = [...name.slice(0, name.length - extension.length)];
  while (characters.length > 1 && size(characters.join("") + extension) > LONGEST_BYTES) {
    characters.pop();
  }
  return characters.join("").trimEnd() + extension;
}

/** The file name of a `Content-Disposition` header; `filename*` wins over `filename`. */
export function dispositionName(header: string | null): string | undefined {
  if (header === null) return undefined;
  const extended = /;\s*filename\*\s*=\s*(?:utf-8|iso-8859-1)'[^']*'([^;]+)/i.exec(header)?.[1];
  if (extended !== undefined) {
    try {
      return decodeURIComponent(extended.trim());
    } catch {
      // Not percent-encoded UTF-8: the plain form may still serve.
    }
  }
  const quoted = /;\s*filename\s*=\s*"((?:[^"\\]|\\.)*)"/i.exec(header)?.[1];
  if (quoted !== undefined) return quoted.replace(/\\(.)/g, "$1");
  return /;\s*filename\s*=\s*([^;"\s]+)/i.exec(header)?.[1];
}
