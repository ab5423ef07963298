/** The update notice behind `gum version` and its refresh (spec 07 §3.21). */

import { baseDirectories, profileDirectories } from "../lib/config/directories.ts";
import { loadConfig, setting } from "../lib/config/mod.ts";
import { isGumError } from "../lib/errors/mod.ts";
import {
  planNotice,
  readKnownRelease,
  refreshKnownRelease,
  type ReleaseSource,
} from "../lib/notifier/mod.ts";
import type { CommandContext } from "./types.ts";

/**
 * Prints a notice that is known already and starts a refresh when it is due. A notice is never worth
 * an error, so nothing here can fail the command.
 */
export async function noticeOnVersion(context: CommandContext): Promise<void> {
  const { host, profile } = context;
  const releases = await host.factories.releases?.();
  // With the emulator, nobody outside is asked, and what is known of the outside stays unsaid.
  if (releases === undefined || context.emulator) return;
  const directories = foldersOf(context);
  if (directories === undefined || !await isEnabled(context, directories.config)) return;
  const plan = planNotice(await readKnownRelease(directories.cache), {
    version: releases.version,
    now: host.factories.clock.now(),
    page: releases.source.page,
  });
  if (plan.line !== undefined) host.stderr.write(plan.line);
  if (plan.refresh) releases.startRefresh(profile);
}

/**
 * Runs `gum __notify-refresh`: the process that {@link noticeOnVersion} leaves behind. A running
 * emulator, when one is named, answers in the place of the release page.
 */
export async function runRefresh(context: CommandContext): Promise<void> {
  const { factories } = context.host;
  // The built-in emulator lives no longer than this process, and nobody outside is asked.
  if (context.emulator && context.emulatorOrigin === undefined) return;
  const releases = await factories.releases?.();
  const directories = foldersOf(context);
  if (releases === undefined || directories === undefined) return;
  const source = await reachable(releases.source, context.emulatorOrigin);
  if (source === undefined) return;
  await refreshKnownRelease(directories.cache, { source, clock: factories.clock });
}

async function reachable(
  source: ReleaseSource,
  emulatorOrigin: string | undefined,
): Promise<ReleaseSource | undefined> {
  if (emulatorOrigin === undefined) return source;
  const { attachEmulator } = await import("../lib/emulator/mod.ts");
  try {
    const emulator = await attachEmulator(emulatorOrigin);
    return { ...source, latest: emulator.rewrite(new URL(source.latest)).href };
  } catch (error) {
    if (!isGumError(error, "SERVICE_DOWN")) throw error;
    return undefined;
  }
}

async function isEnabled(context: CommandContext, directory: string): Promise<boolean> {
  try {
    const { config } = await loadConfig({
      profileName: context.profile,
      directory,
      log: context.log,
    });
    return setting(config, "notify.enabled");
  } catch (error) {
    if (!isGumError(error)) throw error;
    return false;
  }
}

function foldersOf(context: CommandContext) {
  try {
    return profileDirectories(baseDirectories(context.host.environment), context.profile);
  } catch (error) {
    if (!isGumError(error, "HOME_UNRESOLVED")) throw error;
    return undefined;
  }
}
