/** Removing managed grants: stores cannot list, so an index names them (spec 05 §3.9 step 4). */

import type { CredentialEntries, StoreCall } from "../store/mod.ts";
import { managedIndexAccount, managedSubjectAccount } from "../store/mod.ts";
import type { AuthParts } from "../types.ts";

/** Deletes every managed entry of the profile; returns how many grants there were. */
export async function purgeManaged(
  parts: Pick<AuthParts, "store" | "profileName">,
  call: StoreCall,
): Promise<number> {
  const index = managedIndexAccount(parts.profileName);
  if (await parts.store.get(index, call) === null) return 0;
  return await parts.store.exclusive(async (entries) => {
    const accounts = await managedAccounts(entries, parts.profileName, call);
    const failures: unknown[] = [];
    for (const account of [...accounts, managedSubjectAccount(parts.profileName), index]) {
      try {
        await entries.delete(account, call);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return accounts.length;
  }, call);
}

/** Entries the index names. */
export async function managedAccounts(
  entries: Pick<CredentialEntries, "get">,
  profileName: string,
  call: StoreCall,
): Promise<string[]> {
  const text = await entries.get(managedIndexAccount(profileName), call);
  return text === null ? [] : text.reveal().split("\n").filter((line) => line !== "");
}
