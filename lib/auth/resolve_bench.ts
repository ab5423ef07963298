/** A warm resolution, as a session pays for it on every call; goal: at most 0.2 ms. */

import type { Variant } from "../catalog/types.ts";
import { signIn } from "./login.ts";
import { openWorld, scope } from "./testdata/auth_world.ts";
import { listener, person } from "./testdata/person.ts";

const world = await openWorld();
const { open, settled } = person();
const scopes = [scope("gmail.readonly")];
await signIn(world.parts, world.view, {
  scopes,
  openBrowser: open,
  io: listener().io,
  signal: world.signal,
});
await settled();
const variant = { variant_id: "v", auth_strategy: "byo_oauth", scopes } as Variant;
const question = { opId: "svc.things.list", variant, args: {} };
await world.resolver.resolve(question, world.signal);

Deno.bench("resolve byo_oauth, warm", async () => {
  await world.resolver.resolve(question, world.signal);
});

globalThis.addEventListener("unload", () => void world[Symbol.asyncDispose]());
