/** Path templates of the emulated services, matched against raw paths. */

/** A compiled template. */
export interface CompiledPattern {
  readonly expression: RegExp;
  readonly names: readonly string[];
  /** Literal characters; the route with more of them is tried first. */
  readonly literalLength: number;
  readonly reserved: boolean;
}

/** Compiles `{name}` (one segment), `{+name}` (the rest) and literal text, `:verb` included. */
export function compilePattern(pattern: string): CompiledPattern {
  const names: string[] = [];
  let source = "";
  let literalLength = 0;
  let reserved = false;
  for (const part of pattern.split(/(\{\+?[^}]+\})/)) {
    const variable = /^\{(\+?)([^}]+)\}$/.exec(part);
    if (variable === null) {
      literalLength += part.length;
      source += part.replace(/[.*+?^$|()[\]\\{}]/g, "\\$&");
      continue;
    }
    names.push(variable[2] as string);
    if (variable[1] === "+") {
      reserved = true;
      source += "(.+)";
    } else source += "([^/]+)";
  }
  return { expression: new RegExp(`^${source}$`), names, literalLength, reserved };
}

/** Decoded parameters when the path matches; undefined when it does not. */
export function matchPattern(
  pattern: CompiledPattern,
  path: string,
): Record<string, string> | undefined {
  const found = pattern.expression.exec(path);
  if (found === null) return undefined;
  const params: Record<string, string> = {};
  for (const [index, name] of pattern.names.entries()) {
    params[name] = decodeSegment(found[index + 1] as string);
  }
  return params;
}

/** Percent-decodes; a malformed escape stays as sent. */
export function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

/** Most specific first: more literal text, then plain segments before `{+rest}`. */
export function bySpecificity(
  left: { pattern: CompiledPattern },
  right: { pattern: CompiledPattern },
): number {
  return Number(left.pattern.reserved) - Number(right.pattern.reserved) ||
    right.pattern.literalLength - left.pattern.literalLength;
}
