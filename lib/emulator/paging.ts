/** Opaque page tokens, as list methods give them out. */

import { base64Url, fromBase64, utf8 } from "./encoding.ts";
import { hash32 } from "./random.ts";
import { EmulatedError } from "./service.ts";

/** One page of a list. */
export interface Page<T> {
  items: T[];
  /** Absent on the last page. */
  nextPageToken?: string;
}

/** How a list is cut. */
export interface PageRequest {
  /** The caller's token; empty or absent means the first page. */
  pageToken?: string | null;
  /** The caller's page size as sent; invalid or absent means the default. */
  pageSize?: string | number | null;
  defaultSize: number;
  maximumSize: number;
  /** What the token is bound to (method plus the arguments that select): a foreign token is refused. */
  scope: string;
  /** `reason` of the refusal; Google's services differ. Default `invalidParameter`. */
  reason?: string;
  /** Message of the refusal. */
  message?: string;
}

/** Page size after the service's limits. */
function pageSizeOf(
  request: Pick<PageRequest, "pageSize" | "defaultSize" | "maximumSize">,
): number {
  const asked = Number(request.pageSize ?? "");
  if (!Number.isInteger(asked) || asked <= 0) return request.defaultSize;
  return Math.min(asked, request.maximumSize);
}

/**
 * Cuts one page out of `items`.
 *
 * @throws EmulatedError 400 for a token of another list or of nobody.
 */
export function paginate<T>(items: readonly T[], request: PageRequest): Page<T> {
  const size = pageSizeOf(request);
  const start = request.pageToken ? decodePageToken(request.pageToken, request) : 0;
  const page: Page<T> = { items: items.slice(start, start + size) };
  if (start + size < items.length) {
    page.nextPageToken = encodePageToken(start + size, request.scope);
  }
  return page;
}

/** A token for the record at `offset` of the list that `scope` names. */
function encodePageToken(offset: number, scope: string): string {
  const seal = hash32(`${scope}#${offset}`, 0x5bd1e995).toString(16).padStart(8, "0");
  return base64Url(utf8(`~!!~AI9FV7${seal}:${offset}`));
}

/** The offset in a token of this list. @throws EmulatedError 400 otherwise. */
function decodePageToken(
  token: string,
  request: Pick<PageRequest, "scope" | "reason" | "message">,
): number {
  let text = "";
  try {
    text = new TextDecoder().decode(fromBase64(token));
  } catch (error) {
    // Not even base64: the same refusal as any other foreign token.
    if (!(error instanceof SyntaxError)) throw error;
  }
  const offset = Number(/^~!!~AI9FV7[0-9a-f]{8}:([0-9]{1,9})$/.exec(text)?.[1] ?? "-1");
  if (offset < 0 || encodePageToken(offset, request.scope) !== token) {
    throw new EmulatedError(400, request.message ?? "Invalid pageToken", {
      reason: request.reason ?? "invalidParameter",
      status: "INVALID_ARGUMENT",
    });
  }
  return offset;
}
