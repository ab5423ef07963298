/**
 * The real program with an emulator for Google, sign-in included. No variable and no flag of the
 * program itself leads there, so tests that spawn it start it from here.
 *
 * `deno run … testdata/peer_gum.ts <emulator origin> <words…>`
 */

import { processHost } from "../cli/host.ts";
import { runCommandLine } from "../cli/run.ts";
import { COMMANDS } from "../cli/tree.ts";
import { GOOGLE_ENDPOINTS } from "../lib/auth/oauth/endpoints.ts";
import { attachEmulator } from "../lib/emulator/mod.ts";
import { VERSION } from "../lib/version/mod.ts";
import { serveStdio } from "../mcp/mod.ts";

const [origin = "", ...argv] = Deno.args;
const emulator = await attachEmulator(origin);
const authorization = emulator.rewrite(new URL(GOOGLE_ENDPOINTS.authorization)).href;
const host = processHost({
  argv,
  serveMcp: (session, options) => serveStdio(session, { version: VERSION, ...options }),
});

/** Somebody who agrees to everything at once. */
async function agree(address: string): Promise<void> {
  const url = new URL(address);
  url.searchParams.set("gum_decision", "allow");
  await (await fetch(url)).body?.cancel();
}

const code = await runCommandLine(COMMANDS, {
  ...host,
  // A getter of the host, which the spread would evaluate at once.
  get signal() {
    return host.signal;
  },
  factories: {
    ...host.factories,
    openBrowser: (address) => {
      void agree(address);
      return Promise.resolve();
    },
    googlePeer: {
      rewriteOrigin: (url) => emulator.rewrite(url),
      endpoints: { ...GOOGLE_ENDPOINTS, authorization },
    },
  },
});
Deno.exit(code);
