/**
 * The directory of APIs and the signed list of their documents, as a release channel serves them: one
 * API that no build knows, in two versions.
 */

import { sha256Hex } from "../digest/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import type { EmulatedAnswer } from "./service.ts";

/** Address of the signed list; the signature is at the same address with `.sig`. */
export const EMULATED_LIST_URL = "https://www.googleapis.com/discovery/v1/apis/signed-list.json";

/** Public half of the emulator's own signing key; no build trusts it for anything else. */
export const EMULATED_LIST_KEY: Uint8Array<ArrayBuffer> = bytesOf(
  "82520cb5d35a475fbec1a3f34d4e818fdca8ecfc978136265f1e163555f98ece",
);

/** The private half is public as well: it signs nothing but this list. */
const SIGNING_KEY =
  "302e020100300506032b65700422042082c372e2d5f511d53e5ac6f3223faf400cc213fc1400aa892f1672e7514012b7";
const HOST = "tidetable.googleapis.com";
const LIST_REVISION = "20991231";

/** Answers of the directory; undefined for every other path. They need no credential. */
export async function answerDirectory(
  request: { host: string; path: string; query: URLSearchParams },
): Promise<EmulatedAnswer | undefined> {
  const { host, path, query } = request;
  if (host === HOST && path === "/$discovery/rest") {
    const version = VERSIONS.find((known) => known === query.get("version"));
    return version === undefined ? undefined : json(documentOf(version));
  }
  if (host !== "www.googleapis.com") return undefined;
  if (path === "/discovery/v1/apis") return json(directory());
  const list = new URL(EMULATED_LIST_URL).pathname;
  if (path === list) return json(await signedList());
  if (path !== `${list}.sig`) return undefined;
  const key = await crypto.subtle.importKey("pkcs8", bytesOf(SIGNING_KEY), "Ed25519", false, [
    "sign",
  ]);
  const signature = await crypto.subtle.sign("Ed25519", key, bytes(await signedList()));
  return { body: new Uint8Array(signature), contentType: "application/octet-stream" };
}

const VERSIONS = ["v1", "v1beta"] as const;

function json(content: JsonObject): EmulatedAnswer {
  return { body: bytes(content), contentType: "application/json; charset=UTF-8" };
}

function bytes(content: JsonObject): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${JSON.stringify(content, null, 1)}\n`);
}

function urlOf(version: string): string {
  return `https://${HOST}/$discovery/rest?version=${version}`;
}

function directory(): JsonObject {
  return {
    kind: "discovery#directoryList",
    discoveryVersion: "v1",
    items: VERSIONS.map((version) => ({
      kind: "discovery#directoryItem",
      id: `tidetable:${version}`,
      name: "tidetable",
      version,
      title: "Tide Table API",
      discoveryRestUrl: urlOf(version),
      preferred: version === "v1",
    })),
  };
}

async function signedList(): Promise<JsonObject> {
  const documents = await Promise.all(VERSIONS.map(async (version) => {
    const document = documentOf(version);
    return {
      api: "tidetable",
      version,
      revision: "20991230",
      sha256: await sha256Hex(bytes(document)),
      url: urlOf(version),
    };
  }));
  return { schema_version: 1, revision: LIST_REVISION, documents };
}

function documentOf(version: string): JsonObject {
  const readOnly = "https://www.googleapis.com/auth/tidetable.readonly";
  return {
    kind: "discovery#restDescription",
    name: "tidetable",
    version,
    title: "Tide Table API",
    revision: "20991230",
    rootUrl: `https://${HOST}/`,
    servicePath: "",
    auth: { oauth2: { scopes: { [readOnly]: { description: "See tide tables" } } } },
    schemas: {
      Tide: {
        id: "Tide",
        type: "object",
        properties: {
          time: { type: "string", format: "google-datetime" },
          heightMetres: { type: "number", format: "double" },
        },
      },
      ListTidesResponse: {
        id: "ListTidesResponse",
        type: "object",
        properties: {
          tides: { type: "array", items: { $ref: "Tide" } },
          nextPageToken: { type: "string" },
        },
      },
    },
    resources: {
      harbours: {
        resources: {
          tides: {
            methods: {
              list: {
                id: "tidetable.harbours.tides.list",
                path: `${version}/{+parent}/tides`,
                httpMethod: "GET",
                description: "Lists high and low water at a harbour.",
                parameters: {
                  parent: { type: "string", location: "path", required: true },
                  pageToken: { type: "string", location: "query" },
                },
                response: { $ref: "ListTidesResponse" },
                scopes: [readOnly],
              },
            },
          },
        },
      },
    },
  };
}

function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}
