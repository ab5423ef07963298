/** Where a command finds home and project. */

import type { Places } from "../lib/agents/mod.ts";
import { homeDirectory, homeUnresolved } from "../lib/config/directories.ts";
import type { CommandContext } from "./types.ts";

/** Home, project and application data. @throws GumError `HOME_UNRESOLVED` */
export function placesOf({ host }: Pick<CommandContext, "host">): Places {
  const home = homeDirectory(host.environment);
  if (home === undefined) throw homeUnresolved(host.environment);
  const appData = host.environment.text("APPDATA");
  const configHome = host.environment.text("XDG_CONFIG_HOME");
  return {
    home: slashes(home),
    project: slashes(host.workingDirectory?.() ?? Deno.cwd()),
    os: Deno.build.os,
    ...(appData === undefined ? {} : { appData: slashes(appData) }),
    ...(configHome === undefined ? {} : { configHome: slashes(configHome) }),
  };
}

function slashes(path: string): string {
  const plain = Deno.build.os === "windows" ? path.replaceAll("\\", "/") : path;
  return plain.length > 1 ? plain.replace(/\/+$/, "") : plain;
}
