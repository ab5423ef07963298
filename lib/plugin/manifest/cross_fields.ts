/** Rules between fields that the outline cannot say (spec 06 §2.2.2). */

import { GumError } from "../../errors/mod.ts";
import { isJsonObject, type JsonObject } from "../../json/mod.ts";
import { invalidManifest } from "./refusals.ts";
import { isToolSelector } from "./selectors.ts";

const SUFFIX = /^[a-z0-9][a-z0-9_.-]{0,63}$/;

/** @throws GumError `PLUGIN_MANIFEST_INVALID` or `PLUGIN_FS_WRITE_OUTSIDE_SANDBOX` */
export function checkCrossFields(tree: JsonObject): void {
  // The outline is checked: these are tables or absent.
  const plugin = tree.plugin as JsonObject;
  const tools = (tree.tools ?? []) as JsonObject[];
  const requirements = (tree.requirements ?? {}) as JsonObject;
  const capabilities = (tree.declared_capabilities ?? {}) as JsonObject;
  checkExecutable(plugin, tree);
  checkWriteDir(capabilities.fs_write_dir);
  checkNetHosts(capabilities.net_hosts);
  const suffixes = new Set<string>();
  tools.forEach((tool, index) => {
    const suffix = checkTool(tool, { index, pluginName: String(plugin.name) });
    if (suffix === undefined) return;
    if (suffixes.has(suffix)) {
      throw invalidManifest(`/tools/${index}/name`, "the name is used twice");
    }
    suffixes.add(suffix);
  });
  checkCanary(requirements.canary, tools);
  checkPackage(tree);
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

function checkWriteDir(value: unknown): void {
  if (value === undefined || value === "") return;
  const problem = pathProblem(value);
  if (problem === undefined || problem === "is empty") return;
  throw new GumError("PLUGIN_FS_WRITE_OUTSIDE_SANDBOX", {
    message: `fs_write_dir ${problem}`,
    details: { path: String(value) },
  });
}

const NET_HOST =
  /^(\[[0-9A-Fa-f:]+\]|[A-Za-z0-9*]([A-Za-z0-9.*-]{0,252}[A-Za-z0-9])?)(:[0-9]{1,5})?$/;

/** Entries become one list of a permission flag, which has no way to quote a comma. */
function checkNetHosts(hosts: unknown): void {
  (Array.isArray(hosts) ? hosts : []).forEach((host, index) => {
    if (typeof host === "string" && NET_HOST.test(host)) return;
    throw invalidManifest(`/declared_capabilities/net_hosts/${index}`, "is not a host");
  });
}

function checkTool(
  tool: JsonObject,
  { index, pluginName }: { index: number; pluginName: string },
): string | undefined {
  const at = (key: string) => `/tools/${index}/${key}`;
  if (tool.confirmation_policy === "high_stakes_write" && tool.risk_class !== "write") {
    throw invalidManifest(at("confirmation_policy"), "high_stakes_write belongs to a write");
  }
  const suffix = tool.name ?? tool.tool_name;
  // A tool name that is no selector at all has its own code, later.
  const derived = tool.name !== undefined || isToolSelector(suffix);
  if (derived && (typeof suffix !== "string" || !SUFFIX.test(suffix) || suffix.includes(".."))) {
    throw invalidManifest(at("name"), "is not a lowercase operation name");
  }
  checkExecutionSupport(tool, at);
  if (typeof suffix !== "string" || !derived) return undefined;
  const opId = `plug.${pluginName}.${suffix}`;
  if (tool.op_id !== undefined && tool.op_id !== opId) {
    throw invalidManifest(at("op_id"), `must be ${opId}`);
  }
  if (tool.variant_id !== undefined && tool.variant_id !== `${opId}.v1`) {
    throw invalidManifest(at("variant_id"), `must be ${opId}.v1`);
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

function checkPackage(tree: JsonObject): void {
  const given = isJsonObject(tree.package) ? tree.package : {};
  const source = given.source ?? "local";
  const need = (key: "repository" | "ref" | "artifact" | "checksum") => {
    const value = given[key];
    if (typeof value !== "string" || value.trim() === "") {
      throw invalidManifest(`/package/${key}`, `is needed for the source ${String(source)}`);
    }
    return value;
  };
  if (source === "local") return;
  const repository = need("repository");
  need("ref");
  if (given.subdir !== undefined && given.subdir !== "") {
    const problem = pathProblem(given.subdir);
    if (problem !== undefined) throw invalidManifest("/package/subdir", problem);
  }
  if (source === "git") return;
  need("checksum");
  const artifacts: [string, unknown, unknown][] = [["/package", repository, need("artifact")]];
  (Array.isArray(given.extra_artifacts) ? given.extra_artifacts : []).forEach((extra, index) => {
    if (!isJsonObject(extra)) return;
    artifacts.push([`/package/extra_artifacts/${index}`, extra.repository, extra.artifact]);
  });
  for (const [at, from, artifact] of artifacts) {
    const wanted = source === "pypi" ? PYTHON_PROJECT : HOSTED_REPOSITORY;
    if (typeof from !== "string" || !wanted.test(from)) {
      throw invalidManifest(`${at}/repository`, "does not have the form that the source wants");
    }
    if (typeof artifact !== "string" || !FILE_NAME.test(artifact)) {
      throw invalidManifest(`${at}/artifact`, "is not a plain file name");
    }
    // Anything but a wheel would run code of the package while it is being built.
    if (source === "pypi" && !artifact.endsWith(".whl")) {
      throw invalidManifest(`${at}/artifact`, "must be a wheel");
    }
  }
}

const HOSTED_REPOSITORY = /^[A-Za-z0-9][A-Za-z0-9-]{0,99}\/[A-Za-z0-9._-]{1,100}$/;
const PYTHON_PROJECT = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$/;
const FILE_NAME = /^[A-Za-z0-9_][A-Za-z0-9._+!-]{0,254}$/;
