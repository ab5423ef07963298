/** Resources and templates: what is listed, and reading one (spec 01 §3.11). */

import { opResource, schemaResource, variantResource } from "../lib/catalog/mod.ts";
import { jcs } from "../lib/format/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../lib/json/mod.ts";
import type { InactiveOperation } from "../lib/plugin/status/mod.ts";
import { readResultContents } from "./result_resource.ts";
import { type HelpTopic, loadHelpTopics } from "./help_topics.ts";
import { invalidParams, JsonRpcError, RPC_CODES, rpcData } from "./jsonrpc_error.ts";
import { pickedAccount } from "./picked_account.ts";
import type { Surface } from "./surface.ts";
import {
  canariesDocument,
  createHealthBoard,
  helpTopicsDocument,
  pluginsDocument,
} from "./toon_documents.ts";

/** The one item of a read. */
interface Contents {
  mimeType: string;
  text: string;
}

/** Serves the resource methods. */
export interface ResourceStore {
  /** Entries of `resources/list`, by URI. */
  readonly entries: JsonObject[];
  /** Entries of `resources/templates/list`, by template. */
  readonly templates: JsonObject[];
  readonly helpTopics: readonly HelpTopic[];
  /** The result of `resources/read`. @throws JsonRpcError */
  read(params: JsonObject): Promise<JsonObject>;
}

const JSON_TYPE = "application/json";
const MAX_PARAMETER_BYTES = 256;

const TEMPLATES: readonly JsonObject[] = [
  {
    uriTemplate: "gum://help/{topic}",
    name: "gum_help_topic",
    title: "Help topic",
    description: "One short guide, as markdown.",
    mimeType: "text/markdown",
  },
  {
    uriTemplate: "gum://op/{id}",
    name: "gum_op",
    title: "Operation",
    description: "The whole catalog record of an operation.",
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: "gum://plugin/{name}",
    name: "gum_plugin",
    title: "Plugin",
    description: "One installed plugin: status, variants, origin.",
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: "gum://results/{hash}",
    name: "gum_result_artifact",
    title: "Full result",
    description: "The unshaped result of an earlier call, while it is kept.",
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: "gum://schema/{ref}",
    name: "gum_schema",
    title: "Schema",
    description: "JSON Schema of an operation's arguments.",
    mimeType: "application/schema+json",
  },
  {
    uriTemplate: "gum://variant/{id}",
    name: "gum_variant",
    title: "Variant",
    description: "One way to run an operation, with the operation it belongs to.",
    mimeType: JSON_TYPE,
  },
];

/** First in the order of addresses, and only where accounts are configured. */
const ACCOUNTS_ENTRY: JsonObject = {
  uri: "gum://accounts",
  name: "gum_accounts",
  title: "Accounts",
  description: "Accounts that a call may pick, with their addresses and policies.",
  mimeType: JSON_TYPE,
};

function staticEntries(catalogSize: number): JsonObject[] {
  const status = (entry: { uri: string; name: string; title: string; description: string }) => ({
    ...entry,
    mimeType: "text/plain",
  });
  return [
    {
      uri: "gum://catalog",
      name: "gum_catalog",
      title: "Operation catalog",
      description: "Every operation of this build. Large: read single operations instead.",
      mimeType: JSON_TYPE,
      size: catalogSize,
      _meta: { "x-gum-do-not-auto-inject": true },
    },
    status({
      uri: "gum://help/topics",
      name: "gum_help_topics",
      title: "Help topics",
      description: "Index of the short guides.",
    }),
    status({
      uri: "gum://plugins",
      name: "gum_plugins",
      title: "Plugins",
      description: "Installed plugins and their status.",
    }),
    status({
      uri: "gum://status/canaries",
      name: "gum_status_canaries",
      title: "Plugin canaries",
      description: "Last canary runs of installed plugins.",
    }),
    status({
      uri: "gum://status/health",
      name: "gum_status_health",
      title: "Local health",
      description: "Local subsystems: audit log, caches, ledger, keychain, artifacts.",
    }),
  ];
}

/** Builds the store. @throws GumError `HELP_TOPIC_TOO_LARGE` */
export function createResources(surface: Surface): ResourceStore {
  const helpTopics = loadHelpTopics(surface.options.help);
  const health = createHealthBoard(surface);
  const fixed: Record<string, () => Contents | Promise<Contents>> = {
    "gum://catalog": () => catalogContents(surface),
    "gum://help/topics": () => plain(helpTopicsDocument(helpTopics)),
    "gum://plugins": () => plain(pluginsDocument(surface)),
    "gum://status/canaries": () => plain(canariesDocument(surface)),
    "gum://status/health": async () => plain(await health.document()),
  };
  const byPrefix: Record<string, (uri: string, parameter: string) => Contents> = {
    "gum://help/": (uri, topic) => helpContents(uri, topic, helpTopics),
    "gum://op/": (uri, id) => opContents(surface, uri, id),
    "gum://plugin/": (uri, name) => pluginContents(surface, uri, name),
    "gum://schema/": (uri, ref) => schemaContents(surface, uri, ref),
    "gum://variant/": (uri, id) => variantContents(surface, uri, id),
  };
  if (surface.session.accountLabels !== undefined) {
    fixed["gum://accounts"] = () => accountsContents(surface);
  }
  const contentsOf = (uri: string, meta: JsonObject): Contents | Promise<Contents> => {
    const known = Object.hasOwn(fixed, uri) ? fixed[uri] : undefined;
    if (known !== undefined) return known();
    if (uri.startsWith("gum://results/")) {
      return readResultContents(surface, uri, pickedAccount(meta));
    }
    for (const [prefix, read] of Object.entries(byPrefix)) {
      if (!uri.startsWith(prefix)) continue;
      const parameter = uri.slice(prefix.length);
      if (isParameter(parameter)) return read(uri, parameter);
    }
    const help = "gum://help/";
    throw resourceNotFound(
      uri,
      uri.startsWith(help)
        ? { topic: uri.slice(help.length) }
        : { detail: "no resource has this URI" },
    );
  };
  return {
    entries: [
      ...(surface.session.accountLabels === undefined ? [] : [ACCOUNTS_ENTRY]),
      ...staticEntries(surface.session.catalogBytes().length),
    ],
    templates: [...TEMPLATES],
    helpTopics,
    async read(params) {
      const { uri } = params;
      if (typeof uri !== "string") {
        throw invalidParams("Invalid params", {
          userMessage: "A read must name a resource.",
          suggestion: "Set params.uri to a URI from resources/list or a template.",
        });
      }
      const meta = isJsonObject(params._meta) ? params._meta : {};
      return { contents: [{ uri, ...await contentsOf(uri, meta) }] };
    },
  };
}

