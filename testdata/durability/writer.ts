/**
 * One process that writes what GUM keeps, until it is killed: cache rows, ledger entries, audit
 * rows, artifacts and confirmation markers. After each write that was accepted it says so on
 * stdout, one line of JSON, so that whoever kills it knows what must be there afterwards.
 *
 * deno run -A writer.ts <root> <name>
 */

import { createArtifactStore } from "../../lib/artifact/mod.ts";
import { openAuditLog } from "../../lib/audit/mod.ts";
import { createResponseCache } from "../../lib/cache/mod.ts";
import { systemClock } from "../../lib/clock/mod.ts";
import { createConfirmationService } from "../../lib/confirmation/mod.ts";
import { openLedger } from "../../lib/gain/mod.ts";
import { entry } from "../../lib/gain/testdata/rig.ts";
import { silentLogger } from "../../lib/log/mod.ts";

const [root = "", name = ""] = Deno.args;
const folder = `${root}/gum/default`;
const session = name.replace(/[^0-9]/g, "").padStart(8, "0");

const cache = createResponseCache({
  clock: systemClock,
  directory: folder,
  log: silentLogger,
  maxBytes: 200_000,
  maxEntries: 64,
});
const audit = openAuditLog({
  directory: folder,
  profileName: "default",
  clock: systemClock,
  log: silentLogger,
  maxBytes: 6_000,
  maxFiles: 100_000,
});
const ledger = openLedger({
  directory: folder,
  clock: systemClock,
  log: silentLogger,
  rotateBytes: 8_000,
});
const artifacts = createArtifactStore({ directory: folder, log: silentLogger });
const confirm = createConfirmationService({
  profileName: "default",
  dataDir: root,
  clock: systemClock,
  log: silentLogger,
});

const encoder = new TextEncoder();
function accepted(what: Record<string, unknown>): void {
  Deno.stdout.writeSync(encoder.encode(JSON.stringify(what) + "\n"));
}

for (let index = 0;; index++) {
  const id = `${name}-${index}`;
  const body = encoder.encode(JSON.stringify({ id, text: "x".repeat(index % 4_000) }));
  audit.append({ op_id: "a.b", id, text: "y".repeat(index % 300) });
  await audit.idle();
  accepted({ kind: "audit", id });
  await ledger.append(entry({ session, request_tokens: index, args_hash: id }));
  accepted({ kind: "ledger", id });
  await cache.put(id, {
    body,
    opId: "a.b",
    variantId: "v",
    service: "s",
    fingerprint: "f",
    etag: `"${id}"`,
  });
  await cache.get(id);
  const handle = await artifacts.write({
    opId: "a.b",
    variantId: "v",
    argsCanonical: id,
    fingerprint: "f",
    body,
  });
  accepted({ kind: "artifact", id, path: handle.path });
  if (index % 3 === 0) {
    const binding = {
      purpose: "gum_confirm_destructive",
      opId: "a.b",
      variantId: "v",
      argsHash: id,
      scope: "",
    } as const;
    const { token } = await confirm.issue(binding);
    const verified = await confirm.verify(token, binding);
    await confirm.spend(verified);
    accepted({ kind: "marker", id, mac: verified.mac });
  }
}
