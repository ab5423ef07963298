/** What an operation does, read from the verb in its id, and how that shifts a score. */

import { splitWords, stem } from "./words.ts";

/** Family of an operation's verb. */
export type VerbClass = "create" | "read" | "update" | "delete";

const VERBS: Record<VerbClass, string> = {
  create: "create insert add new make append upload post schedule submit publish send register",
  read: "list get find search show read fetch view lookup query download export",
  update: "update patch edit change modify set mark suspend rename move",
  delete: "delete remove cancel trash clear purge erase",
};

const CLASS_OF_STEM: ReadonlyMap<string, VerbClass> = new Map(
  (Object.keys(VERBS) as VerbClass[]).flatMap((verbClass) =>
    VERBS[verbClass].split(" ").map((verb): [string, VerbClass] => [stem(verb), verbClass])
  ),
);

const MATCH = 1.2;
/** What {@link browsePrior} answers; an index keeps the position. */
export const BROWSE_FACTORS: readonly number[] = [1, 1.05, 1.15];
/** A request without a verb is usually a wish to see something. */
const BROWSE: ReadonlyMap<string, number> = new Map([
  ["list", 1.15],
  ["search", 1.15],
  ["query", 1.15],
  ["get", 1.05],
  ["find", 1.05],
  ["lookup", 1.05],
  ["fetch", 1.05],
  ["count", 1.05],
  ["read", 1.05],
]);

/** Class of a stemmed query or document word. */
export function verbClassOf(term: string): VerbClass | undefined {
  return CLASS_OF_STEM.get(term);
}

/** True for a stemmed word that says what to do. */
export function isVerb(term: string): boolean {
  return CLASS_OF_STEM.has(term);
}

/** First word of an op id's last segment: `batch` of `gmail.users.messages.batchDelete`. */
export function leadingVerb(opId: string): string {
  return splitWords(opId.slice(opId.lastIndexOf(".") + 1))[0] ?? "";
}

/** Class of the operation with this id, `""` when its verb belongs to none. */
export function operationVerbClass(opId: string): VerbClass | "" {
  return verbClassOf(stem(leadingVerb(opId))) ?? "";
}

/** Factor of a leading verb when the query names none. */
export function browsePrior(verb: string): number {
  return BROWSE.get(verb) ?? 1;
}

/** Factor of a verb class when the query names some. */
export function askedPrior(verb: VerbClass | "", asked: ReadonlySet<VerbClass>): number {
  if (verb === "") return 1;
  return asked.has(verb) ? MATCH : 1 / MATCH;
}

/** Factor for an operation, given the verb classes named in the query. */
export function verbPrior(
  operation: { op_id: string; verb: VerbClass | "" },
  asked: ReadonlySet<VerbClass>,
): number {
  return asked.size === 0
    ? browsePrior(leadingVerb(operation.op_id))
    : askedPrior(operation.verb, asked);
}
