/**
 * One operation from one Discovery method (spec 04 §3.6–§3.10). Pure: the generator runs it over
 * the pinned snapshot, the long-tail tier over its pack.
 *
 * @module
 */
import type { JsonObject } from "../../json/mod.ts";
import type {
  AdminPolicy,
  AuthComponent,
  AuthStrategy,
  Effect,
  HttpBinding,
  Op,
  RequestField,
  RiskClass,
  Variant,
} from "../types.ts";
import { EFFECT_ORDER, requestRef, variantVersion } from "../validate/mod.ts";
import {
  applyCapabilities,
  type CapabilityCuration,
  sortCapabilities,
  stampLROReturn,
} from "./capabilities.ts";
import {
  answersWithOperation,
  type DiscoveryDocument,
  type DiscoveryMediaUpload,
  type DiscoveryMethod,
  methodReturnsLRO,
} from "./discovery.ts";
import { deriveFields, type FieldsCuration } from "./fields.ts";
import { stabilityOfVersion, variantId } from "./ids.ts";
import { buildRequestSchema } from "./request_schema.ts";
import { deriveRisk } from "./risk.ts";
import { chooseScope } from "./scopes.ts";
import { deriveSummary, deriveTitle } from "./text.ts";

/** What is known about the API a method belongs to. */
export interface ApiContext {
  /** Catalog service key. */
  service: string;
  service_family: string;
  /** Shown in titles; the document's own title when absent. */
  title?: string;
  op_prefix?: string;
  backend_kind?: string;
  auth_strategy?: AuthStrategy;
  scope_preference?: string[];
  /** Field name to the value the host supplies (spec 11 §4). */
  host_defaults?: Record<string, string>;
}

/** Reviewed facts about one operation; every key is optional. */
export interface OperationCuration extends FieldsCuration, CapabilityCuration {
  title?: string;
  summary?: string;
  risk_class?: RiskClass;
  risk_reason?: string;
  confirmation_policy?: "none" | "high_stakes_write";
  idempotent?: boolean;
  scopes?: string[];
  auth_strategy?: AuthStrategy;
  auth_components?: AuthComponent[];
  effects?: Effect[];
  output_profile?: string;
  default_fields?: string;
  default_page_size?: number;
  null_elision_safe_fields?: string[];
  header_params?: Record<string, string>;
  aliases?: string[];
  deprecated_op_ids?: string[];
  deprecated_variant_ids?: string[];
  superseded_variant_ids?: Record<string, string>;
  variant_id?: string;
  admin_policy?: AdminPolicy;
}

/** The operation and what the gates need to judge it. */
export interface DerivedOperation {
  op: Op;
  /** Request schema document; undefined when the operation takes no argument. */
  schema?: JsonObject;
  /** Class that the rules give, before curation. */
  ruleRisk: RiskClass;
  /** Scopes the method accepts. */
  acceptedScopes: readonly string[];
}

/** Where a method is found and what is known about it. */
export interface DerivationSource {
  document: DiscoveryDocument;
  method: DiscoveryMethod;
  api: ApiContext;
  curation?: OperationCuration;
}

/** Adapter key of an HTTP backend. */
function adapterKey(backendKind: string, method: DiscoveryMethod): string {
  if (backendKind === "google-ads-sdk") {
    return `googleads.${method.path.slice(method.path.lastIndexOf(":") + 1)}`;
  }
  return `rest.${backendKind}`;
}

