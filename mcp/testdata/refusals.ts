/** Test only: calls that must be refused before anything runs. */

import { deepStrictEqual, equal } from "node:assert/strict";
import type { JsonObject } from "../../lib/json/mod.ts";
import { fakeSession } from "./fake_session.ts";
import { envelopeOf, withPeer } from "./raw_peer.ts";

/** An operation of the small catalog. */
export const LIST = "gmail.users.messages.list";

/** The envelope of a refused call; fails when the kernel was asked. */
export async function refused(name: string, args: JsonObject): Promise<JsonObject> {
  const fake = fakeSession();
  const envelope = await withPeer(fake.session, {}, async (peer) => {
    const result = await peer.call(name, args);
    equal(result.isError, true, `${name} ${JSON.stringify(args)}`);
    equal(result.structuredContent, undefined);
    return envelopeOf(result);
  });
  deepStrictEqual(fake.asked, [], "the handler must not run");
  return envelope;
}
