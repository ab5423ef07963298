/** The methods of a service as they are on the wire, for a stand-in that answers them. */

import { openContainer } from "./container.ts";
import type { DiscoverySchema } from "../derive/mod.ts";
import type { MethodsChunk, PackSource, Renames, SchemasChunk } from "./types.ts";

/** An operation and where it is on the wire. */
export interface PlacedOperation {
  opId: string;
  service: string;
  httpMethod: string;
  /** Host and path template. */
  address: string;
  /** Names of the request and the response schema. */
  request: string;
  response: string;
}

/** Host and path template of a method. */
export function addressOf(
  document: { rootUrl: string; servicePath: string },
  path: string,
): string {
  const root = new URL(document.rootUrl);
  return root.host + `${root.pathname}${document.servicePath}${path}`.replace(/^\/*/, "/");
}

/** Every operation of some services of a pack, without its schemas. */
export function placedOperations(
  source: PackSource,
  wanted: (service: string) => boolean,
): PlacedOperation[] {
  const methods = openContainer(source, "methods.bin");
  return methods.rows.filter(([service]) => wanted(service)).flatMap((row) => {
    const chunk: MethodsChunk = JSON.parse(methods.text(row));
    return chunk.operations.flatMap(({ o, d, h, p, q = "", e = "" }): PlacedOperation[] => {
      const document = chunk.documents[d];
      if (document === undefined) return [];
      const address = addressOf(document, p);
      return [{ opId: o, service: row[0], httpMethod: h, address, request: q, response: e }];
    });
  });
}

/** Old ids of a pack and what they are now. */
export function packRenames(source: PackSource): Renames {
  return openContainer(source, "methods.bin").renames;
}

/** One method of one version. */
export interface LongTailMethod {
  id: string;
  opId: string;
  service: string;
  httpMethod: string;
  host: string;
  /** Path template from the root, with a leading slash. */
  path: string;
  scopes: string[];
  /** Query parameters that must be there. */
  requiredQuery: string[];
  request?: string;
  response?: string;
  /** Every schema of the version's document, strings spelled out. */
  schemas: Record<string, DiscoverySchema>;
}

/** Every method of a service in its main version; empty for a service that is not in the pack. */
export function longTailMethods(source: PackSource, service: string): LongTailMethod[] {
  const methods = openContainer(source, "methods.bin");
  const schemas = openContainer(source, "schemas.bin");
  const documents = new Map<string, SchemasChunk>();
  function schemasOf(version: string): SchemasChunk {
    const known = documents.get(version);
    if (known !== undefined) return known;
    const row = schemas.rows.find(([key]) => key === `${service} ${version}`);
    const parsed: SchemasChunk = row === undefined ? {} : JSON.parse(schemas.text(row));
    const spelled = Object.fromEntries(
      Object.entries(parsed).map(([name, schema]) => [name, typed(schema)]),
    );
    documents.set(version, spelled);
    return spelled;
  }
  return methods.rows.filter(([key]) => key === service).flatMap((row) => {
    const chunk: MethodsChunk = JSON.parse(methods.text(row));
    return chunk.operations.flatMap((packed): LongTailMethod[] => {
      const document = chunk.documents[packed.d];
      if (document === undefined) return [];
      const root = new URL(document.rootUrl);
      return [{
        id: packed.i,
        opId: packed.o,
        service: document.n,
        httpMethod: packed.h,
        host: root.hostname,
        path: `${root.pathname}${document.servicePath}${packed.p}`.replace(/^\/*/, "/"),
        scopes: (packed.c ?? []).map((at) => chunk.scopes[at] ?? ""),
        requiredQuery: Object.entries(packed.a ?? {})
          .filter(([, at]) => chunk.specs[at]?.required === true).map(([name]) => name),
        ...(packed.q === undefined ? {} : { request: packed.q }),
        ...(packed.e === undefined ? {} : { response: packed.e }),
        schemas: schemasOf(document.v),
      }];
    });
  });
}

/** The pack leaves out the types that go without saying. */
function typed(schema: DiscoverySchema): DiscoverySchema {
  const { properties, items, additionalProperties } = schema;
  const type = schema.type ??
    (properties !== undefined || additionalProperties !== undefined
      ? "object"
      : items !== undefined
      ? "array"
      : "string");
  return {
    ...schema,
    ...(schema.$ref === undefined ? { type } : {}),
    ...(items === undefined ? {} : { items: typed(items) }),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: typed(additionalProperties) }),
    ...(properties === undefined ? {} : {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, typed(property)]),
      ),
    }),
  };
}
