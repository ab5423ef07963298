/**
 * The one HTTP client (spec 02 §3.11.2, §3.11.3; 12 §6.1): where credentials may go, redirects
 * followed by hand, size caps, time limits that cover the body, and an attempt policy that never
 * replays a write.
 *
 * ```ts
 * import { createHttpClient, sendWithAttempts } from "./mod.ts";
 *
 * async function about(signal: AbortSignal): Promise<number> {
 *   using client = createHttpClient();
 *   const url = new URL("https://www.googleapis.com/drive/v3/about?fields=user");
 *   const request = { method: "GET", url, headers: {} };
 *   return (await sendWithAttempts(client, { request, repeatable: true }, signal)).status;
 * }
 * ```
 *
 * @module
 */
export {
  createHttpClient,
  type HttpAnswer,
  type HttpClient,
  type HttpClientOptions,
  type HttpRequest,
  type StreamingHttpClient,
} from "./client.ts";
export { type Attempter, type AttemptPlan, sendWithAttempts } from "./attempts.ts";
export { type HttpStream, streaming, type StreamRequest } from "./stream.ts";
export { credentialHostAllowed } from "./credential_host.ts";
export { RESPONSE_CAP } from "./body.ts";
export { createRetryBudget, type RetryBudget } from "./retry_budget.ts";
