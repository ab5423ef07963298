/** What seeded events say: summaries, descriptions, guests, conferences. */

import type { JsonObject } from "../../json/mod.ts";
import { opaqueId, type Prose } from "../drive/mod.ts";
import type { Person, SeededRandom, ServiceSeed } from "../service.ts";

/** What seeded events are made with. */
export interface Maker {
  seed: ServiceSeed;
  random: SeededRandom;
  prose: Prose;
}

/** An id of the alphabet that event ids have (base32hex). */
export function base32Id(random: SeededRandom, length: number): string {
  let id = "";
  for (let index = 0; index < length; index++) {
    id += "0123456789abcdefghijklmnopqrstuv"[random.int(0, 31)];
  }
  return id;
}

function person(account: Person, who: Person): JsonObject {
  const view: JsonObject = { email: who.email };
  if (who.email !== account.email) view.displayName = who.displayName;
  else view.self = true;
  return view;
}

/** Everything about an event but its times, drawn at random. */
export function details(
  { seed, random, prose }: Maker,
  { guests }: { guests: number },
): JsonObject {
  const { account } = seed;
  const organizer = random.next() < 0.6 ? account : random.pick(seed.people);
  const members: JsonObject = { summary: prose.subject() };
  if (random.next() < 0.5) {
    // Long-tailed: most descriptions are short, some are whole agendas.
    const sentences = 1 + Math.floor(14 * random.next() ** 4);
    members.description = random.next() < 0.3
      ? `<b>${prose.topic()}</b><br><ul>${
        Array.from({ length: sentences }, () => `<li>${prose.sentence()}</li>`).join("")
      }</ul>`
      : prose.paragraph(sentences);
  }
  if (random.next() < 0.45) members.location = prose.place();
  if (random.next() < 0.15) members.colorId = String(random.int(1, 11));
  members.creator = person(account, organizer);
  members.organizer = person(account, organizer);
  const draw = random.next();
  if (draw < 0.08) members.visibility = "private";
  if (draw > 0.9) members.transparency = "transparent";
  if (guests > 0) members.attendees = attendees({ seed, random, organizer, guests });
  if (guests > 0 && random.next() < 0.6) Object.assign(members, conference(random));
  if (random.next() < 0.05) members.guestsCanInviteOthers = false;
  if (random.next() < 0.05) {
    members.extendedProperties = { private: { ticket: String(random.int(1000, 99_999)) } };
  }
  members.reminders = random.next() < 0.75 ? { useDefault: true } : {
    useDefault: false,
    overrides: [{ method: "popup", minutes: random.pick([5, 10, 30, 60]) }, {
      method: "email",
      minutes: 1440,
    }],
  };
  if (random.next() < 0.1) {
    const fileId = `1${opaqueId(random, 43)}`;
    members.attachments = [{
      fileUrl: `https://docs.google.com/document/d/${fileId}/edit?usp=drive_web`,
      title: `Notes – ${String(members.summary)}`,
      mimeType: "application/vnd.google-apps.document",
      iconLink: "https://ssl.gstatic.com/docs/doclist/images/icon_11_document_list.png",
      fileId,
    }];
  }
  members.eventType = "default";
  return members;
}

function attendees(
  { seed, random, organizer, guests }: {
    seed: ServiceSeed;
    random: SeededRandom;
    organizer: Person;
    guests: number;
  },
): JsonObject[] {
  const invited = new Map<string, Person>([[organizer.email, organizer], [
    seed.account.email,
    seed.account,
  ]]);
  const left = [...seed.people];
  while (invited.size < guests + 1 && left.length > 0) {
    const next = left.splice(random.int(0, left.length - 1), 1)[0] as Person;
    invited.set(next.email, next);
  }
  const list = [...invited.values()].map((who): JsonObject => {
    const entry: JsonObject = { email: who.email };
    if (random.next() < 0.6) entry.displayName = who.displayName;
    if (who.email === organizer.email) entry.organizer = true;
    if (who.email === seed.account.email) entry.self = true;
    if (random.next() < 0.08) entry.optional = true;
    entry.responseStatus = who.email === organizer.email
      ? "accepted"
      : random.pick(["accepted", "accepted", "accepted", "needsAction", "tentative", "declined"]);
    if (random.next() < 0.04) {
      entry.comment = random.pick([
        "Komme 10 min später",
        'Only if "remote" is fine',
        "次回でお願いします",
      ]);
    }
    return entry;
  });
  if (random.next() < 0.15) {
    list.push({
      email: `c_${random.hex(20)}@resource.calendar.example.com`,
      displayName: `Hallstein Quay-2-Room ${random.int(1, 30)} (8)`,
      resource: true,
      responseStatus: "accepted",
    });
  }
  return list;
}

/** Conference members of an event: the link, and the data with its entry points. */
export function conference(random: SeededRandom): JsonObject {
  const letters = (count: number) =>
    Array.from({ length: count }, () => "abcdefghijkmnopqrstuvwxyz"[random.int(0, 24)]).join("");
  const code = `${letters(3)}-${letters(4)}-${letters(3)}`;
  const pin = String(random.int(100_000_000, 999_999_999));
  return {
    hangoutLink: `https://meet.google.com/${code}`,
    conferenceData: {
      entryPoints: [
        {
          entryPointType: "video",
          uri: `https://meet.google.com/${code}`,
          label: `meet.google.com/${code}`,
        },
        { entryPointType: "more", uri: `https://tel.meet/${code}?pin=${pin}`, pin },
        {
          entryPointType: "phone",
          uri: `tel:+49-30-5550-${random.int(1000, 9999)}`,
          label: `+49 30 5550 ${random.int(1000, 9999)}`,
          pin,
          regionCode: "DE",
        },
      ],
      conferenceSolution: {
        key: { type: "hangoutsMeet" },
        name: "Google Meet",
        iconUri:
          "https://fonts.gstatic.com/s/i/productlogos/meet_2020q4/v6/web-512dp/logo_meet_2020q4_color_2x_web_512dp.png",
      },
      conferenceId: code,
    },
  };
}

/** How many guests an event has: often none, now and then dozens. */
export function guestCount(random: SeededRandom): number {
  const draw = random.next();
  if (draw < 0.35) return 0;
  if (draw > 0.97) return random.int(25, 40);
  return 1 + Math.floor(12 * random.next() ** 2);
}
