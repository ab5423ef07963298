import assert from "node:assert/strict";
import type { Binding, Variant } from "../types.ts";
import { CatalogError, checkBinding } from "./mod.ts";
import { minimalVariant } from "./testdata/minimal.ts";

function refusal(variant: Variant, executable = true): CatalogError {
  try {
    checkBinding(variant, { opId: "demo.things.get", executable });
  } catch (error) {
    assert.ok(error instanceof CatalogError, String(error));
    return error;
  }
  assert.fail("the binding passed");
}

function bound(kind: string, binding: Partial<Binding>): Variant {
  return minimalVariant({
    backend_kind: kind,
    binding: {
      binding_schema_version: 1,
      adapter_key: "a.b",
      operation_key: "demo.things.get",
      ...binding,
    },
  });
}

Deno.test("binding: an executable variant has exactly one, a declaration may have none", () => {
  const bare = minimalVariant();
  delete bare.binding;
  assert.equal(refusal(bare).code, "CATALOG_SCHEMA_UNSUPPORTED");
  checkBinding(bare, { opId: "demo.things.get", executable: false });
  const two = minimalVariant({ binding: [] as unknown as Binding });
  assert.equal(refusal(two).code, "CATALOG_SCHEMA_UNSUPPORTED");
});

Deno.test("binding: backend keys do not live on the variant", () => {
  for (const key of ["http", "adapter_key", "tool_name", "proto_service"]) {
    const variant = { ...minimalVariant(), [key]: "x" };
    assert.equal(refusal(variant).code, "CATALOG_SCHEMA_UNSUPPORTED", key);
  }
});

Deno.test("binding: each backend kind carries its own keys", () => {
  const grpc = {
    proto_service: "p.S",
    proto_method: "M",
    request_type: "p.R",
    response_type: "p.A",
    request_ref: "r.request",
  };
  checkBinding(bound("grpc-sdk", grpc), { opId: "demo.things.get", executable: true });
  for (const key of Object.keys(grpc)) {
    const without = { ...grpc, [key]: undefined };
    assert.equal(refusal(bound("grpc-sdk", without)).code, "CATALOG_FIELD_REQUIRED", key);
  }
  assert.equal(refusal(bound("maps-sdk", { sdk_resource: "r" })).code, "CATALOG_FIELD_REQUIRED");
  assert.equal(refusal(bound("gen-ai", { sdk_method: "m" })).code, "CATALOG_FIELD_REQUIRED");
  assert.equal(refusal(bound("mcp-plugin", { plugin_name: "p" })).code, "PLUGIN_BINDING_INVALID");
  assert.equal(
    refusal(bound("mcp-plugin", { plugin_name: "p", tool_name: "t", operation_key: "o" })).code,
    "PLUGIN_BINDING_INVALID",
  );
  assert.equal(refusal(bound("raw-http", {})).code, "CATALOG_FIELD_REQUIRED");
  checkBinding(bound("typed-rest-sdk", { adapter_key: "code.risor" }), {
    opId: "gum.code",
    executable: true,
  });
});

Deno.test("TestGoogleAdsCatalogBinding: a POST to the custom method the adapter key names", () => {
  const http = { method: "POST" as const, path: "https://googleads.googleapis.com/v1/x:generate" };
  const adapter_key = "googleads.generate";
  checkBinding(bound("google-ads-sdk", { adapter_key, http }), {
    opId: "demo.things.get",
    executable: true,
  });
  const wrong: Partial<Binding>[] = [
    { adapter_key },
    { adapter_key, http: { ...http, method: "GET" } },
    { adapter_key: "googleads.other", http },
    { adapter_key: "googleads.", http },
  ];
  for (const binding of wrong) {
    assert.equal(refusal(bound("google-ads-sdk", binding)).code, "CATALOG_FIELD_REQUIRED");
  }
});

Deno.test("binding: credentials go to Google hosts only", () => {
  const at = (path: string) => {
    const variant = minimalVariant();
    assert.ok(variant.binding?.http);
    variant.binding.http.path = path;
    return variant;
  };
  for (
    const url of [
      "https://gmail.googleapis.com/v1/x",
      "https://googleapis.com/x",
      "https://www.googleapis.com/{+name}",
    ]
  ) checkBinding(at(url), { opId: "demo.things.get", executable: true });
  for (
    const url of [
      "http://gmail.googleapis.com/x",
      "/relative/path",
      "https://evil.example/x",
      "https://googleapis.com.evil.example/x",
      "https://gmail.googleapis.com:8443/x",
      "https://gmail.googleapis.com@evil.example/x",
      "https://{host}.googleapis.com/x",
      "https://evilgoogleapis.com/x",
      "https://psc.p.googleapis.com/x",
    ]
  ) assert.equal(refusal(at(url)).code, "CREDENTIAL_HOST_INVALID", url);
  const query = at("https://demo.googleapis.com/v1/things/{id}?fields=*");
  assert.equal(refusal(query).code, "REQUEST_FIELD_INVALID");
  const upload = minimalVariant();
  assert.ok(upload.binding?.http);
  upload.binding.http.media_upload = { multipart_path: "https://evil.example/upload" };
  assert.equal(refusal(upload).code, "CREDENTIAL_HOST_INVALID");
});
