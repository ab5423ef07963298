/** Reading requests and writing refusals around the emulated services. */

import { type JsonValue, parseJson } from "../json/mod.ts";
import { isMapsWebService, RefusedCall } from "./credentials.ts";
import { utf8 } from "./encoding.ts";
import { bodyOfEmulatedError } from "./error_body.ts";
import { readFaultEffect, type WireAnswer } from "./faults.ts";
import { type EmulatedAnswer, EmulatedError } from "./service.ts";
import type { FaultEffect } from "./types.ts";

/** Header by which one request brings its own fault, as the JSON of a `FaultEffect`. */
const FAULT_HEADER = "x-gum-emulator-fault";

/** The fault that the request itself asks for; a refusal when it is none. */
export function faultOfHeader(headers: Headers): FaultEffect | Response | undefined {
  const text = headers.get(FAULT_HEADER);
  if (text === null) return undefined;
  try {
    return readFaultEffect(JSON.parse(text) as JsonValue);
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    return new Response(`${FAULT_HEADER}: ${error.message}\n`, { status: 400 });
  }
}

/** The JSON body of a request; undefined when there is none. @throws EmulatedError 400. */
export function parseBody(headers: Headers, bytes: Uint8Array): JsonValue | undefined {
  if (bytes.length === 0) return undefined;
  const type = headers.get("content-type") ?? "";
  const declared = type === "" || /json/i.test(type);
  if (!declared && !/^text\/plain/i.test(type)) return undefined;
  try {
    return parseJson(new TextDecoder().decode(bytes));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // Text that never claimed to be JSON is a service's business (an uploaded file, say).
    if (!declared) return undefined;
    throw new EmulatedError(
      400,
      "Invalid JSON payload received. Unexpected token.\n" +
        new TextDecoder().decode(bytes.subarray(0, 60)),
      { reason: "parseError", status: "INVALID_ARGUMENT" },
    );
  }
}

/** The answer that a refusal becomes; Maps web services report theirs inside a 200. */
export function refusalAnswer(
  error: EmulatedError,
  framed: { host: string; path: string },
): EmulatedAnswer {
  if (
    isMapsWebService(framed.host, framed.path) && (error.status === 400 || error.status === 403)
  ) {
    // Maps web services report a refused key inside a 200.
    const message = error.status === 400
      ? "The provided API key is invalid."
      : "You must use an API key to authenticate each request to Google Maps Platform APIs.";
    return { status: 200, body: { error_message: message, results: [], status: "REQUEST_DENIED" } };
  }
  return {
    status: error.status,
    body: bodyOfEmulatedError(error, framed.host),
    headers: error instanceof RefusedCall ? error.headers : {},
  };
}

/** Google's page for a path that nothing serves. */
export function notFoundPage(path: string): EmulatedAnswer {
  const shown = path.slice(0, 120).replace(/[<>&"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return {
    status: 404,
    contentType: "text/html; charset=UTF-8",
    body: utf8(
      `<!DOCTYPE html>\n<html lang=en>\n<title>Error 404 (Not Found)</title>\n` +
        `<p><b>404.</b> <ins>That is an error.</ins>\n` +
        `<p>The requested URL <code>${shown}</code> was not found on this server.\n`,
    ),
  };
}

/** The body for a `Response`, which must be null for some statuses. */
export function bodyOf(wire: WireAnswer): Uint8Array<ArrayBuffer> | null {
  const bodyless = wire.status === 204 || wire.status === 304 || wire.status === 205;
  return bodyless ? null : wire.bytes;
}
