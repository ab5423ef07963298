/** A kernel over a scripted peer, with a small catalog, for the kernel's own tests. */

import { createAdapterRegistry, createRestAdapter } from "../../adapters/mod.ts";
import { createArtifactStore } from "../../artifact/mod.ts";
import { createExplicitAuthResolver } from "../../auth/mod.ts";
import { createResponseCache } from "../../cache/mod.ts";
import type { CatalogSnapshot, Op, Variant } from "../../catalog/types.ts";
import { type Clock, systemClock } from "../../clock/mod.ts";
import { createConfirmationService } from "../../confirmation/mod.ts";
import { GumError } from "../../errors/mod.ts";
import { createHttpClient } from "../../http/mod.ts";
import { json, type Peer, type Script, startPeer } from "../../http/testdata/peer.ts";
import type { JsonObject } from "../../json/mod.ts";
import { unlimitedRate } from "../../limiter/testdata/unlimited_rate.ts";
import type { LogFields, Logger, LogLevel } from "../../log/mod.ts";
import type { ResolvedProfile } from "../../profile/types.ts";
import { shaper } from "../../shape/mod.ts";
import { createKernel } from "../mod.ts";
import type {
  Adapter,
  GainRecord,
  Invocation,
  Kernel,
  KernelDeps,
  KernelSettings,
} from "../types.ts";

/** A secret that must never show up anywhere but on the wire. */
export const CANARY_TOKEN = "ya29.canary-bearer-3f9ac1";

/** A variant with sensible defaults; `http` is method and path. */
export function variant(
  id: string,
  http: [Variant["risk_class"], "GET" | "POST" | "PUT" | "PATCH" | "DELETE", string],
  extra: Partial<Variant> = {},
): Variant {
  const [riskClass, method, path] = http;
  return {
    variant_id: id,
    variant_schema_version: 1,
    stability: "stable",
    interface_kind: "discovery-rest",
    backend_kind: "typed-rest-sdk",
    risk_class: riskClass,
    auth_strategy: "byo_oauth",
    capabilities: ["json_response"],
    annotations: {
      readOnly: riskClass === "read",
      idempotent: method !== "POST" && method !== "PATCH",
    },
    binding: {
      binding_schema_version: 1,
      adapter_key: "rest.typed-rest-sdk",
      operation_key: id,
      http: { method, path },
    },
    ...extra,
  };
}

/** An operation around its variants. */
export function op(id: string, variants: Variant[], extra: Partial<Op> = {}): Op {
  return {
    op_id: id,
    op_schema_version: 1,
    title: id,
    summary: id,
    service: id.split(".")[0] ?? "",
    service_family: "workspace",
    default_variant_id: variants[0]?.variant_id ?? "",
    variants,
    ...extra,
  };
}

const FILE_ID = { name: "fileId", location: "path", type: "string", required: true } as const;

/** The operations most tests use. */
export const FILES: readonly Op[] = [
  op("drive.files.list", [
    variant("drive.v3.rest.files.list", [
      "read",
      "GET",
      "https://www.googleapis.com/drive/v3/files",
    ]),
  ], {
    request_fields: [
      { name: "q", location: "query", type: "string" },
      { name: "corpora", location: "query", type: "string", enum: ["user", "domain", "allDrives"] },
      { name: "pageSize", location: "query", type: "integer", default: "100" },
    ],
  }),
  op("drive.files.get", [
    variant("drive.v3.rest.files.get", [
      "read",
      "GET",
      "https://www.googleapis.com/drive/v3/files/{fileId}",
    ]),
  ], { request_fields: [FILE_ID] }),
  op("drive.files.create", [
    variant("drive.v3.rest.files.create", [
      "write",
      "POST",
      "https://www.googleapis.com/drive/v3/files",
    ]),
  ], {
    request_fields: [
      { name: "name", location: "body", type: "string", required: true },
      { name: "starred", location: "body", type: "boolean" },
      { name: "parents", location: "body", type: "array", item_type: "string" },
      { name: "size", location: "body", type: "string", format: "int64" },
    ],
  }),
  op("drive.files.update", [
    variant("drive.v3.rest.files.update", [
      "write",
      "PATCH",
      "https://www.googleapis.com/drive/v3/files/{fileId}",
    ]),
  ], { request_fields: [FILE_ID, { name: "name", location: "body", type: "string" }] }),
  op("drive.files.replace", [
    variant("drive.v3.rest.files.replace", [
      "write",
      "PUT",
      "https://www.googleapis.com/drive/v3/files/{fileId}",
    ]),
  ], { request_fields: [FILE_ID, { name: "name", location: "body", type: "string" }] }),
  op("drive.files.delete", [
    variant("drive.v3.rest.files.delete", [
      "destructive",
      "DELETE",
      "https://www.googleapis.com/drive/v3/files/{fileId}",
    ]),
  ], { request_fields: [FILE_ID] }),
  op("drive.files.emptyTrash", [
    variant("drive.v3.rest.files.emptyTrash", [
      "destructive",
      "POST",
      "https://www.googleapis.com/drive/v3/files:emptyTrash",
    ]),
  ], { request_fields: [] }),
  op("gmail.users.messages.send", [
    variant("gmail.v1.rest.users.messages.send", [
      "write",
      "POST",
      "https://gmail.googleapis.com/gmail/v1/users/{userId}/messages/send",
    ], { confirmation_policy: "high_stakes_write", effects: ["sends_mail"] }),
  ], {
    request_fields: [
      { name: "userId", location: "path", type: "string", required: true, host_default: "me" },
      { name: "raw", location: "body", type: "string", required: true },
    ],
  }),
];

