/** Answers and small checks of the identity endpoints. */

import type { JsonObject } from "../json/mod.ts";
import { fromBase64, utf8 } from "./encoding.ts";
import { oauthErrorBody } from "./error_body.ts";
import type { EmulatedAnswer } from "./service.ts";

/** Google's words for an OAuth error. */
export function describeTokenError(error: string): string {
  switch (error) {
    case "invalid_grant":
      return "Token has been expired or revoked.";
    case "invalid_rapt":
      return "reauth related error (invalid_rapt)";
    case "invalid_client":
      return "The OAuth client was not found.";
    case "deleted_client":
      return "The OAuth client was deleted.";
    default:
      return "Bad Request";
  }
}

/** True for a redirect URI that a desktop client may use. */
export function isLoopbackRedirect(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return url.protocol === "http:" && /^(127\.0\.0\.1|localhost|\[::1\])$/.test(url.hostname);
}

/** A redirect that nobody may cache. */
export function redirectTo(url: URL): EmulatedAnswer {
  return {
    status: 302,
    headers: { location: url.href, "cache-control": "no-store" },
    contentType: "text/plain",
    body: new Uint8Array(),
  };
}

/** A plain-text answer. */
export function plain(status: number, text: string): EmulatedAnswer {
  return { status, contentType: "text/plain; charset=utf-8", body: utf8(text) };
}

/** An OAuth error answer. */
export function oauthError(status: number, error: string, description: string): EmulatedAnswer {
  return { status, body: oauthErrorBody(error, description) };
}

/** Claims of a JWT without checking its signature: the emulator has no one's public key. */
export function readJwt(text: string): JsonObject | undefined {
  const parts = text.split(".");
  if (parts.length !== 3) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(fromBase64(parts[1] as string))) as JsonObject;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
