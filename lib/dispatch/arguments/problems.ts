/** Collecting everything wrong with a call's arguments and saying it once (spec 02 §3.3). */

import { GumError } from "../../errors/mod.ts";
import type { JsonObject, JsonValue } from "../../json/mod.ts";

/** Everything found wrong; empty lists mean fine. */
export interface ArgumentProblems {
  missing: string[];
  unknown: string[];
  typeErrors: string[];
  /** The known argument that an unknown one most resembles. */
  nearest?: Record<string, string>;
  /** A refusal of one field for a reason that is not its type. */
  refusal?: { field: string; reason: string; message: string; value?: JsonValue };
}

/** No problems yet. */
export function noProblems(): ArgumentProblems {
  return { missing: [], unknown: [], typeErrors: [] };
}

/** Names under which credentials would travel; they are never arguments. */
export const CREDENTIAL_ARGUMENTS: ReadonlySet<string> = new Set([
  "key",
  "access_token",
  "oauth_token",
  "callback",
]);

/** The one error for all problems; undefined when there are none. */
export function argumentError(
  problems: ArgumentProblems,
  { opId, hasBody = false, usual = {} }: {
    opId: string;
    hasBody?: boolean;
    /** Values that other callers need not give, by argument (spec 11 §4). */
    usual?: Record<string, string>;
  },
): GumError | undefined {
  const { missing, unknown, typeErrors, refusal } = problems;
  if (missing.length + unknown.length + typeErrors.length === 0 && refusal === undefined) {
    return undefined;
  }
  const details: JsonObject = {
    op_id: opId,
    missing: sortedUnique(missing),
    unknown: sortedUnique(unknown),
    type_errors: sortedUnique(typeErrors),
  };
  if (refusal !== undefined) {
    details.field = refusal.field;
    details.reason = refusal.reason;
    if (refusal.value !== undefined) details.value = refusal.value;
  }
  const credential = unknown.some((name) => CREDENTIAL_ARGUMENTS.has(name));
  return new GumError("INVALID_ARGS", {
    message: refusal?.message ?? "invalid arguments",
    details,
    userMessage: describe(problems),
    suggestion: credential
      ? "Credentials never travel as arguments: set them up with `gum auth`."
      : `${usualValues(problems, usual)}${
        didYouMean(problems)
      }Run \`gum describe ${opId}\` for the accepted arguments.` +
        (hasBody ? bodyAdvice(problems) : ""),
  });
}

/** A refusal of one field, raised on its own. */
export function fieldRefusal(
  field: string,
  refusal: { message: string; value?: JsonValue; opId?: string; reason?: string },
): GumError {
  const details: JsonObject = { field, missing: [], unknown: [], type_errors: [] };
  if (refusal.value !== undefined) details.value = refusal.value;
  if (refusal.reason !== undefined) details.reason = refusal.reason;
  if (refusal.opId !== undefined) details.op_id = refusal.opId;
  return new GumError("INVALID_ARGS", {
    message: refusal.message,
    details,
    userMessage: refusal.message,
  });
}

/** Only the most used fields of a body are listed; what resembles none of them may be another. */
function bodyAdvice({ unknown, nearest = {} }: ArgumentProblems): string {
  const [first] = sortedUnique(unknown).filter((name) => !Object.hasOwn(nearest, name));
  if (first === undefined) return "";
  const shown = JSON.stringify(first.slice(0, 64).toWellFormed());
  return ` A field of the request body that is not listed goes into body: {"body":{${shown}:…}}.`;
}

/** A script gets no defaults, so it is told what they would have been. */
function usualValues({ missing }: ArgumentProblems, usual: Record<string, string>): string {
  const given = sortedUnique(missing).filter((name) => Object.hasOwn(usual, name))
    .map((name) => `${name}: ${JSON.stringify(usual[name])}`);
  return given.length === 0
    ? ""
    : `A script names what is assumed elsewhere: ${given.join(", ")}. `;
}

function didYouMean(problems: ArgumentProblems): string {
  const pairs = Object.entries(problems.nearest ?? {}).sort();
  const hints = pairs.map(([unknown, known]) => `\`${known}\` instead of \`${unknown}\``);
  return hints.length === 0 ? "" : `Did you mean ${hints.join(", ")}? `;
}

function describe(problems: ArgumentProblems): string {
  const parts: string[] = [];
  if (problems.missing.length > 0) {
    parts.push(`missing: ${sortedUnique(problems.missing).join(", ")}`);
  }
  if (problems.unknown.length > 0) {
    parts.push(`unknown: ${sortedUnique(problems.unknown).join(", ")}`);
  }
  if (problems.typeErrors.length > 0) parts.push(sortedUnique(problems.typeErrors).join("; "));
  if (problems.refusal !== undefined) parts.push(problems.refusal.message);
  return `The arguments are not accepted (${parts.join("; ")}).`;
}

function sortedUnique(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}
