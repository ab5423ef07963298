/** `overrides.toml`: the reviewed half of the catalog's input (spec 04 §2.10). */
import { parse } from "smol-toml";
import { CatalogError } from "../lib/catalog/validate/mod.ts";
import type { ApiContext, FieldCuration, OperationCuration } from "../lib/catalog/derive/mod.ts";
import type {
  AuthStrategy,
  Binding,
  Effect,
  Format,
  RiskClass,
  Stability,
} from "../lib/catalog/types.ts";

/** One `[apis.<service>]` table. */
export interface ApiTable {
  discovery_url: string;
  api: string;
  version: string;
  service_family: string;
  title?: string;
  op_prefix?: string;
  method_prefix?: string;
  backend_kind?: string;
  auth_strategy?: AuthStrategy;
  scope_preference?: string[];
  tier?: "curated" | "long_tail";
  include?: "listed" | "all";
  host_defaults?: Record<string, string>;
}

/** One `[ops."<id>"]` table. */
export interface OpTable extends OperationCuration {
  method_id?: string;
  scopes_reason?: string;
}

/** One `[[sdk_only]]` entry. */
export interface SdkOnly {
  op_id: string;
  variant_id: string;
  version?: string;
  title: string;
  summary: string;
  service: string;
  service_family: string;
  interface_kind: string;
  backend_kind: string;
  adapter_key: string;
  operation_key: string;
  risk_class: RiskClass;
  auth_strategy: AuthStrategy;
  stability: Stability;
  scopes?: string[];
  capabilities?: string[];
  output_profile?: string;
  default_format?: Format;
  binding?: Partial<Binding>;
  aliases?: string[];
  effects?: Effect[];
  field?: FieldCuration[];
}

/** The whole manifest. */
export interface Overrides {
  schema_version: 1;
  apis: Record<string, ApiTable>;
  ops?: Record<string, OpTable>;
  sdk_only?: SdkOnly[];
  risk?: Record<string, { class: RiskClass; reason: string }>;
  exclude?: string[];
  /** Output profile of an operation's variants; an operation's own `output_profile` key wins. */
  output_profiles?: Record<string, string>;
  search?: {
    service_aliases?: Record<string, string[]>;
    synonyms?: Record<string, string[]>;
    /** Words for services of the long tail. */
    long_tail_aliases?: Record<string, string[]>;
    /** Query synonyms that only searches over the long tail use. */
    long_tail_synonyms?: Record<string, string[]>;
  };
  param_allowlist?: Record<string, string[]>;
}

/** What derivation needs to know about a service's API. */
export function apiContext(service: string, api: ApiTable): ApiContext {
  return { service, ...api };
}

/**
 * Parses and checks the manifest.
 *
 * @throws CatalogError `OVERRIDES_SCHEMA_INVALID`, naming the JSON pointer.
 */
export async function parseOverrides(toml: string, schema: object): Promise<Overrides> {
  let document: unknown;
  try {
    document = parse(toml);
  } catch (cause) {
    throw new CatalogError(
      "OVERRIDES_SCHEMA_INVALID",
      `/: not TOML: ${cause instanceof Error ? cause.message.split("\n")[0] : String(cause)}`,
      { cause },
    );
  }
  const problem = await firstSchemaProblem(document, schema);
  if (problem !== undefined) throw new CatalogError("OVERRIDES_SCHEMA_INVALID", problem);
  return document as Overrides;
}

/** First violation of a JSON Schema as `pointer: message`; undefined when there is none. */
export async function firstSchemaProblem(
  document: unknown,
  schema: object,
): Promise<string | undefined> {
  const { Ajv2020 } = await import("ajv/dist/2020.js");
  const check = new Ajv2020({ allErrors: false, strict: false }).compile(schema);
  if (check(document) === true) return undefined;
  const first = check.errors?.[0];
  const extra = first?.params !== undefined && "additionalProperty" in first.params
    ? ` ${JSON.stringify(first.params.additionalProperty)}`
    : "";
  return `${first?.instancePath || "/"}: ${first?.message ?? "does not match the schema"}${extra}`;
}