/** Derives one operation with its single variant. */
export function deriveOperation(opId: string, source: DerivationSource): DerivedOperation {
  const { document, method, api } = source;
  const curation = source.curation ?? {};
  const backendKind = backendOf(source);
  const { fields, bodyFields } = deriveFields(document, method, {
    curation,
    adapterBuildsBody: backendKind === "google-ads-sdk",
  });
  const own = (curation.field ?? []).filter((field) => field.host_default !== undefined);
  const { host_defaults: hostDefaults = {} } = api;
  applyHostDefaults(
    fields,
    Object.fromEntries(
      Object.entries(hostDefaults).filter(([name]) => !own.some((field) => field.name === name)),
    ),
  );

  const verdict = deriveRisk({
    methodId: method.id,
    httpMethod: method.httpMethod,
    longRunning: answersWithOperation(document, method),
    scopes: method.scopes,
  });
  const riskClass = curation.risk_class ?? verdict.riskClass;
  const version = document.version;
  const id = curation.variant_id ??
    variantId(opId, { service: api.service, version, opPrefix: api.op_prefix });
  const schema = buildRequestSchema(opId, { fields, bodyFields });
  const http = httpBinding(document, method, curation);
  const overridden = riskClass !== verdict.riskClass;

  const variant: Variant = {
    variant_id: id,
    variant_schema_version: 1,
    version: variantVersion(id) || version,
    stability: stabilityOfVersion(version),
    interface_kind: "discovery-rest",
    backend_kind: backendKind,
    risk_class: riskClass,
    ...(overridden
      ? { risk_override: true, risk_override_reason: curation.risk_reason ?? "" }
      : {}),
    ...authOf(opId, { source, riskClass }),
    ...(curation.confirmation_policy === "high_stakes_write"
      ? { confirmation_policy: "high_stakes_write" as const }
      : {}),
    ...(curation.effects === undefined ? {} : { effects: sortEffects(curation.effects) }),
    capabilities: typedCapabilities(method, http),
    ...outputOf(curation),
    annotations: {
      readOnly: riskClass === "read",
      openWorld: true,
      idempotent: curation.idempotent ?? (riskClass === "read" && method.httpMethod === "GET"),
    },
    ...(curation.admin_policy === undefined ? {} : { admin_policy: curation.admin_policy }),
    binding: {
      binding_schema_version: 1,
      adapter_key: adapterKey(backendKind, method),
      operation_key: opId,
      ...(schema === undefined ? {} : { request_ref: requestRef(opId) }),
      http,
    },
  };

  const title = curation.title ?? deriveTitle(opId, api.title ?? document.title ?? document.name);
  const op: Op = {
    op_id: opId,
    op_schema_version: 1,
    title,
    summary: curation.summary ?? deriveSummary(method.description, title),
    service: api.service,
    service_family: api.service_family,
    default_variant_id: id,
    variants: [variant],
    request_fields: fields,
    ...(fields.some((field) => field.name === "pageToken") ? { paginated: true } : {}),
    ...lifecycleOf(curation),
  };
  stampLROReturn(op, methodReturnsLRO(document, method));
  applyCapabilities(op, curation);
  orderVariantKeys(op);
  return { op, schema, ruleRisk: verdict.riskClass, acceptedScopes: method.scopes ?? [] };
}

function backendOf(source: DerivationSource): string {
  const { api, curation } = source;
  const rawHttp = curation?.variant_id?.split(".").includes("rawhttp") === true;
  return rawHttp ? "raw-http" : api.backend_kind ?? "typed-rest-sdk";
}

/** Gives fields the host's defaults; a curated `host_default` or wire default wins. */
function applyHostDefaults(
  fields: RequestField[],
  hostDefaults: Readonly<Record<string, string>>,
): void {
  for (const [index, field] of fields.entries()) {
    const value = hostDefaults[field.name];
    if (value === undefined || field.default !== undefined || field.host_default !== undefined) {
      continue;
    }
    if (field.location !== "path" && field.location !== "query") continue;
    const { format, pattern, description, ...rest } = field;
    fields[index] = {
      ...rest,
      host_default: value,
      ...(format === undefined ? {} : { format }),
      ...(pattern === undefined ? {} : { pattern }),
      ...(description === undefined ? {} : { description }),
    };
  }
}

function authOf(
  opId: string,
  context: { source: DerivationSource; riskClass: RiskClass },
): Pick<Variant, "auth_strategy" | "auth_components" | "scopes"> {
  const { method, api, curation } = context.source;
  const strategy = curation?.auth_strategy ?? api.auth_strategy ?? "byo_oauth";
  const components = curation?.auth_components;
  const scopeless = strategy === "api_key" || strategy === "none" || strategy === "plugin_managed";
  const segments = opId.split(".");
  const chosen = curation?.scopes ?? [chooseScope(method.scopes, {
    riskClass: context.riskClass,
    preference: api.scope_preference,
    resource: segments.at(-2)?.toLowerCase(),
    product: api.service,
  })].filter((scope) => scope !== undefined);
  return {
    auth_strategy: strategy,
    ...(components === undefined ? {} : { auth_components: components }),
    ...(scopeless || chosen.length === 0 ? {} : { scopes: [...chosen].sort() }),
  };
}

function outputOf(curation: OperationCuration): Partial<Variant> {
  return {
    ...(curation.default_fields === undefined ? {} : { default_fields: curation.default_fields }),
    ...(curation.default_page_size === undefined
      ? {}
      : { default_page_size: curation.default_page_size }),
    ...(curation.output_profile === undefined ? {} : { output_profile: curation.output_profile }),
    ...(curation.null_elision_safe_fields === undefined
      ? {}
      : { null_elision_safe_fields: curation.null_elision_safe_fields }),
  };
}

