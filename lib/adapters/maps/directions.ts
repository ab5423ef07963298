/** Maps Directions (spec 02 §3.11.5). */

import type { Clock } from "../../clock/mod.ts";
import type { Adapter, AdapterRequest, AdapterResponse } from "../../dispatch/types.ts";
import { type HttpClient, sendWithAttempts } from "../../http/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../../json/mod.ts";
import {
  bindingInvalid,
  credentialMissing,
  invalidArgument,
  missingArguments,
} from "../refusals.ts";
import { mapsFailure } from "../rest/maps_status.ts";
import { wireText } from "../rest/path.ts";

const DIRECTIONS = "https://maps.googleapis.com/maps/api/directions/json";
const REQUIRED = ["origin", "destination"] as const;
const PARAMETERS = [...REQUIRED, "mode"] as const;
const MODES: ReadonlySet<string> = new Set(["driving", "walking", "bicycling", "transit"]);

/** What the adapter is made from. */
export interface MapsOptions {
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

/** Makes the adapters of the `maps.*` keys: `maps.directions` is the only endpoint. */
export function createMapsAdapters(options: MapsOptions): Record<string, Adapter> {
  return {
    "maps.directions": {
      checkArgs: (args) => void directionsQuery(args),
      execute: (request, signal) => execute({ request, options }, signal),
      preview: (request) => ({
        method: "GET",
        url: directionsUrl(request).href,
        headers: ["accept", "user-agent"],
        body_bytes: 0,
      }),
    },
  };
}

async function execute(
  call: { request: AdapterRequest; options: MapsOptions },
  signal: AbortSignal,
): Promise<AdapterResponse> {
  const { request, options } = call;
  const url = directionsUrl(request);
  const key = request.credentials?.apiKey;
  if (key === undefined) {
    throw credentialMissing(request.opId, {
      component: "api_key",
      message: "Google Maps needs an API key.",
    });
  }
  // These services read the key from the query only.
  url.searchParams.append("key", key.reveal());
  const answer = await sendWithAttempts(options.http, {
    request: {
      method: "GET",
      url,
      headers: { accept: "application/json", "user-agent": `gum/${options.version} (gzip)` },
      credentialed: true,
      capBytes: request.resolved.variant.max_response_bytes,
      timeoutMs: options.attemptTimeoutMs,
    },
    repeatable: true,
    clock: options.clock,
    random: options.random,
  }, signal);
  const failure = mapsFailure(answer.body, request.opId);
  if (failure !== undefined) throw failure;
  return {
    body: routesOnly(answer.body),
    format: "json",
    status: answer.status,
    contentType: answer.headers.get("content-type") ?? undefined,
    bytesIn: answer.bytesIn,
    bytesOut: answer.bytesOut,
  };
}

function directionsUrl(request: AdapterRequest): URL {
  const path = request.resolved.variant.binding?.http?.path;
  if (path !== undefined && path !== DIRECTIONS) {
    throw bindingInvalid({
      adapterKey: request.resolved.adapterKey,
      opId: request.opId,
      why: "the binding names another endpoint than directions",
    });
  }
  return new URL(`${DIRECTIONS}?${directionsQuery(request.args)}`);
}

function directionsQuery(args: JsonObject): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of PARAMETERS) {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    if (value === undefined || value === null || value === "") continue;
    const text = wireText(value);
    if (text === undefined) throw invalidArgument(name, "must be text");
    query.set(name, text);
  }
  const missing = REQUIRED.filter((name) => !query.has(name));
  if (missing.length > 0) throw missingArguments(missing);
  const mode = query.get("mode")?.toLowerCase();
  if (mode === undefined) return query;
  if (!MODES.has(mode)) throw invalidArgument("mode", `must be one of ${[...MODES].join(", ")}`);
  query.set("mode", mode);
  return query;
}

/** What a caller of directions wants; the status has been judged. */
function routesOnly(body: Uint8Array): Uint8Array {
  let parsed: JsonValue;
  try {
    parsed = parseJson(new TextDecoder().decode(body));
  } catch {
    return body; // not JSON: shown as inline media later
  }
  if (!isJsonObject(parsed)) return body;
  const { routes = [], geocoded_waypoints = [] } = parsed;
  return new TextEncoder().encode(JSON.stringify({ routes, geocoded_waypoints }));
}
