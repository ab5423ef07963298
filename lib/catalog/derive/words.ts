/** Words of identifiers: splitting, and the verbs Google names methods with. */

/** Splits on case and non-alphanumerics: `batchGetByDataFilter` → `batch get by data filter`. */
export function splitWords(identifier: string): string[] {
  return identifier
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
}

/** Verbs whose call destroys something, whatever the HTTP method. */
export const DESTRUCTIVE_VERBS: ReadonlySet<string> = new Set(
  ("delete remove purge destroy wipe erase drop clear empty trash expunge revoke reset terminate " +
    "uninstall invalidate abandon evict deprovision truncate").split(" "),
);

/** Verbs that change something even when the method is a GET. */
export const WRITE_VERBS: ReadonlySet<string> = new Set(
  ("create insert add update patch modify set replace move copy restore cancel start stop upload " +
    "collect write import submit approve reject enable disable activate deactivate publish send " +
    "register claim consume acknowledge ingest undelete untrash restart resume pause rename merge")
    .split(" "),
);

/** Verbs that only look, even when the method is a POST. */
export const READ_VERBS: ReadonlySet<string> = new Set(
  ("get list search query lookup find fetch count read retrieve describe compute calculate " +
    "estimate compare explain inspect preview simulate diagnose").split(" "),
);

/** Verbs that look when the method also accepts a read-only scope. */
export const CHECK_VERBS: ReadonlySet<string> = new Set(
  "test check validate analyze aggregate resolve tail hash compile lint".split(" "),
);

/** Leading words of a method name that say how, not what. */
export const MODIFIER_WORDS: ReadonlySet<string> = new Set(
  "batch bulk async streaming stream server widget".split(" "),
);

const OTHER_VERBS: ReadonlySet<string> = new Set(
  ("append export close open complete generate run execute watch sign move share transfer accept " +
    "decline geocode convert render translate detect").split(" "),
);

/** True for a word that names an action. */
export function isVerb(word: string): boolean {
  return READ_VERBS.has(word) || WRITE_VERBS.has(word) || DESTRUCTIVE_VERBS.has(word) ||
    CHECK_VERBS.has(word) || OTHER_VERBS.has(word);
}
