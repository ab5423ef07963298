/** The pruned Discovery documents of the catalog, read when a generic answer first needs one. */

import { isJsonObject, type JsonObject, parseJson } from "../json/mod.ts";
import {
  bySpecificity,
  type CompiledPattern,
  compilePattern,
  matchPattern,
} from "./route_match.ts";

/** A Discovery method with what an answer needs. */
export interface DiscoveryMethod {
  id: string;
  httpMethod: string;
  host: string;
  pattern: CompiledPattern;
  /** Collections that a resource name runs through, e.g. spaces, then messages. */
  collections: readonly string[];
  scopes: readonly string[];
  /** Query parameters that must be there. */
  requiredQuery: readonly string[];
  /** Name of the response schema; undefined when the method answers nothing. */
  response?: string;
  /** Name of the request schema. */
  request?: string;
  schemas: JsonObject;
  service: string;
}

const FOLDER = new URL("../../catalog/discovery/", import.meta.url);

/** Methods of every document, most specific first. Empty where the documents are not shipped. */
export async function loadDiscovery(): Promise<DiscoveryMethod[]> {
  const methods: DiscoveryMethod[] = [];
  const names: string[] = [];
  try {
    for await (const entry of Deno.readDir(FOLDER)) {
      if (entry.isFile && /\.v?[\w.]+\.json$/.test(entry.name) && !entry.name.includes(".lock.")) {
        names.push(entry.name);
      }
    }
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
  for (const name of names.sort()) {
    const document = parseJson(await Deno.readTextFile(new URL(name, FOLDER)));
    if (isJsonObject(document)) readMethods(document, methods);
  }
  return methods.sort(bySpecificity);
}

function readMethods(document: JsonObject, into: DiscoveryMethod[]): void {
  const root = new URL(String(document.rootUrl ?? "https://invalid.example/"));
  const base = `${root.pathname}${String(document.servicePath ?? "")}`;
  const schemas = isJsonObject(document.schemas ?? null) ? document.schemas as JsonObject : {};
  const visit = (node: JsonObject): void => {
    for (const method of members(node.methods)) {
      const path = `${base}${String(method.path ?? "")}`.replace(/^\/*/, "/");
      const parameters = isJsonObject(method.parameters ?? null)
        ? method.parameters as JsonObject
        : {};
      into.push({
        id: String(method.id),
        httpMethod: String(method.httpMethod),
        host: root.hostname,
        pattern: compilePattern(path),
        collections: collectionsOf(String(method.id), String(method.path ?? "")),
        scopes: Array.isArray(method.scopes) ? method.scopes.map(String) : [],
        requiredQuery: Object.entries(parameters)
          .filter(([, spec]) =>
            isJsonObject(spec) && spec.required === true && spec.location === "query"
          )
          .map(([name]) => name),
        schemas,
        service: String(document.name ?? ""),
        ...referenceOf(method, "response"),
        ...referenceOf(method, "request"),
      });
    }
    for (const child of members(node.resources)) visit(child);
  };
  visit(document);
}

function members(value: unknown): JsonObject[] {
  return isJsonObject(value) ? Object.values(value).filter(isJsonObject) : [];
}

function referenceOf(method: JsonObject, key: "response" | "request"): Record<string, string> {
  const reference = isJsonObject(method[key] ?? null)
    ? (method[key] as JsonObject).$ref
    : undefined;
  return typeof reference === "string" ? { [key]: reference } : {};
}

/**
 * Methods of one service share templates such as `v1/{+name}`; what tells them apart is the shape
 * of the name, which the method id spells out collection by collection.
 */
function collectionsOf(id: string, path: string): string[] {
  const found = /^v[\w.]+\/\{\+\w+\}(.*)$/.exec(path);
  if (found === null) return [];
  const collections = id.split(".").slice(1, -1);
  const literals = (found[1] ?? "").split("/").filter((part) => part !== "");
  while (literals.length > 0 && literals.at(-1) === collections.at(-1)) {
    literals.pop();
    collections.pop();
  }
  return collections;
}

function hasShape(method: DiscoveryMethod, params: Record<string, string>): boolean {
  if (method.collections.length === 0) return true;
  const [name] = Object.values(params);
  const parts = (name ?? "").split("/");
  return parts.length === 2 * method.collections.length &&
    method.collections.every((collection, index) => parts[2 * index] === collection);
}

/** The method that a request means; `www.googleapis.com` serves every path. */
export function findMethod(
  methods: readonly DiscoveryMethod[],
  request: { method: string; host: string; path: string },
): { method: DiscoveryMethod; params: Record<string, string> } | undefined {
  let loose: { method: DiscoveryMethod; params: Record<string, string> } | undefined;
  for (const method of methods) {
    if (method.httpMethod !== request.method) continue;
    if (
      method.host !== request.host && request.host !== "www.googleapis.com" &&
      method.host !== "www.googleapis.com"
    ) continue;
    const params = matchPattern(method.pattern, request.path);
    if (params === undefined) continue;
    if (hasShape(method, params)) return { method, params };
    loose ??= { method, params };
  }
  return loose;
}
