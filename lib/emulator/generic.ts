/** Answers for catalog operations without a stateful service, built from Discovery schemas. */

import { isJsonObject, type JsonObject, type JsonValue } from "../json/mod.ts";
import { type DiscoveryMethod, findMethod, loadDiscovery } from "./discovery.ts";
import type { OperationRegistry } from "./operations.ts";
import { paginate } from "./paging.ts";
import { hash32, hashHex, seededRandom } from "./random.ts";
import { buildValue, resolveSchema, type SchemaContext } from "./schema_values.ts";
import { type EmulatedAnswer, type EmulatedCall, EmulatedError } from "./service.ts";

/** Polls before a generic long-running operation is done. */
const GENERIC_POLLS = 2;

/** Schema-built answers, deterministic in seed, method and arguments. */
export class GenericServices {
  #methods: Promise<DiscoveryMethod[]> | undefined;
  readonly #longTail = new Map<string, DiscoveryMethod[]>();

  constructor(readonly options: { seed: number; operations: OperationRegistry }) {}

  /** The method that a request means; undefined when no document has one. */
  async match(
    method: string,
    host: string,
    path: string,
  ): Promise<{ method: DiscoveryMethod; params: Record<string, string> } | undefined> {
    const wanted = { method, host, path };
    return findMethod(await this.#load(), wanted) ??
      findMethod(await this.#longTailOf(host), wanted);
  }

  /** Methods of the pack; read when a host is first asked for something no document has. */
  async #longTailOf(host: string): Promise<DiscoveryMethod[]> {
    const known = this.#longTail.get(host);
    if (known !== undefined) return known;
    const { longTailOf } = await import("./long_tail.ts");
    const methods = longTailOf(host);
    this.#longTail.set(host, methods);
    return methods;
  }

  /** Scopes that a method accepts, by its Discovery id. */
  async scopesOf(methodId: string): Promise<readonly string[]> {
    const known = [await this.#load(), ...this.#longTail.values()].flat();
    return known.find((method) => method.id === methodId)?.scopes ?? [];
  }

  /** A schema-built answer. @throws EmulatedError 400 for a missing parameter or a foreign token. */
  answer(method: DiscoveryMethod, call: EmulatedCall): EmulatedAnswer {
    for (const name of method.requiredQuery) {
      if (!call.query.get(name)) {
        throw new EmulatedError(400, `Required parameter: ${name}`, {
          reason: "required",
          status: "INVALID_ARGUMENT",
        });
      }
    }
    if (method.httpMethod === "DELETE") return { status: 204 };
    if (method.response === undefined) return { status: 204 };
    const schema = resolveSchema(method.schemas, { $ref: method.response });
    const properties = isJsonObject(schema.properties ?? null)
      ? schema.properties as JsonObject
      : {};
    if ("done" in properties && "error" in properties && "name" in properties) {
      return { body: this.#startOperation(method, call) };
    }
    const context = this.#context(method, call);
    const listKey = listPropertyOf(method.schemas, properties);
    const body = listKey === undefined
      ? buildValue(schema, { ...context, name: method.response })
      : this.#list(properties, { listKey, method, call, context });
    if (!isJsonObject(body)) return { body };
    return { body: echo(body, { properties, method, call }) };
  }

  #load(): Promise<DiscoveryMethod[]> {
    return this.#methods ??= loadDiscovery();
  }

  #context(method: DiscoveryMethod, call: EmulatedCall): SchemaContext {
    // Paging and presentation do not change what there is.
    const query = [...call.query].filter(([name]) =>
      !/^(page|max|fields|alt|pretty|key$)/.test(name)
    );
    const identity = JSON.stringify([
      method.id,
      Object.values(call.params),
      query,
      call.accountEmail,
      method.httpMethod === "GET" ? null : hash32(new TextDecoder().decode(call.bodyBytes)),
    ]);
    return {
      schemas: method.schemas,
      random: seededRandom(this.options.seed, `generic/${identity}`),
      service: method.service,
      now: call.now,
      depth: 0,
      name: "",
      path: [],
    };
  }

  #list(
    properties: JsonObject,
    input: {
      listKey: string;
      method: DiscoveryMethod;
      call: EmulatedCall;
      context: SchemaContext;
    },
  ): JsonObject {
    const { listKey, method, call, context } = input;
    const total = 8 + context.random.fork("total").int(0, 42);
    const size = call.query.get("pageSize") ?? call.query.get("maxResults");
    const page = paginate(Array.from({ length: total }, (_, index) => index), {
      pageToken: call.query.get("pageToken"),
      pageSize: size,
      defaultSize: 10,
      maximumSize: 250,
      scope: `${method.id}?${JSON.stringify(call.params)}`,
    });
    const body: JsonObject = {};
    for (const [key, property] of Object.entries(properties)) {
      if (key === "nextPageToken" || key === "prevPageToken" || !isJsonObject(property)) continue;
      if (key === listKey) {
        const items = resolveSchema(method.schemas, property.items as JsonObject);
        body[key] = page.items.map((index) =>
          buildValue(items, {
            ...context,
            random: context.random.fork(`record ${index}`),
            depth: 1,
            name: key,
            path: [key],
          })
        );
        continue;
      }
      if (/^total|resultSizeEstimate/.test(key) && property.type !== "object") {
        body[key] = property.type === "string" ? String(total) : total;
        continue;
      }
      if (property.type === "array") continue;
      const value = buildValue(property, {
        ...context,
        random: context.random.fork(key),
        depth: 1,
        name: key,
        path: [key],
      });
      if (value !== undefined) body[key] = value;
    }
    if (page.nextPageToken !== undefined && "nextPageToken" in properties) {
      body.nextPageToken = page.nextPageToken;
    }
    return body;
  }

