/** Fills an address book: the world's people, and more contacts with everything a card can hold. */

import type { JsonObject, JsonValue } from "../../json/mod.ts";
import { hashHex } from "../random.ts";
import type { Person, SeededRandom, ServiceSeed } from "../service.ts";
import { capital, proseOf, TOPICS } from "../prose.ts";
import type { AddressBook } from "./store.ts";

const DAY = 86_400_000;
const EXTRA_CONTACTS = 148;

const words = (text: string): string[] => text.split(" ");
const GIVEN = words(
  "Alma Bastian Cecilie Dario Esra Farid Greta Hugo Ilse Jalil Katarzyna Luca Miriam Nils Oona Pavel Quentin Rosa Sunniva Teodor Ursula Vikram Wanda Xavier Yara Zdeněk Åsa Émilie İrem Øyvind",
);
const FAMILY = words(
  "Abelsen Brandão Castellanos Dufour Eriksen Fontaine Grünwald Hashimoto Iversen Jankowski Kovačević Lindholm Mbeki Novotná Oyelaran Petrov Quist Rosenthal Şahin Takahashi Ueda Vermeer Winterhalter Ximénez Yamauchi Zielonka",
);
const COMPANIES = words(
  "Kaimauer Tidewell Nordlicht Fjordbank Papirus Loamworks Quillon Brightwater Hansel&Söhne Mistral",
);
const ROLES = [
  "Site engineer",
  "Archivist",
  "Chef de partie",
  "Field ecologist",
  "Alto, section lead",
  "Payments analyst",
  "Head teacher",
  "Plasterer",
  "Surveyor (retired)",
  "Übersetzerin",
];

/** Generates contacts, groups and the owner's own profile. */
export function fillAddressBook(book: AddressBook, seed: ServiceSeed): void {
  for (const name of ["myContacts", "starred", "friends", "family", "coworkers", "blocked"]) {
    book.groups.set(`contactGroups/${name}`, {
      resourceName: `contactGroups/${name}`,
      name,
      type: "SYSTEM_CONTACT_GROUP",
      revision: 1,
      updatedAt: seed.now - 400 * DAY,
    });
  }
  const groups = ["Choir 🎶", "Harbour contractors", "Neighbours", "空のグループ"].map((
    name,
    index,
  ) => book.addGroup(name, seed.now - (index + 3) * 21 * DAY));
  const random = seed.random.fork("contacts");
  book.people.set("people/me", {
    resourceName: `people/1${
      BigInt(`0x${hashHex(`subject ${seed.account.email}`, 16)}`).toString().padStart(20, "0")
    }`,
    fields: card(random.fork("owner"), seed.account, seed.now),
    kind: "PROFILE",
    revision: 1,
    updatedAt: seed.now - 40 * DAY,
    groups: [],
  });
  const contacts: Person[] = [
    ...seed.people.filter((person) => person.email !== seed.account.email),
    ...Array.from(
      { length: EXTRA_CONTACTS },
      (_, index) => invented(random.fork(`name ${index}`), index),
    ),
  ];
  for (const [index, person] of contacts.entries()) {
    const own = random.fork(`card ${index}`);
    const memberOf = groups.slice(0, 3).filter(() => own.next() < 0.14).map((group) =>
      group.resourceName
    );
    if (own.next() < 0.08) memberOf.push("contactGroups/starred");
    book.addContact(card(own, person, seed.now), {
      now: seed.now - own.int(1, 900) * DAY - own.int(0, DAY),
      groups: memberOf,
    });
  }
}

function invented(random: SeededRandom, index: number): Person {
  const given = random.pick(GIVEN);
  const family = random.pick(FAMILY);
  const plain = `${given}.${family}`.normalize("NFD").replace(/[^a-zA-Z.]/g, "").toLowerCase();
  return {
    displayName: `${given} ${family}`,
    email: `${plain}${index % 5 === 0 ? random.int(2, 99) : ""}@${
      random.pick(["example.com", "example.org", "example.net", "mail.test"])
    }`,
  };
}

