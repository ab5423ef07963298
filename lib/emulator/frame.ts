/** One emulated world behind HTTP: routing, credentials, faults, journal, rendering. */

import type { Clock } from "../clock/mod.ts";
import { type JsonObject, type JsonValue, parseJson } from "../json/mod.ts";
import { checkAlt, renderAnswer, repeatPageToken } from "./answer.ts";
import {
  authenticate,
  type AuthenticatedCall,
  checkScopes,
  type EmulatedAccount,
  isMapsWebService,
  RefusedCall,
} from "./credentials.ts";
import { bodyOfEmulatedError } from "./error_body.ts";
import { utf8 } from "./encoding.ts";
import {
  type ChosenFaults,
  FaultRegistry,
  readFaultEffect,
  replacesOperation,
  substituteAnswer,
  type WireAnswer,
} from "./faults.ts";
import { deliverFault } from "./fault_delivery.ts";
import { GenericServices } from "./generic.ts";
import type { IdentityProvider } from "./identity.ts";
import { bodyTextOf, queryLists } from "./journal.ts";
import type { OperationRegistry } from "./operations.ts";
import { answerPlainWebService } from "./plain_web_services.ts";
import { seededRandom } from "./random.ts";
import {
  bySpecificity,
  type CompiledPattern,
  compilePattern,
  matchPattern,
} from "./route_match.ts";
import {
  type EmulatedAnswer,
  type EmulatedCall,
  EmulatedError,
  type EmulatedRoute,
  type EmulatedService,
} from "./service.ts";
import { registrationFor, SERVICE_REGISTRATIONS } from "./services.ts";
import type { FaultEffect, JournalEntry } from "./types.ts";
import { worldPeople } from "./world.ts";
import type { RelayedConnection } from "./connection_relay.ts";

/** Header by which one request brings its own fault, as the JSON of a `FaultEffect`. */
export const FAULT_HEADER = "x-gum-emulator-fault";

/** What the frame is built on. */
export interface FrameOptions {
  seed: number;
  clock: Clock;
  accounts: readonly EmulatedAccount[];
  developerToken: string;
  identity: IdentityProvider;
  operations: OperationRegistry;
  /** Aborted when the emulator closes; ends every wait. */
  closing: AbortSignal;
}

interface LoadedService {
  service: EmulatedService;
  routes: { route: EmulatedRoute; pattern: CompiledPattern }[];
}

interface Matched {
  methodId: string;
  params: Record<string, string>;
  scopes: readonly string[];
  run(call: EmulatedCall): EmulatedAnswer | Promise<EmulatedAnswer>;
}

/** One request as the listener hands it over. */
export interface FramedRequest {
  request: Request;
  host: string;
  /** Raw path on the Google host. */
  path: string;
  query: URLSearchParams;
  /** The client's connection, for faults below HTTP. */
  connection: RelayedConnection | undefined;
}

/** The world's state and its request cycle. */
export class Frame {
  readonly journal: JournalEntry[] = [];
  readonly faults = new FaultRegistry();
  readonly generic: GenericServices;
  #services = new Map<string, Promise<LoadedService>>();
  #loaded = new Map<string, EmulatedService>();
  /** One token per account: services of one world find each other's files by it. */
  #worlds = new Map<string, object>();
  #requestCount = 0;

  constructor(readonly options: FrameOptions) {
    this.generic = new GenericServices({ seed: options.seed, operations: options.operations });
  }

  /** Answers one request to a Google host. */
  async answer(framed: FramedRequest): Promise<Response> {
    const { request } = framed;
    const entry = this.#openEntry(framed);
    let ended = false;
    const abandon = () => {
      if (!ended && !this.options.closing.aborted) entry.clientAborted = true;
    };
    request.signal.addEventListener("abort", abandon, { once: true });
    const end = (status?: number) => {
      if (status !== undefined) entry.status = status;
      entry.finishedAt = this.options.clock.now();
    };
    const ofHeader = faultOfHeader(request.headers);
    if (ofHeader instanceof Response) {
      end(ofHeader.status);
      return ofHeader;
    }
    try {
      const bodyBytes = new Uint8Array(await request.arrayBuffer());
      entry.bodyBytes = bodyBytes.length;
      const text = bodyTextOf(bodyBytes);
      if (text !== undefined) entry.bodyText = text;
      const chosen = this.#chooseFaults(framed, ofHeader);
      if (chosen.name !== undefined) entry.fault = chosen.name;
      if (chosen.latencyMs !== undefined) await this.#pause(chosen.latencyMs, request.signal);
      if (chosen.withheld) {
        const { fire } = chosen.withheld;
        chosen.withheld.fire = () => {
          fire();
          entry.fault = [entry.fault, "withhold_scopes"].filter(Boolean).join("+");
        };
      }
      const wire = await this.#wireAnswer({ framed, bodyBytes, chosen });
      wire.headers.set("date", new Date(this.options.clock.now()).toUTCString());
      const effect = chosen.decisive;
      if (effect !== undefined) {
        return await deliverFault(effect, wire, {
          connection: framed.connection,
          signal: AbortSignal.any([request.signal, this.options.closing]),
          abandoned: abandon,
          cut: () => {
            ended = true;
            end();
          },
          finished: end,
        });
      }
      end(wire.status);
      return new Response(bodyOf(wire), { status: wire.status, headers: wire.headers });
    } catch (error) {
      if (request.signal.aborted || this.options.closing.aborted) {
        if (!this.options.closing.aborted) entry.clientAborted = true;
        end();
        return new Response(null, { status: 499 });
      }
      throw error;
    }
  }

