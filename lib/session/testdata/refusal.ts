/** A call of a session that is meant to fail. */

import assert from "node:assert/strict";
import type { Invocation } from "../../dispatch/types.ts";
import { findGumError, type GumError } from "../../errors/mod.ts";
import type { Session } from "../mod.ts";

/** A read that every granted account may do. */
export const LABELS: Invocation = {
  opId: "gmail.users.labels.list",
  args: { userId: "me" },
  format: "json",
};

/** The error that a call is refused with; fails when it goes through. */
export async function refusal(session: Session, invocation = LABELS): Promise<GumError> {
  try {
    await session.kernel.dispatch(invocation);
  } catch (error) {
    const known = findGumError(error);
    assert.ok(known !== undefined, String(error));
    return known;
  }
  return assert.fail("the call went through");
}
