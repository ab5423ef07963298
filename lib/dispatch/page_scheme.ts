/** Where page tokens travel, in arguments and in answers (spec 02 §8.3). Pure. */

import type { CatalogSnapshot, FieldLocation, Op } from "../catalog/types.ts";
import { GumError } from "../errors/mod.ts";
import {
  isJsonObject,
  isRawNumber,
  type JsonObject,
  type JsonValue,
  readJson,
} from "../json/mod.ts";
import type { Invocation, ShapedResponse } from "./types.ts";

/** A token, or the number of the first row of the next page. */
export type PageToken = string | number;

/** How one operation counts its pages. */
export interface PageScheme {
  /** Top-level field that a mask must keep. */
  maskField: string;
  tokenIn(args: JsonObject): PageToken | undefined;
  withToken(args: JsonObject, token: PageToken): JsonObject;
  tokenOut(body: JsonValue): PageToken | undefined;
}

/** One page, read. */
export interface Page {
  body: JsonValue;
  key: string | undefined;
  records: JsonValue[];
  bytes: number;
  /** The token this page was asked for with. */
  token: PageToken | undefined;
  next: PageToken | undefined;
  warnings: readonly string[];
}

const REQUEST_NAMES = ["pageToken", "page_token"] as const;
const RESPONSE_NAMES = ["nextPageToken", "next_page_token"] as const;

/**
 * The scheme of an operation: what the catalog declares for the variant, else Google's usual names.
 *
 * @throws GumError `INVALID_ARGS` when the operation takes no page token.
 */
export function pageSchemeOf(catalog: CatalogSnapshot, invocation: Invocation): PageScheme {
  const op = catalog.findOp(invocation.opId);
  // An unknown operation is refused by the kernel, with suggestions.
  if (op === undefined) return schemeOf({ request: "pageToken", location: "query" });
  const wanted = invocation.requestedVariantId ?? op.default_variant_id;
  const variant = op.variants.find((candidate) => candidate.variant_id === wanted);
  const declared = variant?.pagination;
  if (declared !== undefined) {
    return schemeOf({ ...declared, location: locationOf(op, declared.request) ?? "query" });
  }
  for (const request of REQUEST_NAMES) {
    const location = locationOf(op, request);
    if (location !== undefined) return schemeOf({ request, location });
  }
  if (op.request_fields === undefined) return schemeOf({ request: "pageToken", location: "query" });
  throw new GumError("INVALID_ARGS", {
    message: `${op.op_id} has no pages: it takes no page token`,
    details: {
      op_id: op.op_id,
      field: "page_all",
      missing: [],
      unknown: [],
      type_errors: [],
    },
    suggestion: "Leave out the page flags.",
  });
}

function locationOf(op: Op, name: string): FieldLocation | undefined {
  return op.request_fields?.find((field) => field.name === name)?.location;
}

function schemeOf(
  names: { request: string; response?: string; location: FieldLocation },
): PageScheme {
  const { request, response, location } = names;
  // In a given body the token belongs there; otherwise the kernel moves it to where it is declared.
  const bodyOf = (args: JsonObject) =>
    location === "body" && isJsonObject(args.body) ? args.body : undefined;
  return {
    maskField: response?.split(".")[0] ??
      (request === "page_token" ? RESPONSE_NAMES[1] : RESPONSE_NAMES[0]),
    tokenIn(args) {
      return tokenOf(args[request]) ?? tokenOf(bodyOf(args)?.[request]);
    },
    withToken(args, token) {
      const body = bodyOf(args);
      if (body === undefined) return { ...args, [request]: token };
      const { [request]: _flat, ...rest } = args;
      return { ...rest, body: { ...body, [request]: token } };
    },
    tokenOut: (answer) => answerToken(answer, response),
  };
}

/** The token of an answer, at its declared path or else under Google's usual names. */
export function answerToken(answer: JsonValue, path?: string): PageToken | undefined {
  if (path !== undefined) return tokenOf(at(answer, path));
  if (!isJsonObject(answer)) return undefined;
  return RESPONSE_NAMES.map((name) => tokenOf(answer[name])).find((token) => token !== undefined);
}

/** An empty token means "no more" as much as a missing one. */
function tokenOf(value: JsonValue | undefined): PageToken | undefined {
  if (isRawNumber(value)) return value.rawJSON;
  return (typeof value === "string" && value !== "") || typeof value === "number"
    ? value
    : undefined;
}

function at(value: JsonValue, path: string): JsonValue | undefined {
  let current: JsonValue | undefined = value;
  for (const step of path.split(".")) {
    if (Array.isArray(current)) current = current[Number(step)];
    else {current = isJsonObject(current) && Object.hasOwn(current, step)
        ? current[step]
        : undefined;}
  }
  return current;
}

/** Reads the unshaped answer of a page. */
export function pageBody(
  response: ShapedResponse,
  reading: {
    scheme: PageScheme;
    recordKey: (object: JsonObject) => string | undefined;
    /** Where the pages before had their records. */
    knownKey?: string;
    token: PageToken | undefined;
  },
): Page {
  const { scheme, recordKey, knownKey, token } = reading;
  const body = parsed(response);
  // A page may lack its list, or hold another beside it; neither changes what the records are.
  const key = isJsonObject(body) ? knownKey ?? recordKey(body) : undefined;
  const list = Array.isArray(body) ? body : key === undefined ? [] : (body as JsonObject)[key];
  return {
    body,
    key,
    records: Array.isArray(list) ? list : [],
    bytes: response.body.length,
    token,
    next: scheme.tokenOut(body),
    warnings: response.validationWarnings,
  };
}

function parsed(response: ShapedResponse): JsonValue {
  const text = new TextDecoder().decode(response.body);
  if (text.trim() === "") return {};
  try {
    return readJson(text).value;
  } catch (cause) {
    throw new GumError("SERVICE_DOWN", {
      message: "a page is not JSON",
      details: { op_id: response.opId, reason: "decode" },
      userMessage: "The service answered something that is no list.",
      retryable: false,
      cause,
    });
  }
}
