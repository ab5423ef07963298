/** Text generation with a Gemini model (spec 02 §3.11.5). */

import type { Clock } from "../../clock/mod.ts";
import type { Adapter, AdapterRequest, AdapterResponse } from "../../dispatch/types.ts";
import { type HttpClient, sendWithAttempts } from "../../http/mod.ts";
import { type JsonObject, parseJson } from "../../json/mod.ts";
import { adapterResponse } from "../adapter_response.ts";
import {
  bindingInvalid,
  credentialMissing,
  invalidArgument,
  missingArguments,
} from "../refusals.ts";
import { expandPath } from "../rest/path.ts";
import { isRepeatable } from "../rest/rest.ts";

const TEMPLATE = "https://generativelanguage.googleapis.com/v1beta/models/{model}:generateContent";

/** What the adapter is made from. */
export interface GenAiOptions {
  http: HttpClient;
  /** Version of GUM, for `User-Agent`. */
  version: string;
  /** Waits between attempts; default the machine's clock. */
  clock?: Clock;
  /** In [0, 1); spreads the waits. */
  random?: () => number;
  /** Milliseconds an attempt may take, body included; default 30 000. */
  attemptTimeoutMs?: number;
}

/** Makes the adapters of the `genai.*` keys: `genai.models.generate_content` is the only method. */
export function createGenAiAdapters(options: GenAiOptions): Record<string, Adapter> {
  return {
    "genai.models.generate_content": {
      checkArgs: (args) => void generation(args),
      execute: (request, signal) => execute({ request, options }, signal),
      preview: (request) => {
        const { url, body } = outgoing(request);
        return {
          method: "POST",
          url: url.href,
          headers: ["accept", "content-type", "user-agent", "x-goog-api-key"],
          body_bytes: new TextEncoder().encode(body).length,
          body: parseJson(body),
        };
      },
    },
  };
}

async function execute(
  call: { request: AdapterRequest; options: GenAiOptions },
  signal: AbortSignal,
): Promise<AdapterResponse> {
  const { request, options } = call;
  const { url, body } = outgoing(request);
  const key = request.credentials?.apiKey;
  if (key === undefined) {
    throw credentialMissing(request.opId, {
      component: "api_key",
      message: "The Gemini API needs an API key.",
    });
  }
  const { variant } = request.resolved;
  const answer = await sendWithAttempts(options.http, {
    request: {
      method: "POST",
      url,
      headers: {
        accept: "application/json",
        "content-type": "application/json",
        "user-agent": `gum/${options.version} (gzip)`,
        "x-goog-api-key": key.reveal(),
      },
      body,
      credentialed: true,
      capBytes: variant.max_response_bytes,
      timeoutMs: options.attemptTimeoutMs,
    },
    repeatable: isRepeatable("POST", variant),
    clock: options.clock,
    random: options.random,
  }, signal);
  return adapterResponse(answer);
}

function outgoing(request: AdapterRequest): { url: URL; body: string } {
  const path = request.resolved.variant.binding?.http?.path;
  if (path !== undefined && !path.endsWith(":generateContent")) {
    throw bindingInvalid({
      adapterKey: request.resolved.adapterKey,
      opId: request.opId,
      why: "the binding names another method than generateContent",
    });
  }
  const { model, prompt } = generation(request.args);
  const contents = [{ role: "user", parts: [{ text: prompt }] }];
  return { url: expandPath(TEMPLATE, { model }), body: JSON.stringify({ contents }) };
}

function generation(args: JsonObject): { model: string; prompt: string } {
  const { model: named, prompt } = args;
  const missing = [
    ...(isBlank(named) ? ["model"] : []),
    ...(isBlank(prompt) ? ["prompt"] : []),
  ];
  if (missing.length > 0) throw missingArguments(missing);
  if (typeof named !== "string") throw invalidArgument("model", "must be text");
  if (typeof prompt !== "string") throw invalidArgument("prompt", "must be text");
  const model = named.trim().replace(/^models\//, "");
  if (!/^[\w.-]+$/.test(model) || /^\.+$/.test(model)) {
    throw invalidArgument("model", "must be a model name, such as models/gemini-2.5-flash");
  }
  return { model, prompt };
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null ||
    (typeof value === "string" && value.trim() === "");
}
