/** What `gum catalog stats` and `gum catalog update` do (spec 04 §10). */

import {
  currentRevision,
  shippedContext,
  type ShippedLock,
  shippedLock,
} from "../lib/catalog/longtail/mod.ts";
import { loadCatalog } from "../lib/catalog/lookup/mod.ts";
import { baseDirectories } from "../lib/config/directories.ts";
import { GumError } from "../lib/errors/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { longTailChoice } from "./long_tail.ts";
import type { CommandContext } from "./types.ts";

/** Runs `gum catalog stats`. */
export async function runCatalogStats(context: CommandContext): Promise<void> {
  const { host } = context;
  const { ops } = loadCatalog();
  const choice = await longTailChoice(host.argv, host.environment);
  const revision = choice.updates === undefined ? undefined : currentRevision(choice.updates);
  print(context, {
    curated: {
      operations: ops.length,
      variants: ops.reduce((sum, op) => sum + op.variants.length, 0),
      services: new Set(ops.map(({ service }) => service)).size,
    },
    long_tail: {
      exposure: choice.exposure,
      revision: revision ?? "shipped",
      ...longTailCounts(),
    },
  });
}

function longTailCounts(): JsonObject {
  let lock: ShippedLock;
  try {
    lock = shippedLock();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return { operations: 0 };
  }
  const { operations = 0, variants = 0, services = 0, documents = 0, methods = 0 } = lock.counts;
  const source = `${lock.package} ${lock.version}`;
  return { operations, variants, services, documents, methods, source };
}

/** Runs `gum catalog update`. */
export async function runCatalogUpdate(context: CommandContext): Promise<void> {
  const { host, flags, profile } = context;
  const updates = `${baseDirectories(host.environment).data}/gum/${profile}/longtail`;
  const { rollBack, updateLongTail } = await import("../lib/catalog/longtail/update/mod.ts");
  if (flags.on("rollback")) return print(context, { ...await rollBack(updates) });
  if (!context.emulator) throw noChannel();
  const { attachEmulator, EMULATED_LIST_KEY, EMULATED_LIST_URL, startEmulator } = await import(
    "../lib/emulator/mod.ts"
  );
  const { createHttpClient } = await import("../lib/http/mod.ts");
  const { emulatorOrigin, signal } = context;
  const emulator = emulatorOrigin === undefined
    ? await startEmulator({ clock: host.factories.clock })
    : await attachEmulator(emulatorOrigin, { signal });
  const http = createHttpClient({ rewriteOrigin: (url) => emulator.rewrite(url) });
  try {
    const report = await updateLongTail({
      updates,
      listUrl: EMULATED_LIST_URL,
      publicKey: EMULATED_LIST_KEY,
      shipped: shippedLock().documents,
      build: shippedContext(loadCatalog().ops.map(({ op_id }) => op_id)),
      async download(url) {
        const request = { method: "GET", url: new URL(url), headers: {} };
        const answer = await http.send(request, context.signal);
        if (answer.status === 200) return new Uint8Array(answer.body);
        throw new GumError("SERVICE_DOWN", {
          message: `${url} answered ${answer.status}`,
          details: { reason: "download_failed" },
        });
      },
    });
    print(context, { ...report });
  } finally {
    http.close();
    await emulator.close();
  }
}

/** Updates are signed by a release channel; a build without one has nothing to trust. */
function noChannel(): GumError {
  return new GumError("POLICY_DENIED", {
    message: "this build has no release channel for API descriptions",
    details: { reason: "no_release_channel" },
    userMessage: "This build cannot update its API descriptions; a newer GUM brings newer ones.",
    suggestion: "Install a newer GUM.",
  });
}

function print({ host }: CommandContext, report: JsonObject): void {
  host.stdout.write(JSON.stringify(report, null, 2) + "\n");
}
