import assert from "node:assert/strict";
import type { Catalog, Op, Variant } from "../types.ts";
import {
  AUTH_COMPONENT_KINDS,
  BACKEND_KINDS,
  CAPABILITY_ORDER,
  CatalogError,
  INTERFACE_KINDS,
  validate,
  type ValidateOptions,
} from "./mod.ts";
import { minimalCatalog, minimalOp, minimalVariant } from "./testdata/minimal.ts";

/** The error of a catalog that must not pass. */
function refusal(catalog: Catalog, options: ValidateOptions = {}): CatalogError {
  try {
    validate(catalog, options);
  } catch (error) {
    assert.ok(error instanceof CatalogError, String(error));
    return error;
  }
  assert.fail("the catalog passed");
}

function refusalOf(op: Partial<Op>, variant: Partial<Variant> = {}): CatalogError {
  return refusal(minimalCatalog({}, minimalOp(op, variant)));
}

/** Values a TypeScript caller could not write, but a JSON file can. */
function untyped<T>(value: unknown): T {
  return value as T;
}

const schemaOnly = (atoms: string[]): Partial<Variant> => ({
  execution_support: "schema_only",
  capabilities: atoms,
  unsupported_capabilities: atoms,
});

Deno.test("validate: the minimal catalog passes", () => {
  validate(minimalCatalog());
  validate(minimalCatalog({ ops: [] }));
});

Deno.test("TestCatalogABIVersionsRejected: catalog, operation and variant versions", () => {
  for (const version of [0, 2, 9999, 1.5, "1", null, undefined]) {
    const catalog = minimalCatalog({ catalog_schema_version: untyped(version) });
    assert.equal(refusal(catalog).code, "CATALOG_SCHEMA_UNSUPPORTED", String(version));
  }
  for (const version of [9999, 1.5, "1", "1.0.1"]) {
    assert.equal(
      refusalOf({ op_schema_version: untyped(version) }).code,
      "CATALOG_SCHEMA_UNSUPPORTED",
    );
    assert.equal(
      refusalOf({}, { variant_schema_version: untyped(version) }).code,
      "CATALOG_SCHEMA_UNSUPPORTED",
    );
  }
  for (const version of [0, -1, undefined]) {
    assert.equal(
      refusalOf({ op_schema_version: untyped(version) }).code,
      "CATALOG_FIELD_REQUIRED",
    );
    assert.equal(
      refusalOf({}, { variant_schema_version: untyped(version) }).code,
      "CATALOG_FIELD_REQUIRED",
    );
  }
});

Deno.test("TestBindingSchemaVersionInteger: only the integer 1, for every backend kind", () => {
  for (const backend of BACKEND_KINDS) {
    for (const version of [1.5, "1", "1.0.1", undefined, 0, 2, 9999]) {
      const variant = minimalVariant({ backend_kind: backend });
      assert.ok(variant.binding);
      variant.binding.binding_schema_version = untyped(version);
      const error = refusalOf({}, variant);
      assert.equal(error.code, "BINDING_SCHEMA_UNSUPPORTED", `${backend} ${version}`);
      assert.equal(error.variantId, variant.variant_id);
    }
  }
});

Deno.test("validate: header fields and operation fields, in order", () => {
  const missing = (changes: Partial<Catalog>) => refusal(minimalCatalog(changes)).code;
  assert.equal(missing({ generated_at: "" }), "CATALOG_FIELD_REQUIRED");
  assert.equal(missing({ generated_at: "yesterday" }), "CATALOG_FIELD_REQUIRED");
  assert.equal(missing({ generated_at: "2026-13-41T00:00:00Z" }), "CATALOG_FIELD_REQUIRED");
  assert.equal(missing({ generator_version: "" }), "CATALOG_FIELD_REQUIRED");
  for (const field of ["title", "summary", "default_variant_id"] as const) {
    const error = refusalOf({ [field]: "" });
    assert.equal(error.code, "CATALOG_FIELD_REQUIRED");
    assert.match(error.detail, new RegExp(field));
  }
  assert.equal(refusalOf({ variants: [] }).code, "CATALOG_FIELD_REQUIRED");
  assert.equal(refusalOf({ op_id: "" }).code, "CATALOG_FIELD_REQUIRED");
  assert.match(refusalOf({ title: "", summary: "" }).detail, /title/);
});

