/** The loopback redirect target of one sign-in (spec 05 §3.6 steps 3, 8, 9). */

import type { AuthStrategy } from "../../catalog/types.ts";
import { type CallbackResult, judgeCallback } from "./callback.ts";

const CALLBACK_PATH = "/oauth/callback";
const SHUTDOWN_MS = 2_000;

const HEADERS = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'",
  "content-type": "text/plain; charset=utf-8",
  "x-content-type-options": "nosniff",
  connection: "close",
};

/** A listening redirect target. */
export interface Loopback {
  readonly redirectUri: string;
  /** The first answer that counts; later ones change nothing. */
  readonly outcome: Promise<CallbackResult>;
  /** Judges a redirect address that a person copied; undefined when it is no address of this flow. */
  submit(address: string): CallbackResult | undefined;
  /** Stops listening; done within two seconds. */
  close(): Promise<void>;
}

/** Starts listening on a free loopback port. */
export function startLoopback(expected: { state: string; strategy: AuthStrategy }): Loopback {
  const { promise: outcome, resolve } = Promise.withResolvers<CallbackResult>();
  let settled = false;
  const settle = (parameters: URLSearchParams): CallbackResult | undefined => {
    if (settled) return undefined;
    settled = true;
    const result = judgeCallback(parameters, expected);
    resolve(result);
    return result;
  };
  const hardStop = new AbortController();
  const server = listen(hardStop.signal, (request, authority) => {
    if (request.headers.get("host") !== authority) {
      return plain(400, "This address belongs to a sign-in on this machine.");
    }
    const url = new URL(request.url);
    if (url.pathname !== CALLBACK_PATH) return plain(404, "Nothing here.");
    if (request.method !== "GET") return plain(405, "Only GET is answered.", { allow: "GET" });
    const result = settle(url.searchParams);
    if (result === undefined) return plain(200, "This sign-in has already been answered.");
    return result.kind === "code"
      ? plain(200, "Thank you. GUM has your answer; you can close this tab.")
      : plain(400, `The sign-in did not work: ${result.error.message}. You can close this tab.`);
  });
  return {
    redirectUri: `http://${server.authority}${CALLBACK_PATH}`,
    outcome,
    submit(address) {
      const copied = address.trim();
      if (!URL.canParse(copied)) return undefined;
      const url = new URL(copied);
      if (url.pathname !== CALLBACK_PATH || url.host !== server.authority) return undefined;
      return settle(url.searchParams);
    },
    async close() {
      const timer = setTimeout(() => hardStop.abort(), SHUTDOWN_MS);
      await server.shutdown();
      clearTimeout(timer);
    },
  };
}

interface Listening {
  authority: string;
  shutdown(): Promise<void>;
}

function listen(
  signal: AbortSignal,
  answer: (request: Request, authority: string) => Response,
): Listening {
  const serve = (hostname: string, shown: string): Listening => {
    const bound = { authority: "" };
    const server = Deno.serve(
      { hostname, port: 0, signal, onListen() {} },
      (request) => answer(request, bound.authority),
    );
    const authority = bound.authority = `${shown}:${server.addr.port}`;
    return { authority, shutdown: () => server.shutdown() };
  };
  try {
    return serve("127.0.0.1", "127.0.0.1");
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    return serve("::1", "[::1]");
  }
}

function plain(status: number, text: string, more: Record<string, string> = {}): Response {
  return new Response(text + "\n", { status, headers: { ...HEADERS, ...more } });
}
