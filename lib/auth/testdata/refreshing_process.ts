/** A process of its own that asks for tokens again and again: folder, origin, vault key, count. */

import { systemClock } from "../../clock/mod.ts";
import { environmentOf } from "../../config/environment.ts";
import { createHttpClient } from "../../http/mod.ts";
import { silentLogger } from "../../log/mod.ts";
import { GOOGLE_ENDPOINTS } from "../oauth/endpoints.ts";
import { openAuthParts } from "../parts.ts";
import { createCompositeResolver } from "../resolver.ts";

const [folder = "", origin = "", vaultKey = "", count = "1"] = Deno.args;
using http = createHttpClient({
  rewriteOrigin: (url) => new URL(`${origin}/_host/${url.hostname}${url.pathname}${url.search}`),
});
const lifetime = new AbortController();
const parts = await openAuthParts({
  profileName: "work",
  directories: { config: `${folder}/config`, data: `${folder}/data` },
  environment: environmentOf({ GUM_VAULT_KEY: vaultKey }),
  http,
  clock: systemClock,
  log: silentLogger,
  endpoints: GOOGLE_ENDPOINTS,
}, lifetime.signal);
const resolver = createCompositeResolver(parts);
let tokens = 0;
for (let turn = 0; turn < Number(count); turn++) {
  const found = await resolver.strategy("byo_oauth").resolve({
    scopes: ["https://www.googleapis.com/auth/gmail.readonly"],
    signal: lifetime.signal,
  });
  if (found?.token !== undefined) tokens++;
}
Deno.stdout.writeSync(new TextEncoder().encode(`${tokens} tokens\n`));
