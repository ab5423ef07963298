/** Whose answer, and whose confirmation, it is: the account in words (spec 11 §6). */

import type { Kernel } from "../dispatch/types.ts";
import { findGumError, type GumError } from "../errors/mod.ts";
import type { JsonObject } from "../json/mod.ts";

/** What an account is called. */
export interface AccountNaming {
  /** Label in the session's account table; absent for the session's own profile. */
  label?: string;
  profileName: string;
  /** Address behind it; undefined when it is not known. Never fails. */
  address(): Promise<string | undefined>;
}

/** `office (ann@example.com)`, `profile work (ann@example.com)`; without an address the name alone. */
async function accountName(naming: AccountNaming): Promise<string> {
  const address = await naming.address();
  const name = naming.label ?? `profile ${naming.profileName}`;
  return address === undefined ? name : `${name} (${address})`;
}

/**
 * A kernel whose confirmations say which account would act, and whose answers say so too where a
 * call picked the account.
 */
export function withAccountName(kernel: Kernel, naming: AccountNaming): Kernel {
  const { label } = naming;
  return {
    ...kernel,
    async dispatch(invocation, signal) {
      try {
        const response = await kernel.dispatch(invocation, signal);
        const { expression } = response;
        return label === undefined || expression === undefined ? response : {
          ...response,
          expression: { ...expression, account: await accountName(naming) },
        };
      } catch (error) {
        const known = findGumError(error);
        if (known === undefined || known !== error) throw error;
        if (known.code === "REQUIRES_CONFIRMATION" && known.details.account === undefined) {
          const account = await accountName(naming);
          throw known.restated({
            details: { ...known.details, account },
            userMessage: `${known.userMessage} Account: ${account}.`,
            cause: known,
          });
        }
        throw label === undefined || known.details.account !== undefined
          ? error
          : forAccount(known, { label, profileName: naming.profileName });
      }
    },
  };
}

const COMMANDS = ["next_command", "setup_command"] as const;

/**
 * A refusal as one of this account: the commands that lift it have to be run for its profile, not
 * for the one that the session belongs to.
 */
function forAccount(error: GumError, of: { label: string; profileName: string }): GumError {
  const details: JsonObject = { ...error.details, account: of.label };
  let { userMessage, suggestion } = error;
  for (const name of COMMANDS) {
    const command = details[name];
    if (typeof command !== "string" || !command.startsWith("gum ")) continue;
    const own = command.replace(/^gum /, `gum --profile ${of.profileName} `);
    details[name] = own;
    userMessage = userMessage.replaceAll(`\`${command}\``, `\`${own}\``);
    suggestion = suggestion.replaceAll(`\`${command}\``, `\`${own}\``);
  }
  return error.restated({ details, userMessage, suggestion });
}
