/** Calls the routes of an emulated service by method id, without HTTP. */

import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "../../../json/mod.ts";
import { seededRandom } from "../../random.ts";
import {
  type EmulatedCall,
  EmulatedError,
  type EmulatedService,
  type ServiceSeed,
} from "../../service.ts";
import { WORLD_INSTANT, worldPeople } from "../../world.ts";

/** A seed of the standing world, as the emulator's frame makes it. */
export function testSeed(given: { seed?: number; world?: object } = {}): ServiceSeed {
  const people = worldPeople(0);
  const account = people[0];
  assert.ok(account);
  return {
    random: seededRandom(given.seed ?? 1, account.email),
    now: WORLD_INSTANT,
    account,
    people,
    ...(given.world === undefined ? {} : { world: given.world }),
  };
}

/** What a test sends. */
export interface TestRequest {
  params?: Record<string, string>;
  query?: Record<string, string | string[]>;
  body?: JsonValue;
  headers?: Record<string, string>;
  bytes?: Uint8Array;
  now?: number;
}

/** What a test gets back. */
export interface TestAnswer {
  status: number;
  json: JsonObject;
  bytes: Uint8Array;
  headers: Record<string, string>;
  contentType: string | undefined;
}

/** Calls one method of a service. */
export type Caller = (methodId: string, request?: TestRequest) => Promise<TestAnswer>;

/** A caller of a service's first route with a method id (`method` picks among several). */
export function callerOf(service: EmulatedService): Caller {
  return async (methodId, request = {}) => {
    const route = service.routes.find((item) => item.methodId === methodId);
    assert.ok(route, `no route for ${methodId}`);
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(request.query ?? {})) {
      for (const item of [value].flat()) query.append(name, item);
    }
    const call: EmulatedCall = {
      method: route.method,
      host: route.host,
      path: route.pattern,
      params: request.params ?? {},
      query,
      headers: new Headers(request.headers ?? {}),
      body: request.body,
      bodyBytes: request.bytes ?? new Uint8Array(),
      accountEmail: testSeed().account.email,
      now: request.now ?? WORLD_INSTANT,
    };
    const answer = await route.handle(call);
    const bytes = answer.body instanceof Uint8Array ? answer.body : new Uint8Array();
    return {
      status: answer.status ?? (answer.body === undefined ? 204 : 200),
      json: answer.body instanceof Uint8Array ? {} : (answer.body ?? {}) as JsonObject,
      bytes,
      headers: answer.headers ?? {},
      contentType: answer.contentType,
    };
  };
}

/** Expects a Google error with this status and reason. */
export async function refuses(
  promise: Promise<unknown>,
  { status, reason, message }: { status: number; reason?: string; message?: RegExp },
): Promise<void> {
  await assert.rejects(promise, (failure) => {
    assert.ok(failure instanceof EmulatedError, String(failure));
    assert.equal(failure.status, status);
    if (reason !== undefined) assert.equal(failure.info.reason, reason);
    if (message !== undefined) assert.match(failure.message, message);
    return true;
  });
}

/** Reads a list to its end and gives every record; refuses a repeated token. */
export async function readAll(
  page: (token: string | undefined) => Promise<TestAnswer>,
  member: string,
): Promise<{ records: JsonObject[]; pages: number }> {
  const records: JsonObject[] = [];
  const seen = new Set<string>();
  let token: string | undefined;
  let pages = 0;
  do {
    const { json } = await page(token);
    pages++;
    records.push(...(json[member] ?? []) as JsonObject[]);
    token = json.nextPageToken as string | undefined;
    if (token !== undefined) {
      assert.ok(!seen.has(token), "a page token came twice");
      seen.add(token);
    }
  } while (token !== undefined);
  return { records, pages };
}