Deno.test("validate: identifiers are unique and follow their grammar", () => {
  const op = minimalOp();
  assert.equal(refusal(minimalCatalog({ ops: [op, op] })).code, "DUPLICATE_OP_ID");
  for (const id of ["Demo.get", "demo", "demo..get", "demo.9get", "demo.things-get"]) {
    assert.equal(refusalOf({ op_id: id }).code, "OP_ID_INVALID", id);
  }
  assert.equal(refusalOf({ op_id: `demo.${"a".repeat(130)}` }).code, "OP_ID_INVALID");
  const twice = minimalOp({ variants: [minimalVariant(), minimalVariant()] });
  assert.equal(refusal(minimalCatalog({}, twice)).code, "DUPLICATE_VARIANT_ID");
  const other = minimalOp({ op_id: "demo.things.list" });
  assert.equal(refusal(minimalCatalog({ ops: [op, other] })).code, "DUPLICATE_VARIANT_ID");
  const dangling = refusalOf({ default_variant_id: "demo.v1.rest.things.other" });
  assert.equal(dangling.code, "DEFAULT_VARIANT_DANGLING");
  assert.match(dangling.message, /demo\.things\.get/);
});

Deno.test("TestOpValidateRejectsUnknownBackendKind: closed enum, case-sensitive x- escape", () => {
  for (const kind of ["carrier-pigeon", "", "x-", "X-lab", "Typed-Rest-SDK"]) {
    const error = refusalOf({}, { backend_kind: kind });
    assert.equal(error.code, "UNKNOWN_BACKEND_KIND", kind);
    assert.match(error.message, /demo\.v1\.rest\.things\.get/);
  }
  assert.equal(refusalOf({}, { backend_kind: "x-lab" }).code, "UNKNOWN_BACKEND_KIND");
  validate(minimalCatalog(
    {},
    minimalOp({}, { backend_kind: "x-lab", ...schemaOnly(["json_response"]) }),
  ));
});

Deno.test("TestOpValidateRejectsUnknownInterfaceKind: closed enum, case-sensitive x- escape", () => {
  for (const kind of ["soap", "", "x-", "X-lab", "GRPC"]) {
    assert.equal(refusalOf({}, { interface_kind: kind }).code, "UNKNOWN_INTERFACE_KIND", kind);
  }
  assert.equal(refusalOf({}, { interface_kind: "x-lab" }).code, "UNKNOWN_INTERFACE_KIND");
});

Deno.test("TestInterfaceKindValid: every stable kind is accepted", () => {
  assert.deepEqual([...INTERFACE_KINDS], [
    "discovery-rest",
    "grpc",
    "plugin-mcp",
    "plugin-grpc",
    "sdk-native",
  ]);
  for (const kind of INTERFACE_KINDS) {
    validate(minimalCatalog({}, minimalOp({}, { interface_kind: kind })));
  }
});

Deno.test("TestInterfaceKindPromotionFixture: x-name and name stay different values", () => {
  const experimental = minimalVariant({
    variant_id: "demo.v1.rest.things.lab",
    interface_kind: "x-grpc",
    ...schemaOnly(["json_response"]),
  });
  const promoted = minimalVariant({ interface_kind: "grpc" });
  const op = minimalOp({ variants: [promoted, experimental] });
  validate(minimalCatalog({}, op));
  assert.deepEqual(op.variants.map((variant) => variant.interface_kind), ["grpc", "x-grpc"]);
  // Dropping the schema-only declaration does not turn the experimental kind into the stable one.
  const executable = { ...experimental };
  delete executable.execution_support;
  delete executable.unsupported_capabilities;
  const error = refusal(minimalCatalog({}, { ...op, variants: [promoted, executable] }));
  assert.equal(error.code, "UNKNOWN_INTERFACE_KIND");
});