  /** State of every service that was used, by account. */
  inspect(): JsonObject {
    const state: JsonObject = {};
    for (const [key, service] of [...this.#loaded].sort(([a], [b]) => a < b ? -1 : 1)) {
      const [email, name] = key.split("\n") as [string, string];
      const ofAccount = (state[email] ?? {}) as JsonObject;
      ofAccount[name] = service.inspect();
      state[email] = ofAccount;
    }
    return state;
  }

  #openEntry(framed: FramedRequest): JournalEntry {
    const entry: JournalEntry = {
      index: this.#requestCount++,
      method: framed.request.method,
      host: framed.host,
      path: framed.path,
      query: queryLists(framed.query),
      headers: Object.fromEntries(framed.request.headers),
      bodyBytes: 0,
      startedAt: this.options.clock.now(),
      clientAborted: false,
    };
    this.journal.push(entry);
    return entry;
  }

  #chooseFaults(framed: FramedRequest, ofHeader: FaultEffect | undefined): ChosenFaults {
    return this.faults.choose({
      method: framed.request.method,
      host: framed.host,
      path: framed.path,
      query: framed.query,
    }, ofHeader);
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    // Real time, not the injected clock: a fault must delay the wire even where the clock stands.
    const until = AbortSignal.any([signal, this.options.closing]);
    return new Promise((resolve, reject) => {
      if (until.aborted) return reject(until.reason);
      const stop = () => {
        clearTimeout(timer);
        reject(until.reason);
      };
      const timer = setTimeout(() => {
        until.removeEventListener("abort", stop);
        resolve();
      }, ms);
      until.addEventListener("abort", stop, { once: true });
    });
  }

  async #wireAnswer(
    input: { framed: FramedRequest; bodyBytes: Uint8Array; chosen: ChosenFaults },
  ): Promise<WireAnswer> {
    const { framed, bodyBytes, chosen } = input;
    const effect = chosen.decisive;
    if (effect !== undefined && replacesOperation(effect)) {
      return substituteAnswer(effect) ??
        { status: 200, headers: new Headers(), bytes: new Uint8Array() };
    }
    const context = {
      method: framed.request.method,
      query: framed.query,
      headers: framed.request.headers,
    };
    try {
      const answer = await this.#operate(framed, bodyBytes, chosen);
      return await renderAnswer(
        chosen.repeatPageToken ? repeatPageToken(answer, framed.query) : answer,
        context,
      );
    } catch (error) {
      if (!(error instanceof EmulatedError)) throw error;
      return await renderAnswer(refusalAnswer(error, framed), context);
    }
  }

  async #operate(
    framed: FramedRequest,
    bodyBytes: Uint8Array,
    chosen: ChosenFaults,
  ): Promise<EmulatedAnswer> {
    const { request, host, path, query } = framed;
    const now = this.options.clock.now();
    const identity = this.options.identity.route(host, path);
    if (identity !== undefined) {
      return await identity({
        method: request.method,
        host,
        path,
        query,
        headers: request.headers,
        bodyBytes,
        now,
      });
    }
    const caller = authenticate({ host, path, headers: request.headers, query, now }, {
      token: (text) => this.options.identity.token(text),
      apiKey: (text) => this.options.accounts.find((account) => account.apiKey === text),
    });
    checkAlt(query);
    this.#checkDeveloperToken(framed);
    const operation = this.options.operations.poll(request.method, host, path);
    if (operation !== undefined) return operation;
    const call: EmulatedCall = {
      method: request.method,
      host,
      path,
      params: {},
      query,
      headers: request.headers,
      body: parseBody(request.headers, bodyBytes),
      bodyBytes,
      accountEmail: caller.account.person.email,
      now,
    };
    const plain = answerPlainWebService(call, this.options.seed);
    if (plain !== undefined) return plain;
    const matched = await this.#match(framed, caller, chosen);
    if (matched === undefined) return notFoundPage(path);
    if (!caller.byApiKey) {
      checkScopes({
        accepted: matched.scopes,
        granted: caller.scopes,
        withheld: chosen.withheld?.scopes,
        onWithheld: () => chosen.withheld?.fire(),
        methodId: matched.methodId,
        service: host,
      });
    }
    return await matched.run({ ...call, params: matched.params });
  }

  #checkDeveloperToken(framed: FramedRequest): void {
    if (framed.host !== "googleads.googleapis.com") return;
    if (framed.request.headers.get("developer-token") === this.options.developerToken) return;
    throw new RefusedCall(401, "Request is missing required developer token.", {
      status: "UNAUTHENTICATED",
      details: [{
        "@type": "type.googleapis.com/google.ads.googleads.v24.errors.GoogleAdsFailure",
        errors: [{
          errorCode: { authenticationError: "DEVELOPER_TOKEN_INVALID" },
          message: "The developer token is not valid.",
        }],
        requestId: "fN3mS8kT1xQvW6yZbL0cRe",
      }],
    });
  }

  async #match(
    framed: FramedRequest,
    caller: AuthenticatedCall,
    chosen: ChosenFaults,
  ): Promise<Matched | undefined> {
    const { request, host, path } = framed;
    const registration = registrationFor(host, path);
    if (registration !== undefined) {
      const loaded = await this.#service(caller.account, registration.name);
      for (const { route, pattern } of loaded.routes) {
        if (route.method !== request.method) continue;
        const params = matchPattern(pattern, path);
        if (params === undefined) continue;
        return {
          methodId: route.methodId,
          params,
          scopes: await this.#scopesOf(route.methodId, caller, chosen),
          run: (call) => route.handle(call),
        };
      }
    }
    const found = await this.generic.match(request.method, host, path);
    if (found === undefined) return undefined;
    const { method } = found;
    return {
      methodId: method.id,
      params: found.params,
      scopes: method.scopes,
      run: (call) => this.generic.answer(method, call),
    };
  }

  /** Scopes cost a read of the Discovery documents, so only where a scope can be refused. */
  #scopesOf(
    methodId: string,
    caller: AuthenticatedCall,
    chosen: ChosenFaults,
  ): Promise<readonly string[]> | readonly string[] {
    const matters = caller.scopes !== undefined || chosen.withheld !== undefined;
    return matters ? this.generic.scopesOf(methodId) : [];
  }

  #service(account: EmulatedAccount, name: string): Promise<LoadedService> {
    const key = `${account.person.email}\n${name}`;
    let loading = this.#services.get(key);
    if (loading === undefined) {
      loading = this.#load(account, name, key);
      this.#services.set(key, loading);
    }
    return loading;
  }

  #worldOf(account: EmulatedAccount): object {
    let world = this.#worlds.get(account.person.email);
    if (world === undefined) {
      world = {};
      this.#worlds.set(account.person.email, world);
    }
    return world;
  }

  async #load(account: EmulatedAccount, name: string, key: string): Promise<LoadedService> {
    const registration = SERVICE_REGISTRATIONS.find((candidate) => candidate.name === name);
    if (registration === undefined) throw new Error(`no emulated service ${name}`);
    const create = await registration.load();
    const people = worldPeople(account.index);
    const service = create({
      random: seededRandom(this.options.seed, `${account.person.email}/${name}`),
      now: this.options.clock.now(),
      account: account.person,
      people,
      world: this.#worldOf(account),
    });
    this.#loaded.set(key, service);
    const routes = service.routes.map((route) => ({
      route,
      pattern: compilePattern(route.pattern),
    })).sort(bySpecificity);
    return { service, routes };
  }
}

/** The fault that the request itself asks for; a refusal when it is none. */
function faultOfHeader(headers: Headers): FaultEffect | Response | undefined {
  const text = headers.get(FAULT_HEADER);
  if (text === null) return undefined;
  try {
    return readFaultEffect(JSON.parse(text) as JsonValue);
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    return new Response(`${FAULT_HEADER}: ${error.message}\n`, { status: 400 });
  }
}

function parseBody(headers: Headers, bytes: Uint8Array): JsonValue | undefined {
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

function refusalAnswer(error: EmulatedError, framed: FramedRequest): EmulatedAnswer {
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

function notFoundPage(path: string): EmulatedAnswer {
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

function bodyOf(wire: WireAnswer): Uint8Array<ArrayBuffer> | null {
  const bodyless = wire.status === 204 || wire.status === 304 || wire.status === 205;
  return bodyless ? null : wire.bytes;
}
