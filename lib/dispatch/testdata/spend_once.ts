/** One process of a race for a confirmation token: waits for a line on stdin, then uses it. */

import { createAdapterRegistry, createRestAdapter } from "../../adapters/mod.ts";
import { createArtifactStore } from "../../artifact/mod.ts";
import { createExplicitAuthResolver } from "../../auth/mod.ts";
import { disabledResponseCache } from "../../cache/mod.ts";
import { systemClock } from "../../clock/mod.ts";
import { createConfirmationService } from "../../confirmation/mod.ts";
import { GumError } from "../../errors/mod.ts";
import { disabledGainSink } from "../../gain/mod.ts";
import { disabledAuditSink } from "../../audit/mod.ts";
import { createHttpClient } from "../../http/mod.ts";
import { unlimitedRate } from "../../limiter/testdata/unlimited_rate.ts";
import { shaper } from "../../shape/mod.ts";
import { createKernel } from "../mod.ts";
import { FILES, snapshotOf } from "./fixture.ts";

const [dataDir = "", token = "", origin = ""] = Deno.args;
using http = createHttpClient({
  rewriteOrigin: (url) => new URL(`${origin}/_host/${url.host}${url.pathname}${url.search}`),
});
const kernel = createKernel({
  catalog: snapshotOf(FILES),
  profiles: { resolve: () => ({ profile: undefined, warnings: [] }) },
  auth: createExplicitAuthResolver({ bearer: "t" }),
  limiter: unlimitedRate,
  cache: disabledResponseCache,
  adapters: createAdapterRegistry({ rest: createRestAdapter({ http, version: "0.0.0-test" }) }),
  shaper,
  artifacts: createArtifactStore({ directory: undefined }),
  audit: disabledAuditSink,
  gain: disabledGainSink,
  confirm: createConfirmationService({ profileName: "default", dataDir, clock: systemClock }),
  clock: systemClock,
  settings: { profileName: "default" },
});
const write = (text: string) => Deno.stdout.write(new TextEncoder().encode(`${text}\n`));
await write("ready");
await Deno.stdin.read(new Uint8Array(8));
try {
  await kernel.dispatch({
    opId: "drive.files.delete",
    args: { fileId: "abc" },
    allowDestructive: true,
    confirmed: true,
    confirmationToken: token,
  });
  await write("done");
} catch (error) {
  await write(error instanceof GumError ? String(error.details.reason) : `${error}`);
}
