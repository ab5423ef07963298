/**
 * A request in words that the indexes know: nicknames of services, compounds written with a hyphen,
 * slips of the keyboard. A word that means something already is never touched.
 */

import { isVerb } from "./verbs.ts";
import { stem, tokenize } from "./words.ts";

/** What there is to be found. */
export interface Vocabulary {
  /** True for a stem that a curated operation or a synonym answers. */
  curated: (term: string) => boolean;
  /** True for a stem that anything answers. */
  known: (term: string) => boolean;
  /** Stems to mean when a word is mistyped. */
  terms: () => Iterable<string>;
}

/** What people call services and their files; `g` before a service's own word needs no row. */
const NICKNAMES: ReadonlyMap<string, string> = new Map([
  ["gcal", "calendar"],
  ["gsc", "search console"],
  ["yt", "youtube"],
  ["ppt", "presentation"],
  ["pptx", "presentation"],
  ["xls", "spreadsheet"],
  ["xlsx", "spreadsheet"],
]);

const TO_DO = /\bto do(?= (?:list|item|task)s?\b)/gi;

/** Shorter words are one slip away from too many others. */
const SHORTEST_MISTYPED = 5;

/** The same request, each word that nothing answers replaced by the one that was meant. */
export function reworded(text: string, vocabulary: Vocabulary): string {
  // Letters outside ASCII would end a run here, and half a word is not one to correct.
  // deno-lint-ignore no-control-regex -- the whole of ASCII is meant
  if (!/^[\x00-\x7f]*$/.test(text)) return text;
  // Both are stop words, so that only what follows tells the list from the wish.
  const whole = vocabulary.curated("todo") ? text.replaceAll(TO_DO, "todo") : text;
  return whole.replaceAll(
    /[A-Za-z0-9]+(?:[-/][A-Za-z0-9]+)*/g,
    (run, at: number) => {
      const parts = run.split(/[-/]/);
      const compound = parts.length === 1 ? undefined : parts.join("").toLowerCase();
      if (compound !== undefined && vocabulary.curated(stem(compound))) return compound;
      return run.replaceAll(
        /[A-Za-z0-9]+/g,
        (word, inside: number) => meant(word, { vocabulary, first: at + inside === 0 }),
      );
    },
  );
}

function meant(word: string, place: { vocabulary: Vocabulary; first: boolean }): string {
  const { vocabulary, first } = place;
  const typed = word.toLowerCase();
  const term = stem(typed);
  if (tokenize(typed).length === 0 || vocabulary.curated(term)) return word;
  const nickname = NICKNAMES.get(typed);
  if (nickname !== undefined) return nickname;
  if (vocabulary.known(term) || isVerb(term) || /[a-z][A-Z]/.test(word)) return word;
  const own = typed.slice(1);
  if (typed.startsWith("g") && own.length > 2 && vocabulary.curated(stem(own))) return own;
  // A capital inside a sentence begins a name, which is spelled as it is.
  if (!/^[a-z]+$/.test(typed) || (!first && /^[A-Z][a-z]/.test(word))) return word;
  if (typed.length < SHORTEST_MISTYPED) return word;
  return nearest(term, vocabulary.terms()) ?? word;
}

/** The term one slip away; swapped letters before a wrong one, before one too few or too many. */
function nearest(typed: string, terms: Iterable<string>): string | undefined {
  let best: { term: string; cost: number } | undefined;
  for (const term of terms) {
    // The first letter is hardly ever wrong, and other words differ in nothing else.
    if (term[0] !== typed[0] || term.length < SHORTEST_MISTYPED - 1) continue;
    const cost = slip(typed, term);
    if (cost === undefined || stem(term) !== term) continue;
    if (best === undefined || cost < best.cost || (cost === best.cost && term < best.term)) {
      best = { term, cost };
    }
  }
  return best?.term;
}

/** How unlikely the one slip between two words is; undefined when they are further apart. */
function slip(typed: string, term: string): number | undefined {
  if (Math.abs(typed.length - term.length) > 1) return undefined;
  let same = 0;
  while (same < typed.length && typed[same] === term[same]) same++;
  const left = typed.slice(same);
  const right = term.slice(same);
  if (left.length > right.length) return left.slice(1) === right ? 2 : undefined;
  if (left.length < right.length) return left === right.slice(1) ? 2 : undefined;
  if (left.slice(2) === right.slice(2) && left[0] === right[1] && left[1] === right[0]) return 0;
  return left.slice(1) === right.slice(1) ? 1 : undefined;
}
