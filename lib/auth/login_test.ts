import assert from "node:assert/strict";
import { openWorld, scope } from "./testdata/auth_world.ts";
import { listener, person } from "./testdata/person.ts";
import { signIn } from "./login.ts";

Deno.test("smoke", async () => {
  await using world = await openWorld();
  const { open, visits, settled } = person();
  const { io } = listener();
  const result = await signIn(world.parts, world.view, {
    scopes: [scope("gmail.readonly")],
    openBrowser: open,
    io,
    signal: world.signal,
  });
  await settled();
  assert.deepEqual(result.scopes, [scope("gmail.readonly")]);
  assert.equal(visits[0]?.status, 200);
  const before = world.tokenRequests();
  const credentials = await world.resolver.strategy("byo_oauth").resolve({
    scopes: [scope("gmail.readonly")],
    signal: world.signal,
  });
  assert.equal(credentials?.subjectFingerprint, result.subjectFingerprint);
  assert.equal(world.tokenRequests(), before + 1);
});
