/** Taking injected secrets out of what a plugin says. */

const MASK = "[redacted]";

/** Replaces every given value in a text, longest first, so that no part of one is left over. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const wanted = [...new Set(secrets)]
    .filter((value) => value !== "")
    .sort((a, b) => b.length - a.length);
  return (text) => wanted.reduce((clean, value) => clean.replaceAll(value, MASK), text);
}
