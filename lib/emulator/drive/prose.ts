/** Invented office prose: titles, sentences and paragraphs that do not repeat themselves. */

import type { SeededRandom } from "../service.ts";

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

const ADJECTIVES = words(
  "quarterly regional interim revised draft final joint northern pilot coastal legacy modular annual " +
    "seasonal upstream domestic combined preliminary external tactical archived portable bilingual " +
    "lightweight rolling binding open shared public internal urgent phased wholesale mobile optional",
);
const NOUNS = words(
  "budget roadmap inventory forecast contract audit migration handbook rollout warehouse survey ledger " +
    "workshop onboarding pricing staffing logistics procurement prototype glossary checklist retention " +
    "telemetry calibration insulation turbine orchard ferry brochure archive catalogue tender invoice " +
    "payroll festival greenhouse shuttle tariff permit signage harvest subsidy ventilation lease mentor " +
    "kiosk sensor pavilion scaffold recipe timetable bakery library observatory tram depot lighthouse",
);
const VERBS = words(
  "approve postpone reconcile measure publish renegotiate translate sketch replace inspect deliver archive " +
    "schedule consolidate recount trim extend benchmark circulate finalise rewrite compare sample refit " +
    "budget repaint assemble decommission catalogue explain weigh verify simplify illustrate pack ship",
);
const PEOPLE_WORDS = words(
  "auditors vendors volunteers tenants drivers planners editors engineers apprentices inspectors bakers " +
    "trustees curators pilots librarians surveyors gardeners students accountants translators mechanics",
);
const PLACES = [
  "Hallstein Quay",
  "Brückenau",
  "Port Avel",
  "Señora Alta",
  "Kørsvik",
  "Łąkowice",
  "Nagamori",
  "Tel Shemer",
  "São Bento do Vale",
  "Ardmorran",
  "Vieux-Pré",
  "Žlutice Hill",
  "Marrowfield",
  "Österhamn",
  "Deir Zahra",
  "Kestrel Point",
];
const REASONS = [
  "because the supplier changed the packaging",
  "after the second site visit",
  "before the permit expires",
  "unless the insurer objects",
  "while the cranes are still on site",
  "so that the night shift can start on time",
  "now that the survey is back",
  "even though two quotes are missing",
  "as agreed on the phone",
  "until the new meters arrive",
  "given the weather of the last weeks",
  "once legal has signed off",
  "despite the lower volume in spring",
  "to keep the ferry connection",
  "with half of the planned staff",
  "without touching the reserve",
];
const KINDS = [
  "plan",
  "notes",
  "minutes",
  "review",
  "proposal",
  "summary",
  "tracker",
  "brief",
  "estimate",
  "FAQ",
  "agenda",
  "retrospective",
  "handover",
  "comparison",
];
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

function words(list: string): readonly string[] {
  return list.split(" ");
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Makes prose from seeded randomness. */
export function proseOf(random: SeededRandom): Prose {
  const adjective = () => random.pick(ADJECTIVES);
  const noun = () => random.pick(NOUNS);
  const topic = () =>
    random.next() < 0.5
      ? `${capital(adjective())} ${capital(noun())}`
      : `${capital(noun())} ${random.pick(PLACES)}`;
  const amount = () =>
    random.pick([
      () => `${random.int(2, 97)} %`,
      () => `${random.int(3, 980)} units`,
      () => `EUR ${random.int(1, 940)},${random.int(100, 999)}`,
      () => `${random.int(2, 48)} weeks`,
      () => `${random.int(2, 60)}.${random.int(0, 9)} km`,
      () => `room ${random.pick(["A", "B", "C", "K"])}${random.int(1, 42)}`,
      () => `${random.int(6, 21)}:${random.pick(["00", "10", "15", "30", "40", "45"])}`,
    ])();
  const frames: (() => string)[] = [
    () => `The ${adjective()} ${noun()} moves to ${random.pick(PLACES)} ${random.pick(REASONS)}.`,
    () =>
      `We ${random.pick(VERBS)} the ${noun()} and ${
        random.pick(VERBS)
      } the ${adjective()} ${noun()} by ${amount()}.`,
    () =>
      `${capital(random.pick(PEOPLE_WORDS))} asked for ${amount()} more, ${random.pick(REASONS)}.`,
    () =>
      `Please ${random.pick(VERBS)} the ${noun()} ${random.pick(REASONS)}; the ${
        random.pick(PEOPLE_WORDS)
      } wait for it.`,
    () =>
      `${amount()} of the ${adjective()} ${noun()} went to ${
        random.pick(PLACES)
      }, the rest stays with the ${random.pick(PEOPLE_WORDS)}.`,
    () =>
      `Nobody expects the ${random.pick(PEOPLE_WORDS)} to ${random.pick(VERBS)} a ${noun()} ${
        random.pick(REASONS)
      }.`,
    () =>
      `Open question: who will ${
        random.pick(VERBS)
      } the ${adjective()} ${noun()} when the ${noun()} in ${random.pick(PLACES)} is full?`,
    () =>
      `Ticket ${random.int(1000, 99999)} says “${adjective()} ${noun()}, not ${noun()}”, ${
        random.pick(REASONS)
      }.`,
    () =>
      `In ${random.pick(PLACES)} the ${noun()} costs ${amount()} and the ${
        random.pick(PEOPLE_WORDS)
      } ${random.pick(VERBS)} it themselves.`,
    () =>
      `Next: ${random.pick(VERBS)} ${amount()}, then ${random.pick(VERBS)} the ${noun()} (${
        random.pick(PEOPLE_WORDS)
      }, ${adjective()}).`,
  ];
  const sentence = () => random.pick(frames)();
  return {
    topic,
    fileTitle() {
      if (random.next() < 0.16) return random.pick(FOREIGN_TITLES)(random, topic());
      const name = `${topic()} ${random.pick(KINDS)}`;
      const tail = random.pick([
        () => ` ${random.int(2022, 2026)}`,
        () => ` v${random.int(1, 12)}`,
        () => ` (${random.pick(PEOPLE_WORDS)})`,
        () => ` Q${random.int(1, 4)}/${random.int(22, 26)}`,
        () => ` – ${random.pick(PLACES)}`,
        () => "",
      ])();
      return name + tail;
    },
    subject() {
      return random.pick([
        () => `${capital(random.pick(VERBS))} the ${adjective()} ${noun()}`,
        () => `${topic()} ${random.pick(KINDS)}`,
        () => `${capital(noun())} with the ${random.pick(PEOPLE_WORDS)}`,
        () => `${capital(noun())}/${noun()}: ${random.pick(VERBS)} ${amount()}`,
        () => `${random.pick(PLACES)} ${noun()} ${random.pick(KINDS)}`,
        () => random.pick(FOREIGN_TITLES)(random, topic()),
      ])();
    },
    sentence,
    paragraph(sentences) {
      return Array.from({ length: sentences }, sentence).join(" ");
    },
    place() {
      return `${random.pick(PLACES)}, ${capital(noun())} Street ${random.int(1, 240)}, floor ${
        random.int(0, 14)
      }`;
    },
  };
}
