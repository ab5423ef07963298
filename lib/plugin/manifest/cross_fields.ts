/** Rules between fields that the outline cannot say (spec 06 §2.2.2). */

import { GumError } from "../../errors/mod.ts";
import { isJsonObject, type JsonObject } from "../../json/mod.ts";
import { attempt, invalidManifest, type Refusals, thrown } from "./refusals.ts";
import { isToolSelector } from "../selectors/mod.ts";

const SUFFIX = /^[a-z0-9][a-z0-9_.-]{0,63}$/;

/** Refuses with `PLUGIN_MANIFEST_INVALID` or `PLUGIN_FS_WRITE_OUTSIDE_SANDBOX`. */
export function checkCrossFields(tree: JsonObject, to: Refusals = thrown): void {
  const plugin = tableOf(tree.plugin);
  const tools = Array.isArray(tree.tools) ? tree.tools.map(tableOf) : [];
  const capabilities = tableOf(tree.declared_capabilities);
  attempt(to, () => checkExecutable(plugin, tree));
  attempt(to, () => checkWriteDir(capabilities.fs_write_dir, plugin.shape));
  checkNetHosts(capabilities.net_hosts, to);
  const suffixes = new Set<string>();
  tools.forEach((tool, index) => {
    const suffix = checkTool(tool, { index, pluginName: String(plugin.name), to });
    if (suffix === undefined) return;
    if (suffixes.has(suffix)) to(invalidManifest(`/tools/${index}/name`, "the name is used twice"));
    suffixes.add(suffix);
  });
  attempt(to, () => checkCanary(tableOf(tree.requirements).canary, tools));
  checkPackage(tableOf(tree.package), to);
}

/** Anything but a table is the outline's business. */
function tableOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function checkExecutable(plugin: JsonObject, tree: JsonObject): void {
  const problem = pathProblem(plugin.executable);
  if (problem !== undefined) throw invalidManifest("/plugin/executable", problem);
  const executable = String(plugin.executable).trim();
  if (plugin.shape === "deno-script" && !/\.(js|mjs|ts)$/.test(executable)) {
    throw invalidManifest("/plugin/executable", "the entry module must end in .js, .mjs or .ts");
  }
  const source = isJsonObject(tree.package) ? tree.package.source : undefined;
  if (source === "pypi" && plugin.shape === "deno-script") {
    throw invalidManifest("/package/source", "a deno-script does not come as a Python package");
  }
}

/** Why a path does not stay below its root; undefined when it does. */
function pathProblem(value: unknown): string | undefined {
  if (typeof value !== "string") return "is missing";
  const path = value.trim();
  if (path === "" || path === "." || path === "./") return "is empty";
  // deno-lint-ignore no-control-regex -- a control character in a path is never meant
  if (/[\u0000-\u001f\u007f]/.test(path)) return "holds a control character";
  if (path.includes("\\")) return "holds a backslash";
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) return "must be relative";
  return path.split("/").includes("..") ? "leaves its directory" : undefined;
}

function checkWriteDir(value: unknown, shape: unknown): void {
  if (value === undefined || value === "") return;
  // What stands behind a comma would be a permission of its own, for a place of its own.
  const splits = shape === "deno-script" && typeof value === "string" && value.includes(",");
  const problem = splits ? "holds a comma" : pathProblem(value);
  if (problem === undefined || problem === "is empty") return;
  throw new GumError("PLUGIN_FS_WRITE_OUTSIDE_SANDBOX", {
    message: `fs_write_dir ${problem}`,
    details: { path: String(value) },
  });
}

const NET_HOST =
  /^(\[[0-9A-Fa-f:]+\]|[A-Za-z0-9*]([A-Za-z0-9.*-]{0,252}[A-Za-z0-9])?)(:[0-9]{1,5})?$/;

/** Entries become one list of a permission flag, which has no way to quote a comma. */
function checkNetHosts(hosts: unknown, to: Refusals): void {
  (Array.isArray(hosts) ? hosts : []).forEach((host, index) => {
    if (typeof host === "string" && NET_HOST.test(host)) return;
    to(invalidManifest(`/declared_capabilities/net_hosts/${index}`, "is not a host"));
  });
}

