/** One emulated world behind HTTP: routing, credentials, faults, journal, rendering. */

import type { Clock } from "../clock/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { checkAlt, renderAnswer, repeatPageToken } from "./answer.ts";
import type { RelayedConnection } from "./connection_relay.ts";
import {
  authenticate,
  type AuthenticatedCall,
  checkScopes,
  type EmulatedAccount,
  RefusedCall,
} from "./credentials.ts";
import { answerDirectory } from "./directory.ts";
import { googleAdsFailure } from "./error_body.ts";
import { deliverFault } from "./fault_delivery.ts";
import {
  type ChosenFaults,
  FaultRegistry,
  replacesOperation,
  substituteAnswer,
  type WireAnswer,
} from "./faults.ts";
import { type AnswerSchema, answerSchemaOf, checkFieldSelection } from "./field_selection.ts";
import { bodyOf, faultOfHeader, notFoundPage, parseBody, refusalAnswer } from "./frame_answers.ts";
import { GenericServices } from "./generic.ts";
import type { IdentityProvider } from "./identity.ts";
import { bodyTextOf, queryLists } from "./journal.ts";
import type { OperationRegistry } from "./operations.ts";
import { answerPlainWebService } from "./plain_web_services.ts";
import { answerProjectReleases } from "./project_releases.ts";
import { type EmulatedAnswer, type EmulatedCall, EmulatedError } from "./service.ts";
import { ServicePool } from "./service_pool.ts";
import type { FaultEffect, JournalEntry } from "./types.ts";

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

interface Matched {
  methodId: string;
  params: Record<string, string>;
  scopes: readonly string[];
  /** Of its answer, where matching found it already. */
  schema?: AnswerSchema;
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
  readonly services: ServicePool;
  readonly #schemas = new Map<string, Promise<AnswerSchema | undefined>>();
  #requestCount = 0;

  constructor(readonly options: FrameOptions) {
    this.services = new ServicePool({ seed: options.seed, now: () => options.clock.now() });
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
      const bodyBytes = await readBody(request);
      if (bodyBytes === undefined) {
        abandon();
        end();
        return new Response(null, { status: 499 });
      }
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
    return this.services.inspect();
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
    const listed = await answerDirectory({ host, path, query });
    if (listed !== undefined) return listed;
    const release = answerProjectReleases(host, path);
    if (release !== undefined) return release;
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
      // The bytes of an upload session are a file's, whatever their type says.
      body: query.has("upload_id") ? undefined : parseBody(request.headers, bodyBytes),
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
    await this.#checkFields(matched, call);
    return await matched.run({ ...call, params: matched.params });
  }

  #checkDeveloperToken(framed: FramedRequest): void {
    if (framed.host !== "googleads.googleapis.com") return;
    if (framed.request.headers.get("developer-token") === this.options.developerToken) return;
    throw new RefusedCall(401, "Request is missing required developer token.", {
      status: "UNAUTHENTICATED",
      details: [googleAdsFailure({
        errorCode: { authenticationError: "DEVELOPER_TOKEN_INVALID" },
        message: "The developer token is not valid.",
        requestId: "fN3mS8kT1xQvW6yZbL0cRe",
      })],
    });
  }

  async #match(
    framed: FramedRequest,
    caller: AuthenticatedCall,
    chosen: ChosenFaults,
  ): Promise<Matched | undefined> {
    const { request, host, path } = framed;
    const stateful = await this.services.match(
      { method: request.method, host, path },
      caller.account,
    );
    if (stateful !== undefined) {
      return {
        methodId: stateful.route.methodId,
        params: stateful.params,
        scopes: await this.#scopesOf(stateful.route.methodId, caller, chosen),
        run: (call) => stateful.route.handle(call),
      };
    }
    const found = await this.generic.match(request.method, host, path);
    if (found === undefined) return undefined;
    const { method } = found;
    return {
      methodId: method.id,
      params: found.params,
      scopes: method.scopes,
      ...method.response === undefined
        ? {}
        : { schema: { schemas: method.schemas, response: method.response } },
      run: (call) => this.generic.answer(method, call),
    };
  }

  async #checkFields({ methodId, schema }: Matched, call: EmulatedCall): Promise<void> {
    const fields = call.query.get("fields") ?? call.headers.get("x-goog-fieldmask");
    if (!fields || call.query.get("alt") === "media") return;
    let known = schema;
    if (known === undefined) {
      const kept = this.#schemas.get(methodId) ?? answerSchemaOf(methodId);
      this.#schemas.set(methodId, kept);
      known = await kept;
    }
    if (known !== undefined) checkFieldSelection(fields, known);
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
}

/** The whole body; undefined when the client left in the middle of it. */
async function readBody(request: Request): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return new Uint8Array(await request.arrayBuffer());
  } catch {
    // The only way a body read fails here is a connection that ended too soon.
    return undefined;
  }
}
