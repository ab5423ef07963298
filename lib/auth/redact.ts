/** Text from outside that ends up in an error: short, one line, no token shapes (spec 05 §3.24). */

const TOKEN_SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z ]+-----[\s\S]*?(-----END [A-Z ]+-----|$)/g,
  /\bya29\.[\w.~+/-]+/g,
  /\b1\/\/[\w-]+/g,
  /\b4\/[\w-]{10,}/g,
  /\bAIza[\w-]+/g,
  /\bGOCSPX-[\w-]+/g,
  /\beyJ[\w-]+\.[\w-]+\.?[\w-]*/g,
];

const LONGEST = 200;
/** Looked at for shapes; the rest is cut off anyway, and an endpoint may send megabytes. */
const CONSIDERED = 4_096;

/** The text with everything that looks like a credential masked, on one line, at most 200 long. */
export function redacted(text: string, known: readonly string[] = []): string {
  let clean = text;
  for (const value of known) if (value.length >= 4) clean = clean.replaceAll(value, "[redacted]");
  clean = clean.slice(0, CONSIDERED);
  for (const shape of TOKEN_SHAPES) clean = clean.replace(shape, "[redacted]");
  // Control characters could rewrite what a terminal shows.
  clean = clean.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  return clean.length > LONGEST ? clean.slice(0, LONGEST) + "…" : clean;
}