function checkTool(
  tool: JsonObject,
  { index, pluginName, to }: { index: number; pluginName: string; to: Refusals },
): string | undefined {
  const at = (key: string) => `/tools/${index}/${key}`;
  if (tool.confirmation_policy === "high_stakes_write" && tool.risk_class !== "write") {
    to(invalidManifest(at("confirmation_policy"), "high_stakes_write belongs to a write"));
  }
  const suffix = tool.name ?? tool.tool_name;
  // A tool name that is no selector at all has its own code, later.
  const derived = tool.name !== undefined || isToolSelector(suffix);
  const named = typeof suffix === "string" && SUFFIX.test(suffix) && !suffix.includes("..");
  if (derived && !named) to(invalidManifest(at("name"), "is not a lowercase operation name"));
  attempt(to, () => checkExecutionSupport(tool, at));
  if (typeof suffix !== "string" || !derived || !named) return undefined;
  const opId = `plug.${pluginName}.${suffix}`;
  if (tool.op_id !== undefined && tool.op_id !== opId) {
    to(invalidManifest(at("op_id"), `must be ${opId}`));
  }
  if (tool.variant_id !== undefined && tool.variant_id !== `${opId}.v1`) {
    to(invalidManifest(at("variant_id"), `must be ${opId}.v1`));
  }
  return suffix;
}

/** The same rule as for embedded operations: how much is unsupported decides the word. */
function checkExecutionSupport(tool: JsonObject, at: (key: string) => string): void {
  const declared = new Set(
    Array.isArray(tool.capabilities) && tool.capabilities.length > 0
      ? tool.capabilities
      : ["json_request", "json_response"],
  );
  const listed = Array.isArray(tool.unsupported_capabilities) ? tool.unsupported_capabilities : [];
  const unsupported = new Set(listed);
  if (unsupported.size !== listed.length || [...unsupported].some((atom) => !declared.has(atom))) {
    throw invalidManifest(
      at("unsupported_capabilities"),
      "names a capability twice or one that is not declared",
    );
  }
  const support = tool.execution_support ?? "full";
  const legal = support === "full"
    ? unsupported.size === 0
    : support === "partial"
    ? unsupported.size > 0 && unsupported.size < declared.size
    : unsupported.size === declared.size;
  if (!legal) {
    throw invalidManifest(
      at("execution_support"),
      `${support} does not go with ${unsupported.size} of ${declared.size} capabilities unsupported`,
    );
  }
}

function checkCanary(canary: unknown, tools: readonly JsonObject[]): void {
  if (!isJsonObject(canary)) return;
  const tool = tools.find((candidate) => candidate.tool_name === canary.tool);
  if (tool === undefined) throw invalidManifest("/requirements/canary/tool", "is not advertised");
  if (tool.risk_class !== "read") {
    throw invalidManifest("/requirements/canary/tool", "must be a read");
  }
}

function checkPackage(given: JsonObject, to: Refusals): void {
  const source = given.source ?? "local";
  if (source === "local") return;
  const need = (key: "repository" | "ref" | "artifact" | "checksum") => {
    const value = given[key];
    if (typeof value === "string" && value.trim() !== "") return value;
    to(invalidManifest(`/package/${key}`, `is needed for the source ${String(source)}`));
    return undefined;
  };
  const repository = need("repository");
  need("ref");
  if (given.subdir !== undefined && given.subdir !== "") {
    const problem = pathProblem(given.subdir);
    if (problem !== undefined) to(invalidManifest("/package/subdir", problem));
  }
  if (source === "git") return;
  need("checksum");
  checkArtifact("/package", { source, repository, artifact: need("artifact") }, to);
  (Array.isArray(given.extra_artifacts) ? given.extra_artifacts : []).forEach((extra, index) => {
    if (!isJsonObject(extra)) return;
    const { repository = null, artifact = null } = extra;
    checkArtifact(`/package/extra_artifacts/${index}`, { source, repository, artifact }, to);
  });
}

/** Undefined: absent, which is already told. */
function checkArtifact(
  at: string,
  given: { source: unknown; repository: unknown; artifact: unknown },
  to: Refusals,
): void {
  const { source, repository, artifact } = given;
  const wanted = source === "pypi" ? PYTHON_PROJECT : HOSTED_REPOSITORY;
  if (repository !== undefined && (typeof repository !== "string" || !wanted.test(repository))) {
    to(invalidManifest(`${at}/repository`, "does not have the form that the source wants"));
  }
  if (artifact === undefined) return;
  if (typeof artifact !== "string" || !FILE_NAME.test(artifact)) {
    to(invalidManifest(`${at}/artifact`, "is not a plain file name"));
  } else if (source === "pypi" && !artifact.endsWith(".whl")) {
    // Anything but a wheel would run code of the package while it is being built.
    to(invalidManifest(`${at}/artifact`, "must be a wheel"));
  }
}

const HOSTED_REPOSITORY = /^[A-Za-z0-9][A-Za-z0-9-]{0,99}\/[A-Za-z0-9._-]{1,100}$/;
const PYTHON_PROJECT = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$/;
const FILE_NAME = /^[A-Za-z0-9_][A-Za-z0-9._+!-]{0,254}$/;
