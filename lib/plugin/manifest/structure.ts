/** The outline of a manifest as JSON Schema (spec 06 §2.2.2). */

import type { JsonObject } from "../../json/mod.ts";
import { invalidManifest, type Refusals, thrown } from "./refusals.ts";

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

/** Keys the schema does not constrain but the gates or the mapping read. */
const READ_ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  "/tools": [
    "binding_schema_version",
    "binding",
    "service_root_template",
    "rpc_service",
    "rpc_method",
  ],
};

const SCHEMA: JsonObject = {
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

interface Validate {
  (value: unknown): boolean;
  errors?: readonly { instancePath: string; message?: string }[] | null;
}

let compiled: Promise<Validate> | undefined;

async function compile(): Promise<Validate> {
  const { Ajv2020 } = await import("ajv/dist/2020.js");
  return new Ajv2020({ strict: false, allErrors: true }).compile(SCHEMA) as Validate;
}

/** Checks the outline; a refusal is `PLUGIN_MANIFEST_INVALID` with the JSON pointer. */
export async function checkStructure(tree: JsonObject, to: Refusals = thrown): Promise<void> {
  const validate = await (compiled ??= compile());
  if (validate(tree)) return;
  for (const { instancePath, message } of [...validate.errors ?? []]) {
    to(invalidManifest(instancePath, message ?? "does not have the outline"));
  }
}

/** Places of keys that no rule of this version reads, as JSON pointers. */
export function unknownKeys(tree: JsonObject): string[] {
  const found: string[] = [];
  const visit = (value: unknown, schema: JsonObject, at: { shown: string; rule: string }): void => {
    const items = schema.items as JsonObject | undefined;
    if (Array.isArray(value) && items !== undefined) {
      value.forEach((item, index) =>
        visit(item, items, { shown: `${at.shown}/${index}`, rule: at.rule })
      );
      return;
    }
    const known = schema.properties as Record<string, JsonObject> | undefined;
    if (known === undefined || typeof value !== "object" || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      const shown = `${at.shown}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      const next = Object.hasOwn(known, key) ? known[key] : undefined;
      if (next !== undefined) visit(member, next, { shown, rule: `${at.rule}/${key}` });
      else if (!READ_ELSEWHERE[at.rule]?.includes(key)) found.push(shown);
    }
  };
  visit(tree, SCHEMA, { shown: "", rule: "" });
  return found;
}
