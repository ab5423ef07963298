/** Long-running operations: they finish after a number of polls (spec 02 §3.12). */

import { isJsonObject, type JsonObject, type JsonValue } from "../json/mod.ts";
import { type EmulatedAnswer, EmulatedError } from "./service.ts";

/** A long-running operation to emulate. */
export interface EmulatedOperation {
  /** Full name, e.g. `operations/abc` or `projects/p/locations/l/operations/x`. */
  name: string;
  /** Polls that still say "running" before the end. */
  polls: number;
  response?: JsonObject;
  error?: JsonObject;
  metadata?: JsonObject;
  /** Sent as `done` instead of a boolean, to be a malformed operation. */
  malformedDone?: JsonValue;
  /** Only this host knows it; absent = every host. */
  host?: string;
}

/** Reads an operation that came as JSON. @throws TypeError when it is none. */
export function readOperation(value: JsonValue): EmulatedOperation {
  if (!isJsonObject(value) || typeof value.name !== "string") {
    throw new TypeError("an operation needs a name");
  }
  const { name, polls = 1, host, malformedDone } = value;
  if (typeof polls !== "number" || !Number.isInteger(polls) || polls < 0) {
    throw new TypeError("an operation's polls must be a whole number of at least 0");
  }
  const operation: EmulatedOperation = { name, polls };
  for (const key of ["response", "error", "metadata"] as const) {
    const member = value[key];
    if (member === undefined) continue;
    if (!isJsonObject(member)) throw new TypeError(`an operation's ${key} must be an object`);
    operation[key] = member;
  }
  if (host !== undefined) {
    if (typeof host !== "string") throw new TypeError("an operation's host must be text");
    operation.host = host;
  }
  if (malformedDone !== undefined) operation.malformedDone = malformedDone;
  return operation;
}

/** The operations of one emulator. */
export class OperationRegistry {
  #operations = new Map<string, EmulatedOperation & { polled: number }>();

  /** Starts an operation and returns its first state. */
  start(operation: EmulatedOperation): JsonObject {
    const entry = { ...operation, polled: 0 };
    this.#operations.set(operation.name, entry);
    return render(entry, false);
  }

  /**
   * The answer when the path is that of an operation; undefined when it is some other resource.
   *
   * @throws EmulatedError 404 for a name nobody started.
   */
  poll(method: string, host: string, path: string): EmulatedAnswer | undefined {
    const decoded = decodeURIComponent(path.replace(/%(?![0-9a-fA-F]{2})/g, "%25"));
    for (const entry of this.#operations.values()) {
      if (!decoded.endsWith(`/${entry.name}`)) continue;
      if (entry.host !== undefined && entry.host !== host) continue;
      if (method !== "GET") return undefined;
      const done = entry.polled >= entry.polls;
      entry.polled++;
      return { body: render(entry, done) };
    }
    if (method === "GET" && /\/operations\/[^/]+$/.test(decoded)) {
      const name = decoded.slice(decoded.indexOf("/operations/") + 1);
      throw new EmulatedError(404, `Operation not found: ${name}`, { reason: "notFound" });
    }
    return undefined;
  }

  /** A copy of the state. */
  inspect(): JsonObject[] {
    return [...this.#operations.values()].map(({ name, polls, polled }) => ({
      name,
      polls,
      polled,
    }));
  }
}

function render(operation: EmulatedOperation, done: boolean): JsonObject {
  const body: JsonObject = { name: operation.name };
  if (operation.metadata) body.metadata = operation.metadata;
  if (operation.malformedDone !== undefined) body.done = operation.malformedDone;
  else body.done = done;
  if (done && operation.error) body.error = operation.error;
  else if (done) body.response = operation.response ?? {};
  return body;
}
