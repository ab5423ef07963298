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
  if (done !== true) return { kind: "running" };
  const response = present(parsed, "response");
  const metadata = present(parsed, "metadata");
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