/** All fields of one person; each is there more or less often. */
function card(random: SeededRandom, person: Person, now: number): JsonObject {
  const prose = proseOf(random.fork("prose"), random.pick(TOPICS));
  const [given = "", ...rest] = person.displayName.split(" ");
  const family = rest.join(" ");
  const often = (chance: number) => random.next() < chance;
  const color = random.hex(6);
  const fields: JsonObject = {
    names: [{
      displayName: person.displayName,
      ...(family === "" ? {} : { familyName: family }),
      givenName: given,
      displayNameLastFirst: family === "" ? given : `${family}, ${given}`,
      unstructuredName: person.displayName,
    }],
    photos: [{
      url: `https://photos.example.com/contacts/${random.hex(40)}=s100`,
      ...(often(0.6) ? { default: true } : {}),
    }],
    coverPhotos: [{ url: `https://photos.example.com/c/${color}=s1600`, default: true }],
  };
  if (often(0.93)) {
    const addresses: JsonValue[] = [{ value: person.email, type: "home", formattedType: "Home" }];
    if (often(0.2)) {
      addresses.push({
        value: person.email.replace("@", "+old@"),
        type: "other",
        formattedType: "Other",
      });
    }
    fields.emailAddresses = addresses;
  }
  if (often(0.7)) {
    fields.phoneNumbers = Array.from({ length: often(0.25) ? 2 : 1 }, () => {
      const number = `${random.int(100, 999)}${random.int(1000, 9999)}`;
      return {
        value: `+46 70 ${number.slice(0, 3)} ${number.slice(3)}`,
        canonicalForm: `+4670${number}`,
        type: random.pick(["mobile", "work", "home"]),
        formattedType: random.pick(["Mobile", "Work", "Home"]),
      };
    });
  }
  if (often(0.45)) {
    const company = random.pick(COMPANIES);
    fields.organizations = [{
      type: "work",
      formattedType: "Work",
      name: company,
      title: random.pick(ROLES),
      ...(often(0.4) ? { department: capital(prose.noun()) } : {}),
    }];
  }
  if (often(0.35)) {
    const street = `${random.int(1, 180)} ${
      random.pick(["Harbour Row", "Kajgatan", "Rue du Port", "Am Deich"])
    }`;
    const city = random.pick(["Sandvik", "Østby", "Port-Clair", "Nørrevig"]);
    const code = String(random.int(10000, 99999));
    fields.addresses = [{
      formattedValue: `${street}\n${code} ${city}`,
      type: "home",
      formattedType: "Home",
      streetAddress: street,
      city,
      postalCode: code,
      ...(often(0.5) ? { country: "Sweden", countryCode: "SE" } : {}),
    }];
  }
  if (often(0.22)) {
    const date: JsonObject = { month: random.int(1, 12), day: random.int(1, 28) };
    if (often(0.7)) date.year = random.int(1948, 2009);
    fields.birthdays = [{ date, ...(often(0.5) ? { text: `${date.day}/${date.month}` } : {}) }];
  }
  if (often(0.25)) {
    fields.biographies = [{
      value: often(0.3) ? prose.foreign() : prose.paragraph(random.int(1, 5)),
      contentType: "TEXT_PLAIN",
    }];
  }
  if (often(0.15)) fields.nicknames = [{ value: given.slice(0, 3) }];
  if (often(0.12)) {
    fields.urls = [{
      value: `https://${random.hex(5)}.example.org/${encodeURIComponent(given)}`,
      type: "homePage",
      formattedType: "Home page",
    }];
  }
  if (often(0.1)) {
    fields.relations = [{ person: prose.noun(), type: "assistant", formattedType: "Assistant" }];
  }
  if (often(0.1)) {
    fields.events = [{
      date: { year: random.int(1990, 2024), month: random.int(1, 12), day: random.int(1, 28) },
      type: "anniversary",
      formattedType: "Anniversary",
    }];
  }
  if (often(0.12)) {
    fields.userDefined = [{
      key: prose.noun(),
      value: random.pick(["0017", "true", "null", `=A1+${random.int(1, 9)}`, "1e3"]),
    }];
  }
  if (often(0.08)) {
    fields.externalIds = [{
      value: `9007199254740${random.int(993, 999)}`,
      type: "account",
      formattedType: "Account",
    }];
  }
  if (now > 0 && often(0.06)) {
    fields.imClients = [{
      username: person.email,
      type: "home",
      formattedType: "Home",
      protocol: "jabber",
      formattedProtocol: "Jabber",
    }];
  }
  return fields;
}
