/** Words and sentences of the emulated mailbox: many topics, several languages, no real names. */

import type { SeededRandom } from "./service.ts";

/** A subject area; each message stays within one. */
export interface Topic {
  name: string;
  nouns: readonly string[];
  places: readonly string[];
}

const words = (text: string): string[] => text.split(/\s*,\s*/);

/** Subject areas of the mailbox. */
export const TOPICS: readonly Topic[] = [
  {
    name: "harbour project",
    nouns: words(
      "breakwater drawings, tide tables, dredging permit, mooring layout, quay wall, contractor's estimate, soil samples, lighting plan, ferry timetable, survey boat, piling schedule, harbour master's letter, drainage channel, slipway, crane inspection, fuel berth, fender order, chart datum, wave model, concrete test cubes",
    ),
    places: words(
      "the north pier, the site hut, dock two, the ferry office, the boatyard, the old customs house",
    ),
  },
  {
    name: "library",
    nouns: words(
      "reading group, overdue notices, shelf labels, map collection, interlibrary loan, children's corner, card catalogue, donation boxes, microfilm reader, opening hours, archive room, binding repairs, audio books, local history talk, bookmobile route, volunteer rota, poetry evening, barcode scanner",
    ),
    places: words(
      "the branch on Mill Lane, the reading room, the loading bay, the basement stacks, the mezzanine",
    ),
  },
  {
    name: "kitchen",
    nouns: words(
      "sourdough starter, menu cards, oven thermostat, walk-in fridge, spice order, tasting panel, allergen sheet, dish rack, pastry station, olive delivery, cutlery count, induction hob, staff lunch, preserving jars, cheese board, knife sharpening, cold chain log, herb planters",
    ),
    places: words(
      "the test kitchen, the cold room, the terrace, the market hall, the canteen on level three",
    ),
  },
  {
    name: "field survey",
    nouns: words(
      "wader counts, drone batteries, transect map, weather station, pollen traps, camera tripod, sampling bottles, ringing permit, marsh boardwalk, moth lamps, species list, tidal gauge, hydrophone, field notebooks, nest boxes, bat detector, soil probe, peat core, river gauge",
    ),
    places: words(
      "the salt marsh, the ridge hut, the estuary, plot fourteen, the heron lookout, the lower meadow",
    ),
  },
  {
    name: "choir",
    nouns: words(
      "alto parts, rehearsal plan, page turner, concert programme, tuning fork, seating chart, recording session, score orders, soloist's train, chapel key, sound check, interval drinks, guest conductor, hymn sheets, warm-up tape, ticket stubs, stage risers, organ tuner",
    ),
    places: words("St Brannoc's, the rehearsal room, the town hall, the crypt, the side chapel"),
  },
  {
    name: "payments platform",
    nouns: words(
      "settlement report, retry queue, ledger export, webhook signature, chargeback form, sandbox keys, reconciliation job, rounding rule, currency table, dispute inbox, rate card, audit trail, invoice numbering, payout batch, risk score, schema migration, canary rollout, error budget, latency dashboard, load test",
    ),
    places: words(
      "the staging cluster, the Tuesday stand-up, the incident channel, meeting room Kestrel, the release branch",
    ),
  },
  {
    name: "school",
    nouns: words(
      "permission slips, science fair, lost property, reading log, packed lunches, bus list, parents' evening, recorder lessons, term dates, swimming kit, class photo, chess club, library books, sports day, allergy form, supply teacher, costume box, homework diary",
    ),
    places: words(
      "the assembly hall, the junior playground, room 4B, the front office, the art block",
    ),
  },
  {
    name: "flat renovation",
    nouns: words(
      "plasterer's quote, floor joists, boiler certificate, tile samples, skip permit, paint chart, window frames, party wall notice, radiator valves, light fittings, worktop template, damp report, loft hatch, socket positions, door handles, skirting boards, delivery slot, snagging list",
    ),
    places: words(
      "the back bedroom, the stairwell, the builder's yard, the second landing, the cellar",
    ),
  },
];

