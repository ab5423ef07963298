/** What `gum.code` takes, checked before any token is issued (spec 09 §3 step 1). */

import { GumError } from "../../errors/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import { MAX_DESTRUCTIVE, MAX_SOURCE_BYTES } from "./limits.ts";
import { byteLength } from "./text_bytes.ts";
import type { CodeRequest, ScopeEntry, ScriptLanguage } from "../types.ts";

/** Words that `language` takes, in the order they are listed. */
export const LANGUAGE_NAMES: readonly ScriptLanguage[] = ["risor", "javascript"];

/**
 * The request behind the arguments of a call.
 *
 * @throws GumError `INVALID_ARGS` that names the field, or says that a pragma was rejected.
 */
export function codeRequest(args: JsonObject): CodeRequest {
  const { language, source } = args;
  const known = LANGUAGE_NAMES.find((name) => name === language);
  if (known === undefined) {
    throw refusal("language", `language must be one of ${LANGUAGE_NAMES.join(", ")}`);
  }
  if (typeof source !== "string" || source === "") {
    throw refusal("source", "source must be a text that is not empty");
  }
  if (byteLength(source) > MAX_SOURCE_BYTES) {
    throw refusal("source", `source is longer than ${MAX_SOURCE_BYTES} bytes`);
  }
  const pragma = headerPragma(source);
  if (pragma !== undefined) throw pragmaRefusal(pragma);
  const request: CodeRequest = {
    language: known,
    source,
    allowWrite: flag(args, "allow_write"),
    allowDestructive: flag(args, "allow_destructive"),
    destructiveBudget: budget(args.destructive_budget),
    destructiveScope: scope(args.destructive_scope),
  };
  checkDestructive(request);
  return request;
}

function flag(args: JsonObject, field: string): boolean {
  const value = args[field] ?? false;
  if (typeof value === "boolean") return value;
  throw refusal(field, `${field} must be true or false`);
}

function budget(value: JsonValue | undefined): number {
  if (value === undefined || value === null) return 0;
  const valid = typeof value === "number" && Number.isInteger(value) && value >= 0 &&
    value <= MAX_DESTRUCTIVE;
  if (valid) return value;
  throw refusal("destructive_budget", `destructive_budget must be 0 to ${MAX_DESTRUCTIVE}`);
}

/** A malformed scope is refused: it must never be read as "no restriction". */
function scope(value: JsonValue | undefined): ScopeEntry[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    throw refusal("destructive_scope", "destructive_scope must be a list of objects");
  }
  if (value.length > MAX_DESTRUCTIVE) {
    throw refusal(
      "destructive_scope",
      `destructive_scope has more than ${MAX_DESTRUCTIVE} entries`,
    );
  }
  return value.map((entry, index): ScopeEntry => {
    const malformed = refusal(
      "destructive_scope",
      `destructive_scope[${index}] must be an object with op_id and, if anything, resource_key`,
    );
    if (!isJsonObject(entry)) throw malformed;
    const { op_id: opId, resource_key: key, ...others } = entry;
    if (typeof opId !== "string" || opId === "" || Object.keys(others).length > 0) throw malformed;
    if (key !== undefined && typeof key !== "string") throw malformed;
    return key === undefined || key === "" ? { op_id: opId } : { op_id: opId, resource_key: key };
  });
}

function checkDestructive(request: CodeRequest): void {
  const { allowDestructive, destructiveBudget, destructiveScope } = request;
  if (allowDestructive && destructiveBudget < 1) {
    throw refusal(
      "destructive_budget",
      `allow_destructive needs a destructive_budget of 1 to ${MAX_DESTRUCTIVE}`,
    );
  }
  if (!allowDestructive && destructiveBudget > 0) {
    throw refusal("destructive_budget", "destructive_budget needs allow_destructive");
  }
  if (!allowDestructive && destructiveScope.length > 0) {
    throw refusal("destructive_scope", "destructive_scope needs allow_destructive");
  }
}

const PRAGMA = /^\s*(?:\/\/|#)\s*pragma:/i;
const COMMENT_OR_BLANK = /^\s*(?:$|\/\/|#)/;

/** Line number of a pragma among the comments before the first line of code. */
export function headerPragma(source: string): number | undefined {
  for (const [index, line] of source.split(/\r\n|\r|\n/).entries()) {
    if (!COMMENT_OR_BLANK.test(line)) return undefined;
    if (PRAGMA.test(line)) return index + 1;
  }
  return undefined;
}

function pragmaRefusal(line: number): GumError {
  return new GumError("INVALID_ARGS", {
    message: `line ${line}: scripts cannot change their own rules with a pragma`,
    details: { ...PROBLEMS, field: "source", pragma: "rejected", line },
    userMessage: "The script begins with a pragma, which is not supported.",
    suggestion: "Remove the pragma line; grants are given with the call.",
    retryable: false,
  });
}

const PROBLEMS: JsonObject = { missing: [], unknown: [], type_errors: [] };

function refusal(field: string, message: string): GumError {
  return new GumError("INVALID_ARGS", {
    message: `gum.code: ${message}`,
    details: { ...PROBLEMS, field },
    userMessage: "The arguments of gum.code are not valid.",
    suggestion: `Correct ${field} and call again.`,
    retryable: false,
  });
}
