/** Whether signing out here would sign another profile out as well (spec 05 §3.9 step 3). */

import { isProfileName } from "../../config/directories.ts";
import { type OAuthGrant, parseGrant } from "../grants/grant.ts";
import type { SharedGrant } from "../logout.ts";
import { byoGrantAccount, type CredentialStore } from "../store/mod.ts";

/** Looks through the other profiles of this machine. */
export async function sharedWithOtherProfile(
  look: {
    /** `<data>/gum`; undefined: there are no others. */
    folder: string | undefined;
    profileName: string;
    openStore: (profileName: string) => CredentialStore;
    signal: AbortSignal;
  },
  grant: SharedGrant,
): Promise<boolean> {
  if (look.folder === undefined) return false;
  for (const other of await profileFolders(look.folder)) {
    if (other === look.profileName) continue;
    const store = look.openStore(other);
    const account = await byoGrantAccount(other, grant.clientId);
    if (!(await store.accounts()).includes(account)) continue;
    try {
      const text = await store.get(account, look);
      const found = text === null ? undefined : parseGrant(text.reveal());
      if (found !== undefined && mayBeSameAccount(found, grant)) return true;
    } catch {
      look.signal.throwIfAborted();
      // It has a grant of this client and cannot be looked at: leave Google's side alone.
      return true;
    }
  }
  return false;
}

/**
 * One account has an address and a number, and a grant is named after either: only two of the same
 * kind can differ. What cannot be told apart may be the same.
 */
function mayBeSameAccount(
  one: Pick<OAuthGrant, "principal" | "principalKind" | "sub">,
  other: Pick<OAuthGrant, "principal" | "principalKind" | "sub">,
): boolean {
  if (one.sub !== undefined && other.sub !== undefined) return one.sub === other.sub;
  if (one.principal === undefined || other.principal === undefined) return true;
  return one.principalKind !== other.principalKind || one.principal === other.principal;
}

async function profileFolders(folder: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const entry of Deno.readDir(folder)) {
      if (entry.isDirectory && isProfileName(entry.name)) names.push(entry.name);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return names.sort();
}