const OPENERS = words(
  "Quick one,Just a heads-up,Following on from this morning,Sorry for the slow reply,Thanks for chasing,Good news,Small change of plan,As discussed,One more thing,Before I forget,Coming back to your question,For the record,Nothing urgent,After sleeping on it,Having checked twice,Slightly embarrassing,Picking this up again",
);
const VERBS = words(
  "confirm,replace,measure,collect,review,postpone,label,count,photograph,return,sign off,reorder,double-check,archive,translate,redraw,insure,borrow,cancel,repair,schedule,compare,unpack,price,hand over,test,approve,split,merge,renumber",
);
const ADJECTIVES = words(
  "revised,missing,spare,final,provisional,oddly heavy,second-hand,laminated,half-finished,unlabelled,temporary,signed,urgent,waterproof,remaining,duplicate,handwritten,fragile,oversized,overdue,corrected,borrowed,outdated,annotated,cheaper,rusty,bilingual,sealed",
);
const REASONS = words(
  "the supplier moved the date again,two of the figures do not add up,the rain got into the boxes,somebody took the only key home,the new form asks for it,the old one finally gave up,nobody has looked since March,the inspector comes earlier than planned,it turned out to be the wrong size,we promised it to the neighbours,the spreadsheet rounds differently,the courier left it next door,the quote runs out at midnight,half the team is away,the last batch was mislabelled,accounts closed the month early,I misread the column headings,the wind is due to turn",
);
const CLOSERS = words(
  "Shout if that clashes with anything.,Happy to swap days.,No need to reply if that works.,I will ring you once I know more.,Could you let the others know?,Please keep the receipt this time.,See you there.,Bring a torch.,I owe you a coffee.,Feel free to forward this.,Tell me if I missed something.,More tomorrow.,Fingers crossed.,I have left a note on the door as well.,The long version is below.",
);
const DAYS = words("Monday,Tuesday,Wednesday,Thursday,Friday,Saturday,Sunday");
const ADVERBS = words(
  "quietly,properly,by hand,at last,in the wrong order,twice,without fuss,against the odds,before lunch,overnight,in pencil,as agreed,for once,in a hurry,with some luck,in both languages,on paper,from memory",
);

/** Sentences in other languages and scripts, so that non-ASCII text is ordinary. */
const FOREIGN: readonly string[] = [
  "Könntest du mir bitte die überarbeiteten Maße bis Donnerstag schicken? Die Tür klemmt immer noch.",
  "Wir treffen uns wie üblich vor dem Eingang; bringt bitte Regenjacken und Gummistiefel mit.",
  "J'ai laissé les clés à la réception, et le devis corrigé est dans la chemise bleue à côté du café.",
  "Le train de 7 h 42 est supprimé, on se retrouve donc à la gare une demi-heure plus tard que prévu.",
  "¿Podrías confirmar cuántas sillas necesitamos? El año pasado sobraron quince y faltó el micrófono.",
  "La reunión del miércoles pasa al jueves; mañana envío el acta y el presupuesto en una sola página.",
  "明日の打ち合わせは午後三時からに変更になりました。資料は前日までに共有します。",
  "先日の写真をお送りします。潮位が思ったより高く、観測は途中で中止しました。",
  "会议改到周四下午，请提前把修改后的图纸发给大家，谢谢。",
  "뵙게 되어 반가웠습니다. 정리한 회의록을 첨부하니 확인 부탁드립니다.",
  "שלום, צירפתי את הטיוטה המעודכנת. אפשר לדבר על זה ביום ראשון בבוקר?",
  "مرحبا، أرفقت لكم جدول المواعيد الجديد، ويرجى التأكيد قبل نهاية الأسبوع.",
  "Proszę o potwierdzenie terminu dostawy; poprzednia paczka przyszła z pękniętą śrubą i bez instrukcji.",
  "Děkuji za zprávu, klíče jsou u vrátného a výkres jsem nechal na stole v průjezdu.",
  "Takk for sist! Jeg sender bildene fra øya så snart båten er tilbake ved brygga.",
  "Grazie mille per l'ospitalità, il pane è finito già in stazione e la ricetta la vogliono tutti.",
  "Toplantı notlarını ekledim; yarınki görüşmeden önce üçüncü bölümü özellikle okumanızı rica ederim.",
  "Team lunch went well 👩‍🍳🥖 — the twins 👨‍👩‍👧‍👦 ate everything, and the 🐕 got the rest. 🎉",
];

