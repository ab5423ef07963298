/** State of one client connection, and what a client says about itself on either protocol style. */

import { isJsonObject, type JsonObject, type JsonValue } from "../lib/json/mod.ts";
import type { ConnectionState, OperationHandle } from "./types.ts";

/** How many issued hashes and operation handles a session remembers. */
export const REMEMBERED = 50;

/** State for a new connection. */
export function createConnection(era: ConnectionState["era"]): ConnectionState {
  return { era, resultHashes: [], operationHandles: [], waitingForms: new Map() };
}

/** Remembers the hash behind a `gum://results/…` link, newest first. */
export function rememberResult(connection: ConnectionState, resource: string | undefined): void {
  const hash = resource?.split("/").at(-1);
  if (hash !== undefined && hash !== "") remember(connection.resultHashes, hash, (known) => known);
}

/** Remembers a long-running operation, newest first. */
export function rememberOperation(connection: ConnectionState, handle: OperationHandle): void {
  remember(connection.operationHandles, handle, (known) => known.name);
}

function remember<T>(list: T[], entry: T, key: (item: T) => string): void {
  const known = list.findIndex((item) => key(item) === key(entry));
  if (known >= 0) list.splice(known, 1);
  list.unshift(entry);
  list.length = Math.min(list.length, REMEMBERED);
}

/** Name and capabilities of the client behind a request. */
export interface ClientIdentity {
  name: string;
  capabilities: JsonObject;
}

/** What identifies the client: a handshake on the 2025 revisions, the request's envelope on 2026. */
export interface IdentitySources {
  era: ConnectionState["era"];
  /** `ctx.mcpReq.envelope`. */
  envelope: unknown;
  /** Of the handshake. */
  clientInfo: unknown;
  clientCapabilities: unknown;
}

/**
 * Reads a client's identity. The era of the connection decides, not the presence of an envelope: a
 * client may put one on a request of a 2025 session.
 */
export function clientIdentity(sources: IdentitySources): ClientIdentity {
  const envelope = isJsonObject(sources.envelope) ? sources.envelope : {};
  const modern = sources.era === "modern";
  const info = modern ? envelope["io.modelcontextprotocol/clientInfo"] : sources.clientInfo;
  const capabilities = modern
    ? envelope["io.modelcontextprotocol/clientCapabilities"]
    : sources.clientCapabilities;
  const name = isJsonObject(info) ? info.name : undefined;
  return {
    name: typeof name === "string" ? name : "",
    capabilities: isJsonObject(capabilities) ? capabilities as Record<string, JsonValue> : {},
  };
}
