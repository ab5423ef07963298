/** Account profiles a session may use beyond its own: the `[accounts]` table (spec 11 §6). */

import { isProfileName } from "./directories.ts";
import type { ProfileConfig } from "./load.ts";

/** One account of a session and what it may be used for. */
export interface SessionAccount {
  /** The name a call picks it by. */
  label: string;
  /** Account profile behind it. */
  profileName: string;
  /** Operations it may run, `*` for any part; empty = all that nothing else refuses. */
  allow: readonly string[];
  /** Operations it may not run; deny beats allow. */
  deny: readonly string[];
  /** Highest risk class; undefined = no limit of its own. */
  maxRisk: "read" | "write" | "destructive" | undefined;
  /** Policy mode; undefined = the one of its own profile. */
  mode: "read_only" | "draft_only" | "no_delete" | "full" | undefined;
}

/** The table: usable accounts by label, and the labels that a mistake makes unusable. */
export interface SessionAccounts {
  accounts: ReadonlyMap<string, SessionAccount>;
  /** Labels with a malformed entry. They fail closed: no call may use them. */
  invalid: readonly string[];
}

const FIELDS = ["profile", "allow", "deny", "max_risk", "mode"] as const;
const LABEL = /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$/;

/** Reads the accounts of a configuration. An entry with any unusable field is left out as a whole. */
export function sessionAccounts(config: ProfileConfig): SessionAccounts {
  const labels = new Set<string>();
  const damaged = new Set<string>();
  for (const key of config.values.keys()) {
    if (!key.startsWith("accounts.")) continue;
    const field = FIELDS.find((one) => key.endsWith(`.${one}`));
    const label = key.slice(
      "accounts.".length,
      field === undefined ? undefined : -field.length - 1,
    );
    if (field === undefined) damaged.add(label.replace(/\.[^.]*$/, ""));
    else if (config.settings.has(key)) labels.add(label);
    else damaged.add(label);
  }
  const accounts = new Map<string, SessionAccount>();
  for (const label of [...labels].sort()) {
    const account = accountOf(config, label);
    if (account === undefined) damaged.add(label);
    else if (!damaged.has(label)) accounts.set(label, account);
  }
  return { accounts, invalid: [...damaged].sort() };
}

function accountOf(config: ProfileConfig, label: string): SessionAccount | undefined {
  // Each value was made by its key's row of the table, so the casts hold.
  const field = (name: typeof FIELDS[number]) => config.settings.get(`accounts.${label}.${name}`);
  const profileName = field("profile");
  if (typeof profileName !== "string" || !isProfileName(profileName) || !LABEL.test(label)) {
    return undefined;
  }
  return {
    label,
    profileName,
    allow: field("allow") as readonly string[] | undefined ?? [],
    deny: field("deny") as readonly string[] | undefined ?? [],
    maxRisk: field("max_risk") as SessionAccount["maxRisk"],
    mode: field("mode") as SessionAccount["mode"],
  };
}
