/** Which folder's project a command belongs to (spec 03 §3.3). */

import type { CommandHost } from "./types.ts";

/**
 * `GUM_PROJECT_ROOT`, else the folder the program was started in; a relative one counts from there.
 * Undefined where that folder is gone: then there is no project.
 */
export function projectRootOf(host: CommandHost): string | undefined {
  const named = host.environment.text("GUM_PROJECT_ROOT");
  if (named !== undefined && /^(?:[A-Za-z]:)?[/\\]/.test(named)) return named;
  const started = startedIn(host);
  return named === undefined || started === undefined ? started : resolved(`${started}/${named}`);
}

/** Without `..`, past which nothing could be found upwards. */
function resolved(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return path;
  }
}

function startedIn(host: CommandHost): string | undefined {
  try {
    return host.workingDirectory?.() ?? Deno.cwd();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return undefined;
  }
}
