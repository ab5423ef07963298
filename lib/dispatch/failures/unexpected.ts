/** Throws that no contract names: bugs of an adapter, and errors with text of their own. */

const MAX_TEXT = 512;

/** A programming error, or something that is no error at all. */
export function isCrash(thrown: unknown): boolean {
  return !(thrown instanceof Error) || thrown instanceof TypeError ||
    thrown instanceof RangeError || thrown instanceof ReferenceError ||
    thrown instanceof SyntaxError;
}

/** What a log may say of a crash: function names, base file names and lines, nothing else. */
export function sanitizedStack(thrown: unknown): string[] {
  if (!(thrown instanceof Error)) return [`thrown ${thrown === null ? "null" : typeof thrown}`];
  const frames = (thrown.stack ?? "").split("\n").filter((line) => /^\s*at /.test(line));
  return [thrown.name, ...frames.map(sanitizedFrame)];
}

function sanitizedFrame(line: string): string {
  const place = /([^/\\()\s]+):([0-9]+):[0-9]+\)?$/.exec(line.trim());
  const named = /^at (?:async )?([\w$.<>[\] ]+) \(/.exec(line.trim());
  const where = place === null ? "(unknown)" : `${place[1]}:${place[2]}`;
  return named === null ? `at ${where}` : `at ${named[1]} (${where})`;
}

/** Text with what looks like a credential or a query string taken out, cut to a sane length. */
export function scrubbed(text: string): string {
  return withoutCredentials(
    text.replace(/\bhttps?:\/\/[^\s/?#@]+@/gi, "https://")
      .replace(/\b(https?:\/\/[^\s/?#]+)[^\s)"']*/gi, "$1"),
  ).slice(0, MAX_TEXT);
}

/** Text with what looks like a credential taken out; links stay, as services put advice in them. */
export function withoutCredentials(text: string): string {
  return text
    .replace(/\bBearer\s+[^\s"',;]+/gi, "Bearer [redacted]")
    .replace(/\bya29\.[\w.-]+/g, "[redacted]")
    .replace(/\bAIza[\w-]{20,}/g, "[redacted]")
    .replace(/\b1\/\/[\w-]{20,}/g, "[redacted]")
    .replace(
      /\b((?:access_token|refresh_token|client_secret|api_key|key|token)=)[^\s&"']+/gi,
      "$1[redacted]",
    );
}