/** A log record as it reached the logger. */
export interface LogRecord {
  level: LogLevel;
  message: string;
  fields: LogFields;
}

/** A kernel with everything around it observable. */
export interface Fixture extends AsyncDisposable {
  kernel: Kernel;
  deps: KernelDeps;
  peer: Peer;
  audit: JsonObject[];
  gain: GainRecord[];
  logs: LogRecord[];
  clock: Clock & { advance(ms: number): void };
}

/** How to build a fixture. */
export interface FixtureOptions {
  ops?: readonly Op[];
  script?: Script;
  settings?: Partial<KernelSettings>;
  deps?: Partial<KernelDeps>;
  adapters?: Record<string, Adapter>;
  /** The profile every call gets. */
  profile?: ResolvedProfile;
  /** That profile, or the binding that named it, came from the project. */
  usedProjectLayer?: boolean;
  /** Base data directory; absent: nothing on disk. */
  dataDir?: string;
  /** Another peer than the scripted one. */
  rewriteOrigin?: (url: URL) => URL;
  random?: () => number;
  attemptTimeoutMs?: number;
}

/** A clock that tests move; its waits return at once and count as passed. */
export function jumpingClock(start = 1_780_000_000_000): Clock & { advance(ms: number): void } {
  let now = start;
  return {
    now: () => now,
    sleep(ms, signal) {
      signal?.throwIfAborted();
      now += ms;
      return Promise.resolve();
    },
    advance(ms) {
      now += ms;
    },
  };
}

/** The machine's clock in the shape of {@link jumpingClock}. */
export const realClock: Clock & { advance(ms: number): void } = { ...systemClock, advance() {} };

/** A lookup over some operations. */
export function snapshotOf(ops: readonly Op[]): CatalogSnapshot {
  return {
    ops,
    findOp: (opId) =>
      ops.find((known) => known.op_id === opId) ??
        ops.find((known) => known.deprecated_op_ids?.includes(opId)),
    findVariant: (variantId) => {
      for (const known of ops) {
        const found = known.variants.find((candidate) => candidate.variant_id === variantId);
        if (found !== undefined) return { op: known, variant: found };
      }
      return undefined;
    },
    requestSchema: () => undefined,
  };
}

/** Builds a kernel over a scripted peer. */
export function openFixture(
  options: FixtureOptions & { clock?: Clock & { advance(ms: number): void } } = {},
): Fixture {
  const clock = options.clock ?? jumpingClock();
  const peer = startPeer(options.script ?? (() => json({ ok: true })));
  const http = createHttpClient({
    rewriteOrigin: options.rewriteOrigin ?? ((url) => peer.rewrite(url)),
  });
  const audit: JsonObject[] = [];
  const gain: GainRecord[] = [];
  const logs: LogRecord[] = [];
  const log: Logger = {
    log: (level, message, fields = {}) => logs.push({ level, message, fields }),
  };
  const profileName = options.settings?.profileName ?? "default";
  const deps: KernelDeps = {
    catalog: snapshotOf(options.ops ?? FILES),
    profiles: {
      resolve: ({ preset }) => ({
        profile: preset ?? options.profile,
        warnings: [],
        usedProjectLayer: options.usedProjectLayer,
      }),
    },
    auth: createExplicitAuthResolver({ bearer: CANARY_TOKEN, subjectFingerprint: "fp-one" }),
    limiter: unlimitedRate,
    cache: createResponseCache({ clock }),
    adapters: createAdapterRegistry({
      rest: createRestAdapter({
        http,
        version: "0.0.0-test",
        clock,
        random: options.random ?? (() => 0.5),
        attemptTimeoutMs: options.attemptTimeoutMs,
      }),
      others: options.adapters,
    }),
    shaper,
    artifacts: createArtifactStore({
      directory: options.dataDir === undefined
        ? undefined
        : `${options.dataDir}/gum/${profileName}`,
      clock,
      log,
    }),
    audit: { append: (row) => audit.push(row) },
    gain: { record: (entry) => gain.push(entry) },
    confirm: createConfirmationService({ profileName, dataDir: options.dataDir, clock, log }),
    clock,
    settings: { profileName, ...options.settings },
    log,
    ...options.deps,
  };
  return {
    kernel: createKernel(deps),
    deps,
    peer,
    audit,
    gain,
    logs,
    clock,
    async [Symbol.asyncDispose]() {
      http.close();
      await peer[Symbol.asyncDispose]();
    },
  };
}

/** The error a call ends with; fails when it succeeds. */
export async function refusalOf(
  kernel: Kernel,
  invocation: Invocation,
  signal?: AbortSignal,
): Promise<GumError> {
  try {
    await kernel.dispatch(invocation, signal);
  } catch (error) {
    if (error instanceof GumError) return error;
    throw error;
  }
  throw new Error("the call was expected to be refused");
}

/** Both contacts of a confirmed call: the token of the first, or the error of it. */
export async function tokenFor(kernel: Kernel, invocation: Invocation): Promise<string> {
  const first = await refusalOf(kernel, invocation);
  const token = first.details.confirmation_token;
  if (first.code !== "REQUIRES_CONFIRMATION" || typeof token !== "string") throw first;
  return token;
}

/** Makes a temporary directory that is removed when it goes out of scope. */
export async function temporaryDirectory(): Promise<{ path: string } & AsyncDisposable> {
  const path = await Deno.makeTempDir({ prefix: "gum-kernel-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