function lifecycleOf(curation: OperationCuration): Partial<Op> {
  return {
    ...(curation.aliases === undefined ? {} : { aliases: curation.aliases }),
    ...(curation.deprecated_op_ids === undefined
      ? {}
      : { deprecated_op_ids: curation.deprecated_op_ids }),
    ...(curation.deprecated_variant_ids === undefined
      ? {}
      : { deprecated_variant_ids: curation.deprecated_variant_ids }),
    ...(curation.superseded_variant_ids === undefined
      ? {}
      : { superseded_variant_ids: curation.superseded_variant_ids }),
  };
}

/** Effects in the order of the enum, each once. */
export function sortEffects(effects: readonly Effect[]): Effect[] {
  return EFFECT_ORDER.filter((effect) => effects.includes(effect));
}

function typedCapabilities(method: DiscoveryMethod, http: HttpBinding): string[] {
  const atoms: string[] = [];
  if (method.supportsMediaDownload === true) atoms.push("media_download");
  if (http.media_upload?.multipart_path !== undefined) atoms.push("media_upload");
  if (http.media_upload?.resumable_path !== undefined) atoms.push("resumable_upload");
  const name = method.id.slice(method.id.lastIndexOf(".") + 1);
  if (name === "watch" || method.id.endsWith("channels.stop")) atoms.push("webhook_channel");
  if (/:(?:server)?stream/i.test(method.path)) atoms.push("server_streaming");
  return sortCapabilities(atoms);
}

const HTTP_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

function httpBinding(
  document: DiscoveryDocument,
  method: DiscoveryMethod,
  curation: OperationCuration,
): HttpBinding {
  const verb = HTTP_METHODS.find((known) => known === method.httpMethod);
  if (verb === undefined) {
    throw new TypeError(`${method.id}: HTTP method ${method.httpMethod} is not supported`);
  }
  let path = `${document.rootUrl}${document.servicePath}${method.path}`;
  for (const [name, value] of Object.entries(curation.fixed_path ?? {})) {
    path = path.replace(`{+${name}}`, value).replace(`{${name}}`, encodeURIComponent(value));
  }
  const upload = mediaUpload(document, method.mediaUpload);
  return {
    method: verb,
    path,
    ...(curation.header_params === undefined ? {} : { header_params: curation.header_params }),
    ...(upload === undefined ? {} : { media_upload: upload }),
  };
}

function mediaUpload(
  document: DiscoveryDocument,
  upload: DiscoveryMediaUpload | undefined,
): HttpBinding["media_upload"] {
  if (upload === undefined) return undefined;
  const absolute = (path: string): string => `${document.rootUrl}${path.replace(/^\/+/, "")}`;
  const { simple, resumable } = upload.protocols ?? {};
  const maxBytes = upload.maxSize === undefined ? undefined : Number(upload.maxSize);
  return {
    ...(simple?.path === undefined ? {} : { multipart_path: absolute(simple.path) }),
    ...(resumable?.path === undefined ? {} : { resumable_path: absolute(resumable.path) }),
    ...(upload.accept === undefined ? {} : { accept: upload.accept }),
    ...(maxBytes === undefined || !Number.isSafeInteger(maxBytes) ? {} : { max_bytes: maxBytes }),
  };
}

const VARIANT_KEY_ORDER: readonly (keyof Variant)[] = [
  "variant_id",
  "variant_schema_version",
  "version",
  "stability",
  "interface_kind",
  "backend_kind",
  "preferred",
  "risk_class",
  "risk_override",
  "risk_override_reason",
  "auth_strategy",
  "auth_components",
  "scopes",
  "confirmation_policy",
  "effects",
  "capabilities",
  "execution_support",
  "unsupported_capabilities",
  "default_fields",
  "default_page_size",
  "default_format",
  "output_profile",
  "null_elision_safe_fields",
  "raw_result_allowed",
  "annotations",
  "admin_policy",
  "quarantined",
  "stub_expires",
  "max_response_bytes",
  "schema_hashes",
  "binding",
];

/** Rewrites every variant's keys into the order of the interface (stable bytes). */
export function orderVariantKeys(op: Op): void {
  op.variants = op.variants.map((variant) => {
    const entries = VARIANT_KEY_ORDER.filter((key) => variant[key] !== undefined)
      .map((key) => [key, variant[key]]);
    return Object.fromEntries(entries) as Variant;
  });
}
