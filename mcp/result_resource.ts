/** `gum://results/{hash}` (spec 01 §3.11, 03 §3.14): every miss is the same error. */

import { findGumError, type GumError } from "../lib/errors/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { JsonRpcError, RPC_CODES, rpcData } from "./jsonrpc_error.ts";
import type { Surface } from "./surface.ts";

/** Reads a kept result by its URI. @throws JsonRpcError */
export async function readResultContents(
  surface: Surface,
  uri: string,
  from: { account?: string } = {},
): Promise<{ mimeType: string; text: string }> {
  const { session } = surface;
  if (session.readResult === undefined) throw expired(uri, undefined);
  try {
    return { mimeType: "application/json", text: await session.readResult(uri, from) };
  } catch (error) {
    const miss = findGumError(error, "RESULT_ARTIFACT_EXPIRED");
    if (miss !== undefined) throw expired(uri, miss);
    throw findGumError(error, "POLICY_DENIED") === undefined ? error : expired(uri, undefined);
  }
}

function expired(uri: string, miss: GumError | undefined): JsonRpcError {
  const hash = uri.slice("gum://results/".length);
  const known: JsonObject = miss?.details ?? {
    hash: /^[0-9a-f]+$/.test(hash) ? hash : "",
    expires_at: null,
  };
  return new JsonRpcError(
    RPC_CODES.artifactExpired,
    "Result artifact expired",
    rpcData("RESULT_ARTIFACT_EXPIRED", {
      userMessage: miss?.userMessage ?? "This saved result is no longer there.",
      suggestion: miss?.suggestion ?? "Run the operation that made it again.",
      details: { hash: known.hash ?? "", uri, expires_at: known.expires_at ?? null },
    }),
  );
}