  #startOperation(method: DiscoveryMethod, call: EmulatedCall): JsonObject {
    const id = hashHex(`${method.id} ${JSON.stringify(call.params)} ${call.bodyBytes.length}`, 20);
    return this.options.operations.start({
      name: `operations/${id}`,
      polls: GENERIC_POLLS,
      host: call.host,
      metadata: { createTime: new Date(call.now).toISOString(), verb: method.id },
      response: { done: true, target: Object.values(call.params)[0] ?? "" },
    });
  }
}

/** The one array of records in a list response. */
function listPropertyOf(schemas: JsonObject, properties: JsonObject): string | undefined {
  const paged = "nextPageToken" in properties;
  const arrays = Object.entries(properties).filter(([, property]) =>
    isJsonObject(property) && property.type === "array" && isJsonObject(property.items ?? null) &&
    isJsonObject(resolveSchema(schemas, property.items as JsonObject).properties ?? null)
  );
  if (arrays.length === 0) return undefined;
  const small = Object.keys(properties).length <= 8;
  return paged || (small && arrays.length === 1) ? arrays[0]?.[0] : undefined;
}

/** Puts what the caller named into the record: path ids, and the body of a write. */
function echo(
  body: JsonObject,
  input: { properties: JsonObject; method: DiscoveryMethod; call: EmulatedCall },
): JsonObject {
  const { properties, method, call } = input;
  const named: JsonObject = {};
  const params = Object.entries(call.params);
  for (const [name, value] of params) if (name in properties) named[name] = value;
  const last = params[params.length - 1];
  if (last !== undefined && method.httpMethod !== "POST") {
    if ("id" in properties && stringProperty(properties.id)) named.id = last[1];
    if ("name" in properties && last[0] === "name") named.name = last[1];
  }
  const sent = call.body;
  const same = method.request !== undefined && method.request === method.response;
  if (same && isJsonObject(sent ?? null)) {
    for (const [key, value] of Object.entries(sent as JsonObject)) {
      if (key in properties) named[key] = value as JsonValue;
    }
  }
  return { ...body, ...named };
}

function stringProperty(schema: JsonValue | undefined): boolean {
  return isJsonObject(schema ?? null) && (schema as JsonObject).type === "string";
}
