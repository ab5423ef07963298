/**
 * Risk class of a method from its name, HTTP method, scopes and response shape (spec 04 §3.7).
 *
 * @module
 */
import type { RiskClass } from "../types.ts";
import {
  CHECK_VERBS,
  DESTRUCTIVE_VERBS,
  MODIFIER_WORDS,
  READ_VERBS,
  splitWords,
  WRITE_VERBS,
} from "./words.ts";

/** What the rules look at. */
export interface RiskFacts {
  methodId: string;
  httpMethod: string;
  /** The response schema has `done` and `error`. */
  longRunning?: boolean;
  /** Scopes the method accepts. */
  scopes?: readonly string[];
}

/** The class and the number of the rule that decided it. */
export interface RiskVerdict {
  riskClass: RiskClass;
  rule: number;
}

/** Words of a method's last segment without leading modifiers; at least one word remains. */
export function methodWords(methodId: string): string[] {
  const words = splitWords(methodId.slice(methodId.lastIndexOf(".") + 1));
  let start = 0;
  while (start < words.length - 1 && MODIFIER_WORDS.has(words[start] ?? "")) start++;
  return words.slice(start);
}

/** Applies the rules in order; the first that matches decides. */
export function deriveRisk(facts: RiskFacts): RiskVerdict {
  const words = methodWords(facts.methodId);
  const verb = words[0] ?? "";
  const lastSegment = facts.methodId.slice(facts.methodId.lastIndexOf(".") + 1);
  const isGet = facts.httpMethod === "GET" || facts.httpMethod === "HEAD";
  const isPost = facts.httpMethod === "POST";
  if (facts.httpMethod === "DELETE") return { riskClass: "destructive", rule: 1 };
  if (DESTRUCTIVE_VERBS.has(verb)) return { riskClass: "destructive", rule: 2 };
  if (isGet && WRITE_VERBS.has(verb)) return { riskClass: "write", rule: 3 };
  if (isGet) return { riskClass: "read", rule: 4 };
  if (facts.httpMethod === "PUT" || facts.httpMethod === "PATCH") {
    return { riskClass: "write", rule: 5 };
  }
  if (facts.longRunning === true) return { riskClass: "write", rule: 6 };
  if (lastSegment === "testIamPermissions" || lastSegment === "getIamPolicy") {
    return { riskClass: "read", rule: 7 };
  }
  if (isPost && READ_VERBS.has(verb)) return { riskClass: "read", rule: 8 };
  if (isPost && CHECK_VERBS.has(verb) && acceptsReadOnlyScope(facts.scopes)) {
    return { riskClass: "read", rule: 9 };
  }
  const lastWord = words.at(-1) ?? "";
  if (
    isPost && (verb === "run" || verb === "generate") && /^reports?$/.test(lastWord) &&
    acceptsReadOnlyScope(facts.scopes)
  ) return { riskClass: "read", rule: 10 };
  return { riskClass: "write", rule: 11 };
}

function acceptsReadOnlyScope(scopes: readonly string[] | undefined): boolean {
  return scopes?.some((scope) => /(?:readonly|read-only|\.read)$/.test(scope)) ?? false;
}
