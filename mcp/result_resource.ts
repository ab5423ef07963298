/** `gum://results/{hash}` (spec 01 §3.11, 03 §3.14): every miss is the same error. */

import { jcs } from "../lib/format/mod.ts";
import { parseJson } from "../lib/json/mod.ts";
import { JsonRpcError, RPC_CODES, rpcData } from "./jsonrpc_error.ts";
import type { Surface } from "./surface.ts";

const PREFIX = "gum://results/";

/** Reads a kept result by its URI. */
export type ResultReader = (uri: string) => Promise<{ mimeType: string; text: string }>;

/** The reader over the session's artifacts. */
export function createResultReader(surface: Surface): ResultReader {
  return async (uri) => {
    const hash = uri.slice(PREFIX.length);
    if (!/^[0-9a-f]+$/.test(hash)) throw expired(uri, { hash: "", expiresAt: null });
    const found = await surface.session.results?.(hash);
    if (found === undefined || found.kind === "absent") {
      throw expired(uri, { hash, expiresAt: null });
    }
    if (found.kind === "expired") throw expired(uri, { hash, expiresAt: found.expiresAt });
    return { mimeType: "application/json", text: jcs(parseJson(found.text)) };
  };
}

function expired(uri: string, miss: { hash: string; expiresAt: string | null }): JsonRpcError {
  return new JsonRpcError(
    RPC_CODES.artifactExpired,
    "Result artifact expired",
    rpcData("RESULT_ARTIFACT_EXPIRED", {
      userMessage: "This result is no longer kept.",
      suggestion: "Run the operation that produced it again.",
      details: { hash: miss.hash, uri, expires_at: miss.expiresAt },
    }),
  );
}