Deno.test("TestUnknownCapabilityFailsClosed: unknown, experimental, repeated, unordered, none", () => {
  const code = (capabilities: string[]) => refusalOf({}, { capabilities }).code;
  assert.equal(code(["json_response", "telepathy"]), "UNKNOWN_CAPABILITY");
  assert.equal(code(["json_response", "X-lab"]), "UNKNOWN_CAPABILITY");
  assert.equal(code(["json_response", "x-lab"]), "UNKNOWN_CAPABILITY");
  assert.equal(code([]), "UNKNOWN_CAPABILITY");
  assert.equal(code(["json_response", "json_response"]), "UNKNOWN_CAPABILITY");
  assert.equal(code(["field_mask", "json_response"]), "UNKNOWN_CAPABILITY");
  validate(minimalCatalog({}, minimalOp({}, schemaOnly(["json_response", "x-lab"]))));
  validate(minimalCatalog({}, minimalOp({}, { capabilities: [...CAPABILITY_ORDER] })));
});

Deno.test("TestOpValidateExecutionSupportBinding: every illegal pairing is refused", () => {
  const capabilities = ["json_response", "path_params", "media_download"];
  const illegal: Partial<Variant>[] = [
    { unsupported_capabilities: ["media_download"] },
    { execution_support: "full", unsupported_capabilities: ["media_download"] },
    { execution_support: "partial" },
    { execution_support: "partial", unsupported_capabilities: [] },
    { execution_support: "partial", unsupported_capabilities: capabilities },
    { execution_support: "partial", unsupported_capabilities: ["lro_return"] },
    {
      execution_support: "partial",
      unsupported_capabilities: ["media_download", "media_download"],
    },
    { execution_support: "typed_executor_required" },
    { execution_support: "typed_executor_required", unsupported_capabilities: ["media_download"] },
    { execution_support: "schema_only", unsupported_capabilities: ["json_response"] },
    { execution_support: untyped("sometimes") },
  ];
  for (const changes of illegal) {
    const error = refusalOf({}, { capabilities, ...changes });
    assert.equal(error.code, "EXECUTION_SUPPORT_INVALID", JSON.stringify(changes));
  }
});

Deno.test("TestOpValidateAcceptsDeclaredExecutionSupport: every legal pairing passes", () => {
  const capabilities = ["json_response", "path_params", "media_download"];
  const legal: Partial<Variant>[] = [
    {},
    { execution_support: "full" },
    { execution_support: "full", unsupported_capabilities: [] },
    { execution_support: "partial", unsupported_capabilities: ["media_download"] },
    {
      execution_support: "partial",
      unsupported_capabilities: ["path_params", "media_download"],
    },
    { execution_support: "typed_executor_required", unsupported_capabilities: capabilities },
    { execution_support: "schema_only", unsupported_capabilities: capabilities },
  ];
  for (const changes of legal) {
    validate(minimalCatalog({}, minimalOp({}, { capabilities, ...changes })));
  }
});

Deno.test("TestAuthStrategyRequired: an executable variant names its strategy", () => {
  for (const strategy of ["", undefined]) {
    const error = refusalOf({}, { auth_strategy: untyped(strategy) });
    assert.equal(error.code, "AUTH_STRATEGY_REQUIRED");
    assert.equal(error.opId, "demo.things.get");
  }
  assert.equal(
    refusalOf({}, { auth_strategy: untyped("basic") }).code,
    "UNKNOWN_AUTH_STRATEGY",
  );
  validate(minimalCatalog(
    {},
    minimalOp({}, { auth_strategy: untyped(undefined), ...schemaOnly(["json_response"]) }),
  ));
  // The older spelling is input; the loader rewrites it.
  validate(minimalCatalog({}, minimalOp({}, { auth_strategy: untyped("service_account_key") })));
});

Deno.test("TestAuthComponentUnknown: the closed kinds, x- kinds, and nothing else", () => {
  const compound = (kind: string): Partial<Variant> => ({
    auth_strategy: "compound",
    auth_components: [{ kind }],
  });
  assert.equal(AUTH_COMPONENT_KINDS.length, 20);
  for (const kind of [...AUTH_COMPONENT_KINDS, "x-badge"]) {
    validate(minimalCatalog({}, minimalOp({}, compound(kind))));
  }
  for (const kind of ["password", "", "x-", "OAUTH_CLIENT"]) {
    assert.equal(refusalOf({}, compound(kind)).code, "AUTH_COMPONENT_UNKNOWN", kind);
  }
  assert.equal(
    refusalOf({}, { auth_strategy: "compound", auth_components: [] }).code,
    "AUTH_COMPONENT_UNKNOWN",
  );
});

