/** The outline of a manifest as JSON Schema (spec 06 §2.2.2). */

import type { JsonObject } from "../../json/mod.ts";

const text = (more: JsonObject = {}): JsonObject => ({ type: "string", ...more });
const texts = (more: JsonObject = {}): JsonObject => ({ type: "array", items: text(), ...more });
const integer = (minimum: number, maximum: number): JsonObject => ({
  type: "integer",
  minimum,
  maximum,
});
const word = text({ pattern: "^[a-z0-9][a-z0-9_-]{0,63}$" });
const flag: JsonObject = { type: "boolean" };

const CHECKSUM_PATTERN = "^(sha256:)?[0-9a-fA-F]{64}$";

const TOOL: JsonObject = {
  type: "object",
  required: ["risk_class"],
  properties: {
    name: text({ pattern: "^[a-z0-9][a-z0-9_.-]{0,63}$" }),
    tool_name: {},
    op_id: text(),
    variant_id: text(),
    description: text({ maxLength: 1024 }),
    risk_class: { enum: ["read", "write", "destructive"] },
    confirmation_policy: { enum: ["none", "high_stakes_write"] },
    auth_strategy: {
      enum: [
        "plugin_managed",
        "compound",
        "none",
        "gum_oauth",
        "byo_oauth",
        "adc",
        "api_key",
        "service_account",
        "service_account_key",
        "workload_identity",
        "impersonation",
      ],
    },
    backend_kind: text(),
    interface_kind: text(),
    capabilities: texts(),
    execution_support: { enum: ["full", "partial", "typed_executor_required", "schema_only"] },
    unsupported_capabilities: texts(),
    scopes: texts(),
    schema_ref: text(),
    output_profile: text(),
    raw_result_allowed: flag,
    null_elision_safe_fields: texts(),
  },
};

/** What every manifest looks like; keys beyond it are allowed and pointed out. */
export const OUTLINE: JsonObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: "plugin-manifest.v1.json",
  type: "object",
  required: ["manifest_schema_version", "plugin"],
  properties: {
    manifest_schema_version: { const: 1 },
    plugin: {
      type: "object",
      required: ["name", "version", "shape"],
      properties: {
        name: text({ pattern: "^[a-z][a-z0-9-]{0,63}$" }),
        display_name: text({ minLength: 1, maxLength: 80 }),
        version: text({ minLength: 1, maxLength: 64 }),
        description: text({ maxLength: 1024 }),
        namespace_owner: text({ maxLength: 128 }),
        shape: text(),
        executable: text({ maxLength: 512 }),
        command: texts({ minItems: 1, maxItems: 64 }),
        license: text({ maxLength: 128 }),
        tos: word,
        risk: word,
        schema_ref: text(),
      },
    },
    package: {
      type: "object",
      properties: {
        source: { enum: ["local", "git", "github_release", "pypi"] },
        repository: text(),
        ref: text(),
        artifact: text(),
        subdir: text(),
        checksum: text({ pattern: CHECKSUM_PATTERN }),
        extra_artifacts: {
          type: "array",
          maxItems: 64,
          items: {
            type: "object",
            required: ["repository", "ref", "artifact", "checksum"],
            properties: {
              repository: text(),
              ref: text(),
              artifact: text(),
              checksum: text({ pattern: CHECKSUM_PATTERN }),
            },
          },
        },
      },
    },
    requirements: {
      type: "object",
      properties: {
        rate_limit_per_minute: integer(1, 6000),
        cache_ttl_seconds: integer(0, 86_400),
        needs_user_creds: texts({ maxItems: 32 }),
        credential_descriptors: { type: "array", items: { type: "object" } },
        auth_components: { type: "array", items: { type: ["string", "object"] }, maxItems: 32 },
        canary: {
          type: "object",
          required: ["tool"],
          properties: {
            tool: text(),
            args: { type: "object" },
            timeout_ms: integer(1000, 30_000),
            schedule: text({ pattern: "^[0-9]{1,3}[mhd]$" }),
          },
        },
      },
    },
    declared_capabilities: {
      type: "object",
      properties: {
        network: flag,
        net_hosts: texts({ maxItems: 64 }),
        fs_write_dir: text(),
        env_allow: texts({ maxItems: 64 }),
      },
    },
    deno: {
      type: "object",
      properties: { min_version: text({ pattern: "^[0-9]{1,4}\\.[0-9]{1,4}\\.[0-9]{1,4}$" }) },
    },
    tools: { type: "array", maxItems: 128, items: TOOL },
  },
};
