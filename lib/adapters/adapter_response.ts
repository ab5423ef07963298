/** From a successful answer to what an adapter hands to the kernel. */

import type { AdapterResponse } from "../dispatch/types.ts";
import type { HttpAnswer } from "../http/mod.ts";

/** The answer's body as it came; an adapter adds what it alone knows. */
export function adapterResponse(answer: HttpAnswer): AdapterResponse {
  return {
    body: answer.body,
    format: "json",
    status: answer.status,
    contentType: answer.headers.get("content-type") ?? undefined,
    bytesIn: answer.bytesIn,
    bytesOut: answer.bytesOut,
  };
}