Deno.test("TestServiceRootTemplateDeferred: any value is refused, naming op and variant", () => {
  for (const template of ["https://{region}-demo.googleapis.com/", "x"]) {
    const error = refusalOf({}, { service_root_template: template });
    assert.equal(error.code, "SERVICE_ROOT_TEMPLATE_DEFERRED");
    assert.match(error.message, /demo\.things\.get/);
    assert.match(error.message, /demo\.v1\.rest\.things\.get/);
  }
  validate(minimalCatalog({}, minimalOp({}, { service_root_template: "" })));
});

Deno.test("validate: stability and risk class are closed", () => {
  assert.equal(refusalOf({}, { stability: untyped("ga") }).code, "UNKNOWN_STABILITY");
  assert.equal(refusalOf({}, { risk_class: untyped("harmless") }).code, "UNKNOWN_RISK_CLASS");
});

Deno.test("validate: confirmation, effects, risk override and preference", () => {
  assert.equal(
    refusalOf({}, { confirmation_policy: "high_stakes_write" }).code,
    "CONFIRMATION_POLICY_INVALID",
  );
  assert.equal(refusalOf({}, { effects: ["shares"] }).code, "EFFECTS_INVALID");
  assert.equal(
    refusalOf({}, { risk_class: "write", effects: ["deletes", "shares"] }).code,
    "EFFECTS_INVALID",
  );
  validate(minimalCatalog(
    {},
    minimalOp({}, { risk_class: "write", effects: ["shares", "deletes"] }),
  ));
  assert.equal(refusalOf({}, { risk_override: true }).code, "RISK_OVERRIDE_INVALID");
  assert.equal(
    refusalOf({}, { risk_override_reason: "because it is" }).code,
    "RISK_OVERRIDE_INVALID",
  );
  const second = minimalVariant({ variant_id: "demo.v1.rest.things.other", preferred: true });
  const op = minimalOp({ variants: [minimalVariant(), second] });
  assert.equal(refusal(minimalCatalog({}, op)).code, "PREFERRED_CONFLICT");
});

Deno.test("validate: Admin writes say how far they reach and what a fixture is", () => {
  const admin = (changes: Partial<Variant>) =>
    minimalCatalog(
      {},
      minimalOp({ op_id: "admin.directory.users.insert", service: "admin" }, {
        risk_class: "write",
        confirmation_policy: "high_stakes_write",
        ...changes,
      }),
    );
  const markers = { fixture_marker_prefix: "gum-fixture-", fixture_resource_keys: ["userKey"] };
  validate(admin({ admin_policy: { blast_radius: "admin_reversible_write", ...markers } }));
  validate(admin({
    admin_policy: {
      blast_radius: "admin_fixture_write",
      fixture_ownership_required: true,
      ...markers,
    },
  }));
  validate(admin({
    risk_class: "destructive",
    confirmation_policy: "none",
    admin_policy: { blast_radius: "admin_high_blast_write", ...markers },
  }));
  const broken: Partial<Variant>[] = [
    {},
    { admin_policy: untyped({ blast_radius: "galaxy", ...markers }) },
    { admin_policy: { blast_radius: "admin_reversible_write" } },
    { admin_policy: { blast_radius: "admin_fixture_write", ...markers } },
    {
      admin_policy: { blast_radius: "admin_reversible_write", ...markers },
      confirmation_policy: "none",
    },
  ];
  for (const changes of broken) {
    assert.equal(refusal(admin(changes)).code, "ADMIN_POLICY_INVALID", JSON.stringify(changes));
  }
  assert.equal(
    refusalOf({}, { admin_policy: { blast_radius: "admin_reversible_write", ...markers } }).code,
    "ADMIN_POLICY_INVALID",
  );
});
