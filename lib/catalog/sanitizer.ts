/** Checks on texts that models read: titles, summaries, tool descriptions (spec 02 §3.13). */

import { GumError } from "../errors/mod.ts";
import { countTokens } from "../tokens/mod.ts";
import type { RiskClass } from "./types.ts";

/** Number of a rule, as in the spec. */
export type SanitizerRule = 1 | 2 | 3 | 4 | 5 | 6 | 7;

/** One broken rule. */
export interface SanitizerFinding {
  rule: SanitizerRule;
  /** The words that broke it; for the budgets, the measured count. */
  offending: string;
  reason: string;
}

/** What kind of text it is and what it stands for. */
export interface SanitizeOptions {
  /** Decides the token budget; absent: no budget. */
  toolKind?: "meta" | "convenience";
  /** `write` and `destructive` texts must say that something changes. */
  riskClass?: RiskClass;
  /** Token counter; default: the one of `lib/tokens`. */
  countTokens?: (text: string) => Promise<number>;
}

/** The text without trailing whitespace, and its findings in rule order. */
export interface SanitizedText {
  text: string;
  findings: SanitizerFinding[];
}

/**
 * Reports the first hit of every rule; changes nothing but trailing whitespace.
 *
 * @throws GumError `SANITIZER_TOKENIZER_FAILED` when the tokens cannot be counted.
 */
export async function sanitize(
  description: string,
  options: SanitizeOptions = {},
): Promise<SanitizedText> {
  const text = description.trimEnd();
  const findings = WORDING_RULES.flatMap((rule) => wordingFinding(rule, text));
  findings.push(...await budgetFindings(text, options));
  findings.push(...disclosureFindings(text, options.riskClass));
  findings.push(...personalFindings(text));
  return { text, findings };
}

interface WordingRule {
  rule: SanitizerRule;
  pattern: RegExp;
  reason: string;
}

const MARKETING = [
  "revolutionary",
  "best-in-class",
  "industry-leading",
  "cutting-edge",
  "world-class",
  "next-generation",
  "state-of-the-art",
  "game-changing",
  "seamless(?:ly)?",
  "effortless(?:ly)?",
  "unparalleled",
  "unprecedented",
  "innovative",
];

const MODEL = "(?:LLMs?|AIs?|models?|agents?|language models?)";
const MODEL_HINTS = [
  `for ${MODEL}`,
  "(?:LLM|AI)-friendly",
  `easy (?:to|for\\s+\\S+(?:\\s+\\S+){0,3}?\\s+to) (?:understand|parse|use)`,
  "designed for",
  "optimi[sz]ed for",
];

const WORDING_RULES: readonly WordingRule[] = [
  { rule: 1, pattern: wholeWords(MARKETING), reason: "marketing language" },
  { rule: 2, pattern: wholeWords(MODEL_HINTS), reason: "addresses a model, not a task" },
  {
    rule: 3,
    pattern: wholeWords(["you(?:['’](?:re|ll|ve|d))?", "your"]),
    reason: "second person",
  },
];

/** Whole words: a hyphenated or apostrophised neighbour makes another word. */
function wholeWords(alternatives: readonly string[]): RegExp {
  const words = alternatives.map((words) => words.replaceAll(" ", "\\s+"));
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${words.join("|")})(?![\\p{L}\\p{N}_])`, "iu");
}

function wordingFinding(rule: WordingRule, text: string): SanitizerFinding[] {
  const match = rule.pattern.exec(text);
  return match === null ? [] : [{ rule: rule.rule, offending: match[0], reason: rule.reason }];
}

const BUDGETS = {
  convenience: { rule: 4, tokens: 220 },
  meta: { rule: 5, tokens: 360 },
} as const;

async function budgetFindings(
  text: string,
  options: SanitizeOptions,
): Promise<SanitizerFinding[]> {
  if (options.toolKind === undefined) return [];
  const { rule, tokens: budget } = BUDGETS[options.toolKind];
  // A token is at least one byte, so short texts need no tokenizer.
  if (new TextEncoder().encode(text).length <= budget) return [];
  const count = await countedTokens(text, options.countTokens ?? countTokens);
  return count <= budget
    ? []
    : [{ rule, offending: `${count} tokens`, reason: `more than ${budget} tokens` }];
}

async function countedTokens(
  text: string,
  count: (text: string) => Promise<number>,
): Promise<number> {
  try {
    return await count(text);
  } catch (cause) {
    throw new GumError("SANITIZER_TOKENIZER_FAILED", {
      message: "the tokens of a description could not be counted",
      cause,
    });
  }
}

const DISCLOSURE = wholeWords([
  "send(?:s|ing|er)?|sent",
  "delet(?:e|es|ed|ing|ion|ions)",
  "creat(?:e|es|ed|ing|ion|ions)",
  "updat(?:e|es|ed|ing)",
  "modif(?:y|ies|ied|ying|ication|ications)",
  "remov(?:e|es|ed|ing|al)",
  "writ(?:e|es|ing|ten)|wrote",
  "permanently",
  "irreversible",
  "cannot be undone",
]);

function disclosureFindings(text: string, riskClass?: RiskClass): SanitizerFinding[] {
  if (riskClass === undefined || riskClass === "read" || DISCLOSURE.test(text)) return [];
  return [{ rule: 6, offending: riskClass, reason: "does not say that something changes" }];
}

const EMAIL = /[\p{L}\p{N}._%+<>-]+@[\p{L}\p{N}.<>-]+\.[\p{L}<>]{2,}/giu;
const EXAMPLE_EMAIL = "example@example.com";
const SOCIAL_SECURITY = /(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])/u;
const PHONE =
  /(?<![\p{L}\p{N}.-])(?:\+\d{1,3}[ .-]?(?:\(?\d{1,4}\)?[ .-]?){2,5}\d{2,4}|(?:1[ .-])?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4})(?![\p{L}\p{N}-])/u;

function personalFindings(text: string): SanitizerFinding[] {
  const offending = emailIn(text) ?? SOCIAL_SECURITY.exec(text)?.[0] ?? PHONE.exec(text)?.[0];
  return offending === undefined ? [] : [{ rule: 7, offending, reason: "personal data" }];
}

function emailIn(text: string): string | undefined {
  for (const [address] of text.matchAll(EMAIL)) {
    const isPlaceholder = /[<>]/.test(address) || address.toLowerCase() === EXAMPLE_EMAIL;
    if (!isPlaceholder) return address;
  }
  return undefined;
}
