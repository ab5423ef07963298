/** What counts as a long-running operation in an answer. Pure. */

import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../json/mod.ts";

/** Larger answers are looked into only when their variant declares an operation. */
const LONGEST_UNDECLARED = 1024 * 1024;

/** An operation as a poll finds it. */
export type FoundOperation =
  | { kind: "running" }
  | { kind: "done"; operation: JsonObject; error: JsonValue | undefined };

/**
 * Reads a polled body; undefined when it is no operation: not JSON, neither `name` nor `done`, or
 * one of them of a wrong type, which is never "still running". An explicit `null` counts as absent.
 */
export function readOperation(body: Uint8Array, askedName: string): FoundOperation | undefined {
  const parsed = parsedBody(body);
  if (!isJsonObject(parsed)) return undefined;
  const name = present(parsed, "name");
  const done = present(parsed, "done");
  if (name === undefined && done === undefined) return undefined;
  if (name !== undefined && typeof name !== "string") return undefined;
  if (done !== undefined && typeof done !== "boolean") return undefined;
  if (done !== true && !hasFinishedStatus(parsed)) return { kind: "running" };
  const response = present(parsed, "response");
  const metadata = present(parsed, "metadata") ?? olderMetadata(parsed);
  return {
    kind: "done",
    operation: {
      name: name ?? askedName,
      done: true,
      ...(response === undefined ? {} : { response }),
      ...(metadata === undefined ? {} : { metadata }),
    },
    error: present(parsed, "error"),
  };
}

/** Compute Engine, Cloud SQL and others of their time say `status` where newer services say `done`. */
function hasFinishedStatus(operation: JsonObject): boolean {
  return isOlderOperation(operation) && operation.status === "DONE";
}

function isOlderOperation(operation: JsonObject): boolean {
  const kind = present(operation, "kind");
  return typeof kind === "string" && kind.endsWith("#operation") &&
    present(operation, "done") === undefined;
}

/** What such an operation says of its work; undefined for one of the newer form. */
function olderMetadata(operation: JsonObject): JsonObject | undefined {
  if (!isOlderOperation(operation)) return undefined;
  const told = ["operationType", "targetLink", "targetId", "warnings", "endTime"]
    .flatMap((key) => {
      const value = present(operation, key);
      return value === undefined ? [] : [[key, value] as const];
    });
  return told.length === 0 ? undefined : Object.fromEntries(told);
}

/** The name of the operation that an answer holds; undefined when it holds none. */
export function operationNameIn(body: Uint8Array, declared: boolean): string | undefined {
  if (body.length === 0 || (!declared && body.length > LONGEST_UNDECLARED)) return undefined;
  const text = new TextDecoder().decode(body);
  if (!declared && !text.includes('"done"')) return undefined;
  const parsed = parsedText(text);
  if (!isJsonObject(parsed)) return undefined;
  const { name, done } = parsed;
  if (typeof name !== "string" || name === "") return undefined;
  return declared || typeof done === "boolean" ? name : undefined;
}

function present(from: JsonObject, key: string): JsonValue | undefined {
  const value = Object.hasOwn(from, key) ? from[key] : undefined;
  return value === null ? undefined : value;
}

function parsedBody(body: Uint8Array): JsonValue | undefined {
  return parsedText(new TextDecoder().decode(body));
}

function parsedText(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined; // not JSON, so no operation
  }
}
