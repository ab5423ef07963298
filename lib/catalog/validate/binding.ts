/** Binding rules: version, adapter keys and what each backend kind must carry (spec 04 §2.6). */
import type { Binding, Variant } from "../types.ts";
import { CatalogError, type CatalogErrorCode } from "./catalog_error.ts";
import { isExperimental, SUPPORTED_SCHEMA_VERSIONS } from "./enums.ts";

/** Adapter key of the code operation, the one REST-labelled binding without HTTP. */
const CODE_ADAPTER = "code.risor";

const REQUIRED_BINDING_KEYS: Readonly<Record<string, readonly (keyof Binding)[]>> = {
  "grpc-sdk": ["proto_service", "proto_method", "request_type", "response_type", "request_ref"],
  "maps-sdk": ["sdk_resource", "sdk_method"],
  "gen-ai": ["sdk_resource", "sdk_method"],
  "mcp-plugin": ["plugin_name", "tool_name"],
  "grpc-plugin": ["plugin_name", "rpc_service", "rpc_method"],
};

const HTTP_BACKENDS: ReadonlySet<string> = new Set([
  "typed-rest-sdk",
  "discovery-rest",
  "raw-http",
  "google-ads-sdk",
]);

/** Backend-specific keys; they belong into `binding`, never on the variant. */
const BINDING_ONLY_KEYS: readonly string[] = [
  "adapter_key",
  "operation_key",
  "http",
  "request_ref",
  "proto_service",
  "proto_method",
  "request_type",
  "response_type",
  "routing_headers",
  "sdk_resource",
  "sdk_method",
  "plugin_name",
  "tool_name",
  "rpc_service",
  "rpc_method",
];

/**
 * Checks the binding of one variant.
 *
 * @throws CatalogError with the codes of spec 04 §3.2 row 15.
 */
export function checkBinding(
  variant: Variant,
  context: { opId: string; executable: boolean },
): void {
  const fail = (code: CatalogErrorCode, detail: string): never => {
    throw new CatalogError(code, detail, { opId: context.opId, variantId: variant.variant_id });
  };
  const stray = BINDING_ONLY_KEYS.find((key) => Object.hasOwn(variant, key));
  if (stray !== undefined) fail("CATALOG_SCHEMA_UNSUPPORTED", `key ${stray} outside binding`);
  const binding = variant.binding;
  if (binding === undefined) {
    if (context.executable) fail("CATALOG_SCHEMA_UNSUPPORTED", "executable without a binding");
    return;
  }
  if (Array.isArray(binding) || typeof binding !== "object" || binding === null) {
    return fail("CATALOG_SCHEMA_UNSUPPORTED", "binding is not one object");
  }
  const version: unknown = binding.binding_schema_version;
  if (
    typeof version !== "number" || !Number.isInteger(version) ||
    !SUPPORTED_SCHEMA_VERSIONS.includes(version)
  ) {
    fail(
      "BINDING_SCHEMA_UNSUPPORTED",
      `binding_schema_version ${JSON.stringify(version)}; supported: ${SUPPORTED_SCHEMA_VERSIONS}`,
    );
  }
  if (!isText(binding.adapter_key)) fail("CATALOG_FIELD_REQUIRED", "binding.adapter_key");
  if (!isText(binding.operation_key)) fail("CATALOG_FIELD_REQUIRED", "binding.operation_key");
  checkKindKeys(variant, binding, { ...context, fail });
  if (binding.http !== undefined) checkHttp(variant, binding, fail);
}

function checkKindKeys(
  variant: Variant,
  binding: Binding,
  context: {
    opId: string;
    executable: boolean;
    fail: (code: CatalogErrorCode, detail: string) => never;
  },
): void {
  const kind = variant.backend_kind;
  if (isExperimental(kind)) return;
  const plugin = kind === "mcp-plugin" || kind === "grpc-plugin";
  for (const key of REQUIRED_BINDING_KEYS[kind] ?? []) {
    if (isText(binding[key])) continue;
    context.fail(plugin ? "PLUGIN_BINDING_INVALID" : "CATALOG_FIELD_REQUIRED", `binding.${key}`);
  }
  if (kind === "mcp-plugin" && binding.operation_key !== context.opId) {
    context.fail("PLUGIN_BINDING_INVALID", "binding.operation_key differs from the op id");
  }
  if (HTTP_BACKENDS.has(kind) && binding.http === undefined) {
    if (binding.adapter_key !== CODE_ADAPTER) {
      context.fail("CATALOG_FIELD_REQUIRED", "binding.http");
    }
  }
  if (kind === "google-ads-sdk") {
    const method = binding.adapter_key.slice("googleads.".length);
    const bound = binding.http?.method === "POST" && binding.http.path.endsWith(`:${method}`) &&
      binding.adapter_key === `googleads.${method}` && method !== "";
    if (!bound) {
      context.fail("CATALOG_FIELD_REQUIRED", "binding.http: POST to the adapter's custom method");
    }
  }
}

function checkHttp(
  variant: Variant,
  binding: Binding,
  fail: (code: CatalogErrorCode, detail: string) => never,
): void {
  const http = binding.http;
  if (http === undefined) return;
  if (!isText(http.method) || !isText(http.path)) {
    fail("CATALOG_FIELD_REQUIRED", "binding.http.method and binding.http.path");
  }
  const urls = [http.path, http.media_upload?.multipart_path, http.media_upload?.resumable_path];
  for (const url of urls) {
    if (url === undefined) continue;
    if (url.includes("?") || url.includes("#")) {
      fail("REQUEST_FIELD_INVALID", `the path carries a query string: ${url}`);
    }
    const reason = credentialHostProblem(url);
    if (reason !== undefined && variant.auth_strategy !== "plugin_managed") {
      fail("CREDENTIAL_HOST_INVALID", reason);
    }
  }
}

/** Why a URL template may not receive a credential; undefined when it may. */
function credentialHostProblem(template: string): string | undefined {
  const host = /^https:\/\/([^/?#]*)(?:[/?#]|$)/.exec(template)?.[1];
  if (host === undefined) return `not an absolute https URL: ${template}`;
  if (!/^[a-z0-9.-]+$/.test(host)) return `host is not fixed: ${template}`;
  if (host !== "googleapis.com" && !host.endsWith(".googleapis.com")) {
    return `host is not Google's: ${host}`;
  }
  return host.endsWith(".p.googleapis.com") ? `private endpoint: ${host}` : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
