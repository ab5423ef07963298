/** From a binding and arguments to an HTTP request (spec 02 §3.11.1). Pure. */

import type { HttpBinding } from "../../catalog/types.ts";
import { GumError } from "../../errors/mod.ts";
import type { AdapterRequest, Credentials } from "../../dispatch/types.ts";
import { isJsonObject, isRawNumber, type JsonObject, type JsonValue } from "../../json/mod.ts";
import { expandPath, placeholdersOf, wireText } from "./path.ts";

const BODY_METHODS: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

/** Headers that a catalog may not route arguments to. */
const RESERVED_HEADER =
  /^(authorization|x-goog-api-key|x-goog-user-project|developer-token|login-customer-id|cookie|host|content-.*|transfer-encoding)$/i;

/** Everything of a request except its credentials. */
export interface BuiltRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body?: string;
  warnings: string[];
}

/** The HTTP half of the binding; a binding without one is an internal fault. */
export function httpBinding(request: AdapterRequest): HttpBinding {
  const { variant, adapterKey } = request.resolved;
  const http = variant.binding?.http;
  if (http !== undefined && http.path !== "") return http;
  throw new GumError("SERVICE_DOWN", {
    message: `the binding of ${variant.variant_id} has no HTTP route`,
    details: { adapter_key: adapterKey, op_id: request.opId, reason: "binding_invalid" },
    userMessage: "The catalog entry of this operation is incomplete.",
    suggestion: "Run `gum doctor`.",
  });
}

/** Builds the request without credentials; `path` stands in for the path of the binding. */
export function buildRequest(
  request: AdapterRequest,
  options: { userAgent: string; path?: string },
): BuiltRequest {
  const http = httpBinding(request);
  const parts = wireParts({ ...http, path: options.path ?? http.path }, request.args);
  const headers: Record<string, string> = {
    accept: "application/json",
    "user-agent": options.userAgent,
    ...parts.headers,
  };
  if (request.ifNoneMatch !== undefined) headers["if-none-match"] = request.ifNoneMatch;
  return { ...parts, method: http.method, headers };
}

/**
 * Where each argument goes.
 *
 * @throws GumError `INVALID_ARGS` for a value that cannot travel, or would lead elsewhere.
 */
export function wireParts(
  http: HttpBinding,
  args: JsonObject,
): Pick<BuiltRequest, "url" | "headers" | "body" | "warnings"> {
  const routed = http.header_params ?? {};
  const headers: Record<string, string> = {};
  for (const [name, header] of Object.entries(routed)) {
    if (RESERVED_HEADER.test(header)) continue;
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    if (value === undefined || value === null) continue;
    headers[header.toLowerCase()] = headerText(name, value);
  }
  const url = expandPath(http.path, args);
  const taken = new Set([...placeholdersOf(http.path), ...Object.keys(routed), "body", "_media"]);
  appendQuery(url, { args, taken });
  const body = bodyText(args.body);
  if (body === undefined) return { url, headers, warnings: [] };
  if (!BODY_METHODS.has(http.method)) {
    const warnings = [`${http.method} sends no body; the given one was left out`];
    return { url, headers, warnings };
  }
  return { url, headers: { ...headers, "content-type": "application/json" }, body, warnings: [] };
}

/** Adds a credential where the target service reads it. */
export function withCredentials(
  built: BuiltRequest,
  credentials: Credentials | undefined,
): { url: URL; headers: Record<string, string>; credentialed: boolean } {
  if (credentials === undefined) {
    return { url: built.url, headers: built.headers, credentialed: false };
  }
  const { token, apiKey, quotaProjectId } = credentials;
  if (token !== undefined && apiKey !== undefined) {
    throw new TypeError("a request carries a token or an API key, never both");
  }
  const url = new URL(built.url);
  const headers = { ...built.headers };
  if (token !== undefined) headers.authorization = `Bearer ${token.reveal()}`;
  if (apiKey !== undefined) {
    headers["x-goog-api-key"] = apiKey.reveal();
    // The Maps web services read the key from the query only.
    if (isMapsWebService(url)) url.searchParams.append("key", apiKey.reveal());
  }
  if (quotaProjectId !== undefined) headers["x-goog-user-project"] = quotaProjectId;
  return { url, headers, credentialed: true };
}

/** True for the web services that report failure inside a 200. */
export function isMapsWebService(url: URL): boolean {
  return url.hostname === "maps.googleapis.com" && url.pathname.startsWith("/maps/api/");
}

function appendQuery(url: URL, parameters: { args: JsonObject; taken: ReadonlySet<string> }): void {
  const { args, taken } = parameters;
  for (const name of Object.keys(args).filter((key) => !taken.has(key)).sort()) {
    const value = args[name];
    for (const element of Array.isArray(value) ? value : [value]) {
      if (element === null || element === undefined) continue;
      const text = wireText(element);
      if (text === undefined) throw notScalar(name);
      url.searchParams.append(name, text);
    }
  }
}

function bodyText(body: JsonValue | undefined): string | undefined {
  if (body === undefined || body === null || body === "") return undefined;
  if (typeof body === "string") return body;
  if (isJsonObject(body) || Array.isArray(body)) return JSON.stringify(body);
  return isRawNumber(body) ? body.rawJSON : JSON.stringify(body);
}

function headerText(name: string, value: JsonValue): string {
  const text = Array.isArray(value)
    ? value.map((element) => wireText(element) ?? "").join(",")
    : wireText(value);
  if (text === undefined) throw notScalar(name);
  if (/^[\t\x20-\x7e]*$/.test(text)) return text;
  const what = /[\r\n\0]/.test(text) ? "a line break" : "a character outside of ASCII";
  const message = `${name} holds ${what}, which a header cannot carry`;
  throw new GumError("INVALID_ARGS", {
    message,
    details: { field: name, missing: [], unknown: [], type_errors: [] },
    userMessage: message,
  });
}

function notScalar(name: string): GumError {
  const problem = `${name}: expected a scalar, got an object`;
  return new GumError("INVALID_ARGS", {
    message: problem,
    details: { field: name, missing: [], unknown: [], type_errors: [problem] },
  });
}
