/** A sign-in offered right where a call was refused for the lack of one (spec 05 §3.16). */

import { findGumError } from "../lib/errors/mod.ts";
import { visibleText } from "../lib/format/text/mod.ts";
import type { Session } from "../lib/session/types.ts";
import { askLine } from "./ask_line.ts";
import { oneLine } from "./error_rendering.ts";
import type { CommandContext } from "./types.ts";

/** The session with a kernel that offers one sign-in, then makes the refused call once more. */
export function withJustInTimeLogin(session: Session, context: CommandContext): Session {
  if (session.signIn === undefined) return session;
  const { kernel } = session;
  let offered = false;
  return {
    ...session,
    kernel: {
      ...kernel,
      async dispatch(invocation, signal) {
        try {
          return await kernel.dispatch(invocation, signal);
        } catch (error) {
          if (offered || !await signedInAfter(error, session, context)) throw error;
          offered = true;
        }
        return await kernel.dispatch(invocation, signal);
      },
    },
  };
}

/**
 * True when the person signed in and the call may be made once more. Only somebody at a terminal is
 * asked; pipes and agents get the refusal untouched.
 */
async function signedInAfter(
  refusal: unknown,
  session: Pick<Session, "signIn">,
  context: CommandContext,
): Promise<boolean> {
  const { host, signal } = context;
  const error = findGumError(refusal);
  if (error === undefined || !host.isTerminal("stdin") || session.signIn === undefined) {
    return false;
  }
  const offer = await session.signIn.offer(error, signal);
  if (offer === undefined) return false;
  const { account } = offer;
  const whose = account === undefined ? "" : ` (account ${visibleText(account)})`;
  host.stderr.write(`This call needs access that is not granted yet${whose}:\n`);
  for (const scope of offer.missing) host.stderr.write(`  ${scope}\n`);
  const question = offer.missing.length === 1
    ? `Authorize ${offer.missing[0]}? [Y/n] `
    : `Authorize these ${offer.missing.length} scopes? [Y/n] `;
  const answer = await askLine(host, { text: question, signal });
  if (answer === undefined || !["", "y", "yes"].includes(answer.trim().toLowerCase())) return false;
  const { commandIo } = await import("./operator_auth.ts");
  try {
    const io = commandIo(context);
    await session.signIn.login({ scopes: offer.scopes, io, signal, account });
    return true;
  } catch (failure) {
    signal.throwIfAborted();
    const why = failure instanceof Error ? failure.message : String(failure);
    host.stderr.write(`The sign-in did not work: ${oneLine(why)}\n`);
    return false;
  }
}