/** Turns a random number source into text of one topic. */
export interface Prose {
  sentence(): string;
  paragraph(sentences: number): string;
  subject(): string;
  noun(): string;
  foreign(): string;
}

/** Prose about `topic`. */
export function proseOf(random: SeededRandom, topic: Topic): Prose {
  const noun = () => random.pick(topic.nouns);
  const the = () => `the ${random.next() < 0.55 ? `${random.pick(ADJECTIVES)} ` : ""}${noun()}`;
  const count = () => String(random.int(2, 480));
  const clock = () => `${random.int(7, 19)}:${random.pick(["00", "05", "15", "30", "40", "45"])}`;
  const money = () => `€${random.int(12, 9400)}.${String(random.int(0, 99)).padStart(2, "0")}`;
  const shapes: (() => string)[] = [
    () =>
      `${random.pick(OPENERS)}: could you ${random.pick(VERBS)} ${the()} before ${
        random.pick(DAYS)
      }?`,
    () =>
      `I had to ${random.pick(VERBS)} ${the()} ${random.pick(ADVERBS)}, because ${
        random.pick(REASONS)
      }.`,
    () => `${capital(the())} and ${the()} are still at ${random.pick(topic.places)}.`,
    () =>
      `We counted ${count()} of them at ${random.pick(topic.places)}, ${
        random.int(2, 60)
      } more than last time.`,
    () =>
      `If ${random.pick(REASONS)}, we ${random.pick(VERBS)} ${the()} and ${
        random.pick(VERBS)
      } ${the()} instead.`,
    () =>
      `The price for ${the()} went from ${money()} to ${money()}, which is ${
        random.pick(["fine", "a joke", "within budget", "worth a phone call", "hard to defend"])
      }.`,
    () => `${random.pick(CLOSERS)}`,
    () =>
      `Meet me at ${clock()} on ${random.pick(DAYS)}, at ${
        random.pick(topic.places)
      }, and bring ${the()}.`,
    () =>
      `My vote: ${random.pick(VERBS)} ${the()} now, ${random.pick(VERBS)} ${the()} ${
        random.pick(ADVERBS)
      }, and leave ${the()} alone.`,
    () =>
      `Reference ${random.hex(random.int(5, 9)).toUpperCase()} covers ${the()}; the other number, ${
        random.int(10000, 999999)
      }, is for ${the()}.`,
    () =>
      `It says "${random.pick(ADJECTIVES)}, ${random.pick(ADJECTIVES)}" on ${the()}, yet ${
        random.pick(REASONS)
      }.`,
    () =>
      `Nobody could ${random.pick(VERBS)} ${the()} ${random.pick(ADVERBS)}: ${
        random.pick(REASONS)
      }, and at ${clock()} ${random.pick(REASONS)}.`,
    () => `Between us, ${the()} was never ours to ${random.pick(VERBS)}.`,
    () =>
      `Room for ${random.int(3, 90)} people at ${
        random.pick(topic.places)
      }, provided ${the()} stays outside.`,
  ];
  const sentence = () => random.pick(shapes)();
  return {
    sentence,
    noun,
    paragraph: (sentences) => Array.from({ length: sentences }, sentence).join(" "),
    foreign: () => random.pick(FOREIGN),
    subject() {
      switch (random.int(0, 7)) {
        case 0:
          return `${capital(random.pick(ADJECTIVES))} ${noun()} for ${random.pick(DAYS)}`;
        case 1:
          return `Can we ${random.pick(VERBS)} the ${noun()}?`;
        case 2:
          return `${capital(noun())}, ${noun()} and ${random.int(2, 30)} open questions`;
        case 3:
          return `${capital(topic.name)}: ${noun()} (${random.hex(4).toUpperCase()})`;
        case 4:
          return `Please ${random.pick(VERBS)} the ${random.pick(ADJECTIVES)} ${noun()}`;
        case 5:
          return `About the "${random.pick(ADJECTIVES)}" ${noun()} at ${random.pick(topic.places)}`;
        case 6:
          return `${random.pick(DAYS)} ${clock()}: ${noun()}`;
        default:
          return `${capital(noun())}: ${random.pick(REASONS)}`;
      }
    },
  };
}

/** First letter in upper case. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
