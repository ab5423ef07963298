/** Invented office prose: titles, sentences and paragraphs that do not repeat themselves. */

import type { SeededRandom } from "../service.ts";
import {
  ADJECTIVES,
  NOUNS,
  PAPERS,
  PLACE_HEADS,
  PLACE_KINDS,
  PLACE_TAILS,
  TRADES,
  VERBS,
} from "./prose_words.ts";

/** A source of synthetic text. */
export interface Prose {
  /** One or two capitalised words, as a project or team name. */
  topic(): string;
  /** A file title, about one in six not in English. */
  fileTitle(): string;
  /** The subject of a meeting or a task. */
  subject(): string;
  sentence(): string;
  /** `sentences` sentences in a row. */
  paragraph(sentences: number): string;
  /** A street address at an invented place. */
  place(): string;
}

const FOREIGN_TITLES: ((random: SeededRandom, topic: string) => string)[] = [
  (r, t) => `Übersicht ${t} – Kalenderwoche ${r.int(1, 52)}`,
  (r, t) => `議事録 ${t} ${r.int(2023, 2026)}年${r.int(1, 12)}月${r.int(1, 28)}日`,
  (r, t) => `Résumé « ${t} » n° ${r.int(2, 980)}`,
  (r, t) => `ملاحظات اجتماع ${t} ${r.int(2, 99)}`,
  (r, t) => `Протокол № ${r.int(2, 999)} (${t})`,
  (r, t) => `סיכום ישיבה ${t} ${r.int(2, 99)}`,
  (r, t) => `${t} 👩🏽‍🔧 onsite, día ${r.int(1, 30)}`,
  (r, t) => `프로젝트 ${t} ${r.int(1, 40)}차 보고`,
];

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** With its indefinite article. */
function oneOf(phrase: string): string {
  return `${/^[aeiou]/i.test(phrase) ? "an" : "a"} ${phrase}`;
}

/** Makes prose from seeded randomness. */
export function proseOf(random: SeededRandom): Prose {
  const adjective = () => random.pick(ADJECTIVES);
  const noun = () => random.pick(NOUNS);
  const verb = () => random.pick(VERBS);
  const trade = () => random.pick(TRADES);
  const town = () => random.pick(PLACE_HEADS) + random.pick(PLACE_TAILS) + random.pick(PLACE_KINDS);
  const choose = (options: readonly (() => string)[]) => random.pick(options)();
  const thing = () => random.next() < 0.6 ? `${adjective()} ${noun()}` : noun();
  const topic = () =>
    random.next() < 0.5
      ? `${capital(adjective())} ${capital(noun())}`
      : `${capital(noun())} ${town()}`;
  const amount = () =>
    choose([
      () => `${random.int(2, 97)} %`,
      () => `${random.int(3, 980)} units`,
      () => `EUR ${random.int(1, 940)},${random.int(100, 999)}`,
      () => `${random.int(2, 48)} weeks`,
      () => `${random.int(2, 60)}.${random.int(0, 9)} km`,
      () => `${random.int(3, 90)} ${noun()}s`,
      () => `${random.int(11, 480)} kg`,
    ]);
  const time = () =>
    choose([
      () => `on ${random.int(1, 28)}/${random.int(1, 12)}`,
      () => `at ${random.int(6, 21)}:${String(random.int(0, 11) * 5).padStart(2, "0")}`,
      () => `in week ${random.int(1, 52)}`,
      () => `before ${town()} closes`,
      () => `after the ${noun()} visit`,
    ]);
  const reason = () =>
    choose([
      () => `because the ${noun()} in ${town()} is ${adjective()}`,
      () => `unless the ${trade()} ${verb()} it first`,
      () => `while ${amount()} are still missing`,
      () => `so that the ${trade()} can ${verb()} the ${noun()}`,
      () => `now that the ${noun()} is back`,
      () => `even though ${random.int(2, 9)} quotes name ${oneOf(thing())}`,
      () => `as ${town()} asked ${time()}`,
      () => `without touching the ${thing()}`,
      () => `until the ${thing()} arrives`,
      () => time(),
    ]);
  const sentence = () =>
    choose([
      () => `The ${thing()} moves to ${town()} ${reason()}.`,
      () => `We ${verb()} the ${noun()} and ${verb()} the ${thing()} for ${amount()}.`,
      () => `${capital(trade())} asked for ${amount()} more, ${reason()}.`,
      () => `Please ${verb()} the ${thing()} ${reason()}; the ${trade()} wait for it.`,
      () => `${amount()} of the ${thing()} went to ${town()}, the rest stays with the ${trade()}.`,
      () => `Nobody expects the ${trade()} to ${verb()} ${oneOf(thing())} ${reason()}.`,
      () =>
        `Open question: who will ${verb()} the ${thing()} when the ${noun()} in ${town()} is full?`,
      () => `Ticket ${random.int(1000, 99999)} says “${thing()}, not ${noun()}”, ${reason()}.`,
      () =>
        `In ${town()} the ${noun()} costs ${amount()} and the ${trade()} ${verb()} it themselves.`,
      () =>
        `Next: ${verb()} ${amount()}, then ${verb()} the ${noun()} (${trade()}, ${adjective()}).`,
      () => `${capital(thing())}: ${verb()}, ${verb()} or ${verb()}?`,
      () => `Serial ${random.hex(8)} belongs to ${oneOf(thing())} that came ${time()}.`,
    ]);
  return {
    topic,
    fileTitle() {
      if (random.next() < 0.16) return random.pick(FOREIGN_TITLES)(random, topic());
      const tail = choose([
        () => ` ${random.int(2022, 2026)}`,
        () => ` v${random.int(1, 12)}`,
        () => ` (${trade()})`,
        () => ` Q${random.int(1, 4)}/${random.int(22, 26)}`,
        () => ` – ${town()}`,
        () => "",
      ]);
      return `${topic()} ${random.pick(PAPERS)}${tail}`;
    },
    subject() {
      return choose([
        () => `${capital(verb())} the ${thing()}`,
        () => `${topic()} ${random.pick(PAPERS)}`,
        () => `${capital(noun())} with the ${trade()}`,
        () => `${capital(noun())}/${noun()}: ${verb()} ${amount()}`,
        () => `${town()} ${noun()} ${random.pick(PAPERS)}`,
        () => random.pick(FOREIGN_TITLES)(random, topic()),
      ]);
    },
    sentence,
    paragraph(sentences) {
      return Array.from({ length: sentences }, sentence).join(" ");
    },
    place() {
      return `${town()}, ${capital(noun())} Street ${random.int(1, 240)}, floor ${
        random.int(0, 14)
      }`;
    },
  };
}
