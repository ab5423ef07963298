/** The real kernel over recorded answers: every step runs, the last hop reads a file. */

import { annotateAnswer } from "../../adapters/mod.ts";
import type { CatalogSnapshot, RiskClass } from "../../catalog/types.ts";
import type { Clock } from "../../clock/mod.ts";
import type {
  Adapter,
  AdapterRequest,
  AdapterResponse,
  Invocation,
  Kernel,
  KernelDeps,
  ShapedResponse,
} from "../../dispatch/types.ts";
import { findGumError, type GumError } from "../../errors/mod.ts";
import { UpstreamFailure } from "../../errors/wire/mod.ts";
import { isJsonObject, parseJson } from "../../json/mod.ts";
import { silentLogger } from "../../log/mod.ts";
import {
  assembleProfileResolver,
  parseFieldMask,
  projectByMask,
  type ResolvedProfile,
} from "../../profile/mod.ts";
import { shaper } from "../../shape/mod.ts";
import type { RecordedCall, ReplayFormat } from "./types.ts";

/** What replays are made with; the kernel's maker comes from the surface that owns one. */
export interface ReplayParts {
  createKernel(deps: KernelDeps): Kernel;
  catalog: CatalogSnapshot;
}

/** What a caller of GUM gets for a recorded call. */
export type ReplayedCall =
  | { kind: "answer"; response: ShapedResponse; text: string }
  | { kind: "failure"; error: GumError; text: string };

/** A kernel that answers recorded calls. */
export interface FixtureKernel {
  run(call: RecordedCall, format: ReplayFormat): Promise<ReplayedCall>;
  profileOf(opId: string, variantId?: string): ResolvedProfile | undefined;
  riskOf(opId: string): RiskClass;
  variantIdOf(opId: string): string | undefined;
}

/** The instant of a replay; nothing in an answer depends on it. */
const STILL: Clock = { now: () => 0, sleep: () => Promise.resolve() };

/** Builds the kernel. No file, network or credential is touched by it. */
export async function createFixtureKernel(parts: ReplayParts): Promise<FixtureKernel> {
  const { catalog } = parts;
  const profiles = await assembleProfileResolver();
  let current: RecordedCall | undefined;
  const adapter: Adapter = {
    execute: (request) => Promise.resolve(answered(current, request)),
    annotateResponse: annotateAnswer,
  };
  const kernel = parts.createKernel({
    catalog,
    profiles,
    auth: { resolve: () => Promise.resolve(undefined) },
    limiter: { take: () => Promise.resolve(), freeze() {} },
    cache: noCache,
    adapters: { find: () => adapter },
    shaper,
    artifacts: {
      enabled: false,
      checkSecret: () => Promise.resolve(),
      write: () => Promise.reject(new Error("a replay keeps nothing")),
    },
    audit: { append() {} },
    gain: { record() {} },
    confirm: {
      issue: () => Promise.resolve({ token: CONSENT, expiresAt: "" }),
      verify: (_token, binding) => Promise.resolve({ mac: "", expiresMs: 0, opId: binding.opId }),
      spend: () => Promise.resolve(),
    },
    clock: STILL,
    settings: { profileName: "replay" },
    log: silentLogger,
  });
  const riskOf = (opId: string): RiskClass => {
    const op = catalog.findOp(opId);
    const variant = op?.variants.find(({ variant_id }) => variant_id === op.default_variant_id);
    return variant?.risk_class ?? "read";
  };
  return {
    async run(call, format) {
      current = call;
      try {
        const response = await kernel.dispatch(
          invocationOf(call, { format, risk: riskOf(call.request.op_id) }),
        );
        return { kind: "answer", response, text: textOf(response) };
      } catch (thrown) {
        const error = findGumError(thrown);
        // Anything else than the recorded failure is a defect of the set or of this build.
        if (error === undefined || call.request.http_status === undefined) throw thrown;
        return { kind: "failure", error, text: JSON.stringify(error.toEnvelope()) };
      } finally {
        current = undefined;
      }
    },
    profileOf(opId, variantId) {
      const op = catalog.findOp(opId);
      const wanted = variantId ?? op?.default_variant_id;
      const variant = op?.variants.find((candidate) => candidate.variant_id === wanted);
      return op === undefined || variant === undefined
        ? undefined
        : profiles.resolve({ op, variant }).profile;
    },
    riskOf,
    variantIdOf: (opId) => catalog.findOp(opId)?.default_variant_id,
  };
}

const CONSENT = "recorded";

const noCache: KernelDeps["cache"] = {
  cacheable: () => false,
  get: () => Promise.resolve(undefined),
  put: () => Promise.resolve(),
  renew: () => Promise.resolve(),
  evict: () => Promise.resolve(),
  invalidate: () => Promise.resolve(),
  stats: () => ({}),
};

function invocationOf(
  call: RecordedCall,
  how: { format: ReplayFormat; risk: RiskClass },
): Invocation {
  return {
    opId: call.request.op_id,
    args: call.request.args,
    requestedVariantId: call.request.variant_id,
    // Without a word GUM picks what the profile says; toon is the default of all that say nothing.
    format: how.format === "json" ? "json" : undefined,
    allowWrite: how.risk !== "read",
    allowDestructive: how.risk === "destructive",
    confirmed: true,
    confirmationToken: CONSENT,
    caller: "mcp",
  };
}

/** Every word of a tool result: the answer and, where something was left out, the notice. */
export function textOf(response: ShapedResponse): string {
  const text = new TextDecoder().decode(response.body);
  return response.notice.mcp === "" ? text : `${text}\n${response.notice.mcp}`;
}

function answered(call: RecordedCall | undefined, request: AdapterRequest): AdapterResponse {
  if (call === undefined) throw new Error("no recorded call is being replayed");
  const { http_status: status = 200 } = call.request;
  if (status >= 400) {
    throw new UpstreamFailure({
      status,
      statusText: "",
      body: new TextEncoder().encode(call.body),
      contentType: "application/json; charset=UTF-8",
      now: 0,
    });
  }
  const body = new TextEncoder().encode(maskedBody(call, request));
  return {
    body,
    format: "json",
    status,
    contentType: "application/json; charset=UTF-8",
    bytesIn: body.length,
    bytesOut: 0,
  };
}

/** What the service answers to this request: projected when GUM put a mask on it. */
function maskedBody(call: RecordedCall, request: AdapterRequest): string {
  const mask = maskOf(call, request);
  if (mask === undefined || call.body.trim() === "") return call.body;
  if (call.masked !== undefined) return call.masked;
  const parsed = parseFieldMask(mask);
  if (!parsed.ok) throw new Error(`${request.opId}: ${parsed.reason}`);
  const body = parseJson(call.body);
  return JSON.stringify(
    isJsonObject(body) || Array.isArray(body) ? projectByMask(parsed.mask, body) : body,
  );
}

/** The mask on the wire that the caller did not ask for. */
function maskOf(call: RecordedCall, request: AdapterRequest): string | undefined {
  for (const name of ["fields", "fieldMask"]) {
    const mask = request.args[name];
    if (typeof mask === "string" && call.request.args[name] === undefined) return mask;
  }
  return undefined;
}
