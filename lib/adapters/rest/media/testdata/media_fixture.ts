/** A kernel over the emulator with the embedded catalog, for what really happens to files. */

import { createAdapterRegistry, createRestAdapter, mediaFiles } from "../../../mod.ts";
import { createArtifactStore } from "../../../../artifact/mod.ts";
import { createExplicitAuthResolver } from "../../../../auth/mod.ts";
import { createResponseCache } from "../../../../cache/mod.ts";
import { createSnapshot, embeddedRequestSchema, loadCatalog } from "../../../../catalog/mod.ts";
import type { CatalogSnapshot } from "../../../../catalog/types.ts";
import type { Clock } from "../../../../clock/mod.ts";
import { createConfirmationService } from "../../../../confirmation/mod.ts";
import { createKernel } from "../../../../dispatch/mod.ts";
import type {
  Invocation,
  Kernel,
  KernelDeps,
  KernelSettings,
  ShapedResponse,
} from "../../../../dispatch/types.ts";
import { jumpingClock } from "../../../../dispatch/testdata/fixture.ts";
import { startEmulator } from "../../../../emulator/mod.ts";
import type { Emulator } from "../../../../emulator/types.ts";
import { GumError } from "../../../../errors/mod.ts";
import { createHttpClient } from "../../../../http/mod.ts";
import { isJsonObject, type JsonObject } from "../../../../json/mod.ts";
import { unlimitedRate } from "../../../../limiter/testdata/unlimited_rate.ts";
import type { Logger } from "../../../../log/mod.ts";
import { assembleProfileResolver } from "../../../../profile/mod.ts";
import { shaper } from "../../../../shape/mod.ts";
import type { MediaOptions } from "../mod.ts";

/** Everything observable of one world. */
export interface MediaFixture extends AsyncDisposable {
  kernel: Kernel;
  deps: KernelDeps;
  emulator: Emulator;
  /** A directory of this test. */
  home: string;
  uploads: string;
  audit: JsonObject[];
  logs: string[];
  clock: Clock & { advance(ms: number): void };
}

/** How to build one. */
export interface MediaFixtureOptions {
  media?: MediaOptions;
  settings?: Partial<KernelSettings>;
  /** Another world to talk to, such as that of an earlier process; it is left open. */
  share?: MediaFixture;
  catalog?: (embedded: CatalogSnapshot) => CatalogSnapshot;
  clock?: Clock & { advance(ms: number): void };
}

/** Starts a world. */
export async function openMedia(options: MediaFixtureOptions = {}): Promise<MediaFixture> {
  const { share } = options;
  const emulator = share?.emulator ?? await startEmulator();
  const home = share?.home ?? await Deno.realPath(await Deno.makeTempDir({ prefix: "gum-media-" }));
  const uploads = `${home}/data/gum/default/uploads`;
  const clock = options.clock ?? jumpingClock();
  const http = createHttpClient({ rewriteOrigin: (url) => emulator.rewrite(url) });
  const audit: JsonObject[] = [];
  const logs: string[] = [];
  const log: Logger = {
    log: (...record) => logs.push(JSON.stringify(record)),
  };
  const embedded = createSnapshot(loadCatalog(), { requestSchema: embeddedRequestSchema });
  const deps: KernelDeps = {
    catalog: options.catalog?.(embedded) ?? embedded,
    profiles: await assembleProfileResolver({}),
    auth: createExplicitAuthResolver({
      ...emulator.credentials,
      subjectFingerprint: emulator.account.fingerprint,
    }),
    limiter: unlimitedRate,
    cache: createResponseCache({ clock }),
    adapters: createAdapterRegistry({
      rest: createRestAdapter({
        http,
        version: "0.0.0-test",
        clock,
        random: () => 0.5,
        media: { uploadsDirectory: uploads, ...options.media },
      }),
    }),
    shaper,
    artifacts: createArtifactStore({ directory: undefined, clock, log }),
    audit: { append: (row) => audit.push(row) },
    gain: { record() {} },
    confirm: createConfirmationService({
      profileName: "default",
      dataDir: `${home}/data`,
      clock,
      log,
    }),
    clock,
    settings: { profileName: "default", ...options.settings },
    media: mediaFiles,
    log,
  };
  return {
    kernel: createKernel(deps),
    deps,
    emulator,
    home,
    uploads,
    audit,
    logs,
    clock,
    async [Symbol.asyncDispose]() {
      http.close();
      if (share !== undefined) return;
      await emulator.close();
      await Deno.remove(home, { recursive: true });
    },
  };
}

/** A call of the command line. */
export function call(opId: string, parts: Partial<Invocation>): Invocation {
  return { opId, args: {}, format: "json", caller: "cli", ...parts };
}

/** The object a call answered. */
export function objectOf(answer: ShapedResponse): JsonObject {
  if (!isJsonObject(answer.structuredContent)) throw new TypeError("the answer is no object");
  return answer.structuredContent;
}

/** The error a call ends with; fails when it succeeds. */
export async function refusal(
  world: MediaFixture,
  invocation: Invocation,
  signal?: AbortSignal,
): Promise<GumError> {
  try {
    await world.kernel.dispatch(invocation, signal);
  } catch (error) {
    if (error instanceof GumError) return error;
    throw error;
  }
  throw new Error("the call was expected to fail");
}

/** A file of the emulated drive. */
export interface DriveFile {
  id: string;
  name: string;
  mimeType: string;
  size: number;
  md5Checksum: string;
  sha256Checksum: string;
}

/** Uploads bytes straight to the emulator, past GUM. */
export async function plant(
  world: MediaFixture,
  file: { name: string; bytes: Uint8Array<ArrayBuffer>; mimeType?: string },
): Promise<DriveFile> {
  const { emulator } = world;
  const authorization = `Bearer ${emulator.credentials.bearer}`;
  const mimeType = file.mimeType ?? "application/octet-stream";
  const created = await json(
    await fetch(
      emulator.rewrite(
        new URL("https://www.googleapis.com/upload/drive/v3/files?uploadType=media&fields=id"),
      ),
      { method: "POST", headers: { authorization, "content-type": mimeType }, body: file.bytes },
    ),
  );
  const renamed = await json(
    await fetch(
      emulator.rewrite(
        new URL(
          `https://www.googleapis.com/drive/v3/files/${created.id}?fields=id,name,mimeType,size,md5Checksum,sha256Checksum`,
        ),
      ),
      {
        method: "PATCH",
        headers: { authorization, "content-type": "application/json" },
        body: JSON.stringify({ name: file.name }),
      },
    ),
  );
  emulator.clearJournal();
  return { ...renamed, size: Number(renamed.size) } as DriveFile;
}

async function json(response: Response): Promise<Record<string, unknown>> {
  if (!response.ok) throw new Error(`planting failed: ${response.status} ${await response.text()}`);
  return await response.json();
}

/** Bytes that are neither text nor compressible, the same for the same seed. */
export function noise(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let state = seed >>> 0;
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[index] = state >>> 24;
  }
  return bytes;
}

/** Names in a directory, sorted. */
export function namesIn(directory: string): string[] {
  return [...Deno.readDirSync(directory)].map((entry) => entry.name).sort();
}
