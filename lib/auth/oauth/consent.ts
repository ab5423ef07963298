/** One trip through the authorization page: from the address to the tokens (spec 05 §3.6). */

import type { AuthStrategy } from "../../catalog/types.ts";
import type { Clock } from "../../clock/mod.ts";
import type { HttpClient } from "../../http/mod.ts";
import { orAborted } from "../abortable.ts";
import { AuthError } from "../errors.ts";
import { sortedScopes } from "../scopes.ts";
import { BrowserFailed, type BrowserOpener } from "./browser.ts";
import type { CallbackResult } from "./callback.ts";
import type { OAuthEndpoints } from "./endpoints.ts";
import { type Loopback, startLoopback } from "./loopback.ts";
import { type OneTimeValues, oneTimeValues } from "./random_values.ts";
import { requestToken, type TokenAnswer } from "./token_client.ts";

const LOGIN_WAIT_MS = 300_000;

/** How a sign-in talks to the person. */
export interface SignInIo {
  /** Shows a line. Never the result channel of a command. */
  say(text: string): void;
  /** Reads a line; present only where someone can type one. */
  readLine?(signal: AbortSignal): Promise<string | undefined>;
}

/** The client that asks. */
export interface OAuthClient {
  id: string;
  /** Absent for a public client, which then must not send one. */
  secret?: string;
}

/** What is asked for, and how. */
export interface ConsentRequest {
  strategy: AuthStrategy;
  client: OAuthClient;
  /** Full names, without `openid`. */
  scopes: readonly string[];
  prompt: string;
  /** Absent: the person opens the address. */
  openBrowser?: BrowserOpener;
  /** Also take the redirect address as a typed line when no browser was opened here. */
  manualEntry: boolean;
  io: SignInIo;
  signal: AbortSignal;
}

/** What a consent needs of its surroundings. */
export interface ConsentParts {
  endpoints: OAuthEndpoints;
  http: HttpClient;
  clock: Clock;
}

/**
 * Shows the authorization page, waits for the answer and exchanges its code. Whatever happens, the
 * loopback server is gone when this returns.
 *
 * @throws AuthError for every way the person or Google can say no, and after 300 s.
 */
export async function runConsent(
  parts: ConsentParts,
  request: ConsentRequest,
): Promise<{ answer: TokenAnswer; nonce: string }> {
  request.signal.throwIfAborted();
  const values = await oneTimeValues();
  const loopback = startLoopback({ state: values.state, strategy: request.strategy });
  let result: CallbackResult;
  try {
    const address = authorizationAddress(parts.endpoints.authorization, {
      request,
      values,
      redirectUri: loopback.redirectUri,
    });
    const opened = await showAddress(address, request);
    result = await waitForAnswer(loopback, { request, clock: parts.clock, typed: !opened });
  } finally {
    await loopback.close();
  }
  if (result.kind === "refused") throw result.error;
  const answer = await requestToken(parts.http, {
    url: parts.endpoints.token,
    form: {
      grant_type: "authorization_code",
      code: result.code,
      code_verifier: values.verifier,
      redirect_uri: loopback.redirectUri,
      client_id: request.client.id,
      client_secret: request.client.secret,
    },
  }, request.signal);
  return { answer, nonce: values.nonce };
}

/** The address that asks for consent. */
function authorizationAddress(
  endpoint: string,
  ask: { request: ConsentRequest; values: OneTimeValues; redirectUri: string },
): string {
  const { request, values } = ask;
  const url = new URL(endpoint);
  const parameters: Record<string, string> = {
    client_id: request.client.id,
    redirect_uri: ask.redirectUri,
    response_type: "code",
    scope: [...sortedScopes(request.scopes), "openid"].join(" "),
    state: values.state,
    nonce: values.nonce,
    code_challenge: values.challenge,
    code_challenge_method: "S256",
    access_type: "offline",
    include_granted_scopes: "true",
    prompt: request.prompt,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

async function showAddress(address: string, request: ConsentRequest): Promise<boolean> {
  const { io, openBrowser } = request;
  io.say("To sign in, open this address in a browser on this machine:");
  io.say(address);
  if (openBrowser === undefined) return false;
  try {
    await openBrowser(address);
    return true;
  } catch (error) {
    const why = error instanceof BrowserFailed
      ? error.message
      : error instanceof Error
      ? error.name
      : "unknown error";
    io.say(`The browser could not be started (${why}); open the address yourself.`);
    return false;
  }
}

async function waitForAnswer(
  loopback: Loopback,
  wait: { request: ConsentRequest; clock: Clock; typed: boolean },
): Promise<CallbackResult> {
  const { request } = wait;
  const done = new AbortController();
  const signal = AbortSignal.any([request.signal, done.signal]);
  const contenders: Promise<CallbackResult>[] = [
    orAborted(loopback.outcome, signal),
    timeUp(wait.clock, { signal, strategy: request.strategy }),
  ];
  if (wait.typed && request.manualEntry && request.io.readLine !== undefined) {
    contenders.push(typedAnswer(loopback, { request, signal }));
  } else if (wait.typed) {
    const { port } = new URL(loopback.redirectUri);
    request.io.say(
      "If that browser is on another machine, forward the port of the answer to this one first: " +
        `ssh -L ${port}:127.0.0.1:${port} <this machine>. At a terminal (ssh -t, docker run -it) ` +
        "the address of the last page can be pasted instead.",
    );
  }
  try {
    return await Promise.race(contenders);
  } finally {
    done.abort();
    await Promise.allSettled(contenders);
  }
}

async function timeUp(
  clock: Clock,
  limit: { signal: AbortSignal; strategy: AuthStrategy },
): Promise<CallbackResult> {
  await clock.sleep(LOGIN_WAIT_MS, limit.signal);
  throw new AuthError({
    code: "GUM_OAUTH_TIMEOUT",
    strategy: limit.strategy,
    remediation: "nobody answered the consent page within 300 s; start again",
    nextCommand: "gum login",
  });
}

/** Lines from the keyboard until one is the redirect of this flow. At end of input only the browser is left. */
async function typedAnswer(
  loopback: Loopback,
  wait: { request: ConsentRequest; signal: AbortSignal },
): Promise<CallbackResult> {
  const { io } = wait.request;
  io.say(
    "In a browser on another machine the last page fails to load: copy its whole address from " +
      "the address bar and paste it here.",
  );
  for (;;) {
    const line = await io.readLine?.(wait.signal);
    if (line === undefined) return await orAborted(loopback.outcome, wait.signal);
    const result = line.trim() === "" ? undefined : loopback.submit(line);
    if (result !== undefined) return result;
    io.say("That is not the full address of the last page (it starts with http://127.0.0.1:).");
  }
}
