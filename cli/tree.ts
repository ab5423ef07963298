/** The whole command tree, for help, schema, completion and words that name no command. */

import { commands as admin } from "./admin.ts";
import { commands as audit } from "./audit.ts";
import { commands as auth } from "./auth.ts";
import { commands as cache } from "./cache.ts";
import { commands as canary } from "./canary.ts";
import { commands as code } from "./code.ts";
import { commands as config } from "./config.ts";
import { commands as discover } from "./discover.ts";
import { commands as doctor } from "./doctor.ts";
import { commands as emulator } from "./emulator.ts";
import { commands as gain } from "./gain.ts";
import { commands as invoke } from "./invoke.ts";
import { commands as meta } from "./meta.ts";
import { commands as plugin } from "./plugin.ts";
import { commands as profile } from "./profile.ts";
import { commands as signIn } from "./sign_in.ts";
import { commands as status } from "./status.ts";
import { commands as agents } from "./agents.ts";
import { commands as init } from "./init.ts";
import { commands as skills } from "./skills.ts";
import type { CommandGroup, CommandSpec } from "./types.ts";

/** Root commands, in the order of their groups. */
export const COMMANDS: readonly CommandSpec[] = [
  ...discover,
  ...invoke,
  ...code,
  ...signIn,
  ...auth,
  ...plugin,
  ...profile,
  ...config,
  ...cache,
  ...agents,
  ...skills,
  ...init,
  ...admin,
  ...canary,
  ...gain,
  ...audit,
  ...doctor,
  ...status,
  ...emulator,
  ...meta,
];

/** Titles of the root help, in order. */
export const GROUP_TITLES: readonly [CommandGroup, string][] = [
  ["discover", "Discover:"],
  ["read", "Read:"],
  ["write", "Write & destructive:"],
  ["auth", "Auth:"],
  ["plugin", "Plugin:"],
  ["profile", "Profile & config:"],
  ["admin", "Admin:"],
];