/** `-32004`; `detail` for everything but help topics, which carry `topic`. */
export function resourceNotFound(uri: string, details: JsonObject): JsonRpcError {
  const help = uri.startsWith("gum://help/");
  const catalog = uri.startsWith("gum://op/") || uri.startsWith("gum://variant/");
  return new JsonRpcError(
    RPC_CODES.resourceNotFound,
    "Resource not found",
    rpcData("RESOURCE_NOT_FOUND", {
      userMessage: "There is no such resource.",
      suggestion: help
        ? "Read gum://help/topics for the topics there are."
        : catalog
        ? "Find an operation with gum.search_apis."
        : "Use a URI from resources/list or a template.",
      details: { uri, ...details },
    }),
  );
}

function isParameter(text: string): boolean {
  return text !== "" && !/[/?#]/.test(text) &&
    new TextEncoder().encode(text).length <= MAX_PARAMETER_BYTES;
}

function plain(text: string): Contents {
  return { mimeType: "text/plain", text };
}

function canonical(value: unknown): Contents {
  return { mimeType: JSON_TYPE, text: jcs(value as JsonValue) };
}

async function accountsContents({ session }: Surface): Promise<Contents> {
  const own = await session.address?.() ?? null;
  return canonical({
    own: { profile: session.profileName, address: own },
    accounts: await session.accounts?.() ?? [],
  });
}

function catalogContents(surface: Surface): Contents {
  const bytes = surface.session.catalogBytes();
  if (bytes.length === 0) {
    throw resourceNotFound("gum://catalog", { detail: "this build has no catalog" });
  }
  return { mimeType: JSON_TYPE, text: new TextDecoder().decode(bytes) };
}

function helpContents(uri: string, topic: string, topics: readonly HelpTopic[]): Contents {
  const found = /^[a-z0-9-]+$/.test(topic)
    ? topics.find((entry) => entry.topic === topic)
    : undefined;
  if (found === undefined) throw resourceNotFound(uri, { topic });
  return found.status === "active"
    ? { mimeType: "text/markdown", text: found.body }
    : canonical({ redirect: found.redirect, status: "deprecated" });
}

function opContents(surface: Surface, uri: string, id: string): Contents {
  const op = opResource(id, surface.catalog);
  if (op !== undefined) return canonical(op);
  return inactiveContents(uri, {
    entry: surface.session.plugins?.lookup({ opId: id }),
    named: { op_id: id },
  });
}

function variantContents(surface: Surface, uri: string, id: string): Contents {
  const found = variantResource(id, surface.catalog);
  if (found !== undefined) return canonical(found);
  return inactiveContents(uri, {
    entry: surface.session.plugins?.lookup({ variantId: id }),
    named: { variant_id: id },
  });
}

/** What is said of a plugin operation that the session cannot run; never its schemas. */
function inactiveContents(
  uri: string,
  owner: { entry: InactiveOperation | undefined; named: JsonObject },
): Contents {
  const { entry, named } = owner;
  switch (entry?.status) {
    case undefined:
      throw resourceNotFound(uri, { detail: "not in active snapshot" });
    case "quarantined":
      throw new JsonRpcError(
        RPC_CODES.variantQuarantined,
        "Variant quarantined",
        rpcData("VARIANT_QUARANTINED", {
          userMessage: "The plugin behind this operation is quarantined.",
          suggestion: `Run: gum plugin reload ${entry.pluginName}`,
          details: { uri, ...named, ...(entry.reason === "" ? {} : { reason: entry.reason }) },
        }),
      );
    case "installed_pending_restart":
      return canonical({
        execution_support: "schema_only",
        reason: "Plugin installed but MCP server not yet restarted; restart to invoke.",
        status: entry.status,
      });
    case "needs_configuration":
      return canonical({
        execution_support: "schema_only",
        reason: "Plugin requires credential setup and a successful live canary before activation.",
        status: entry.status,
        credential_aliases: entry.credentialAliases ?? [],
      });
  }
}

function schemaContents(surface: Surface, uri: string, encodedRef: string): Contents {
  const found = schemaResource(encodedRef, surface.catalog);
  if (found.kind === "malformed") throw resourceNotFound(uri, { detail: found.detail });
  const document = found.kind === "found"
    ? found.document
    : surface.session.plugins?.schema(found.ref);
  if (document === undefined) {
    throw resourceNotFound(uri, { detail: found.kind === "absent" ? found.detail : "" });
  }
  return { ...canonical(document), mimeType: "application/schema+json" };
}

function pluginContents(surface: Surface, uri: string, name: string): Contents {
  const record = surface.session.plugins?.record(name);
  if (record === undefined) throw resourceNotFound(uri, { detail: "no plugin has this name" });
  return canonical(record);
}
