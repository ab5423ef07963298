/** Contacts and contact groups of one account. */

import type { JsonObject, JsonValue } from "../../json/mod.ts";
import { base64Url, utf8 } from "../encoding.ts";
import { hashHex } from "../random.ts";
import { EmulatedError, type SeededRandom } from "../service.ts";

/** A person as stored: every field, whatever a caller asks to see. */
export interface StoredPerson {
  resourceName: string;
  /** Fields by their API name, `metadata` and `etag` excluded. */
  fields: JsonObject;
  kind: "CONTACT" | "PROFILE";
  revision: number;
  updatedAt: number;
  /** Group resource names; contacts are in `contactGroups/myContacts` at least. */
  groups: string[];
}

/** A contact group. */
export interface StoredGroup {
  resourceName: string;
  name: string;
  type: "USER_CONTACT_GROUP" | "SYSTEM_CONTACT_GROUP";
  revision: number;
  updatedAt: number;
}

/** Fields of a person that a caller may ask for. */
export const PERSON_FIELDS: ReadonlySet<string> = new Set([
  "addresses",
  "ageRanges",
  "biographies",
  "birthdays",
  "calendarUrls",
  "clientData",
  "coverPhotos",
  "emailAddresses",
  "events",
  "externalIds",
  "genders",
  "imClients",
  "interests",
  "locales",
  "locations",
  "memberships",
  "metadata",
  "miscKeywords",
  "names",
  "nicknames",
  "occupations",
  "organizations",
  "phoneNumbers",
  "photos",
  "relations",
  "sipAddresses",
  "skills",
  "urls",
  "userDefined",
]);

/** Raised for an argument that the People API refuses. */
export function invalidArgument(message: string): EmulatedError {
  return new EmulatedError(400, message, { reason: "badRequest", status: "INVALID_ARGUMENT" });
}

/** Raised for a resource that is not there. */
export function notFound(): EmulatedError {
  return new EmulatedError(404, "Requested entity was not found.", {
    reason: "notFound",
    status: "NOT_FOUND",
  });
}

/** The account's address book. */
export class AddressBook {
  readonly people = new Map<string, StoredPerson>();
  readonly groups = new Map<string, StoredGroup>();
  #random: SeededRandom;

  constructor(random: SeededRandom) {
    this.#random = random.fork("ids");
  }

  /** @throws EmulatedError 404. */
  person(resourceName: string): StoredPerson {
    const person = this.people.get(resourceName);
    if (person === undefined) throw notFound();
    return person;
  }

  /** @throws EmulatedError 404. */
  group(resourceName: string): StoredGroup {
    const group = this.groups.get(resourceName);
    if (group === undefined) throw notFound();
    return group;
  }

  /** Contacts in order of their last change, oldest first. */
  contacts(): StoredPerson[] {
    return [...this.people.values()].filter((person) => person.kind === "CONTACT");
  }

  /** Members of a group. */
  members(group: StoredGroup): StoredPerson[] {
    return this.contacts().filter((person) => person.groups.includes(group.resourceName));
  }

  /** Adds a contact. */
  addContact(
    fields: JsonObject,
    options: { now: number; groups?: readonly string[] },
  ): StoredPerson {
    const person: StoredPerson = {
      resourceName: this.#newName(),
      fields,
      kind: "CONTACT",
      revision: 1,
      updatedAt: options.now,
      groups: [...new Set(["contactGroups/myContacts", ...options.groups ?? []])],
    };
    this.people.set(person.resourceName, person);
    return person;
  }

  /** Adds a user group. @throws EmulatedError 409 for a taken name. */
  addGroup(name: string, now: number): StoredGroup {
    for (const group of this.groups.values()) {
      if (group.name.toLowerCase() === name.toLowerCase()) {
        throw new EmulatedError(409, "Contact group name already exists.", {
          reason: "alreadyExists",
          status: "ALREADY_EXISTS",
        });
      }
    }
    const group: StoredGroup = {
      resourceName: `contactGroups/${this.#random.hex(15)}`,
      name,
      type: "USER_CONTACT_GROUP",
      revision: 1,
      updatedAt: now,
    };
    this.groups.set(group.resourceName, group);
    return group;
  }

  #newName(): string {
    for (;;) {
      const digits = BigInt(`0x${this.#random.hex(15)}`).toString().padStart(18, "0").slice(0, 18);
      const name = `people/c${this.#random.int(1, 9)}${digits}`;
      if (!this.people.has(name)) return name;
    }
  }
}

/** Entity tag of a stored resource: it changes with each revision. */
export function etagOf(resource: { resourceName: string; revision: number }): string {
  const bytes = Uint8Array.fromHex(hashHex(`${resource.resourceName}@${resource.revision}`, 18));
  return `%EgcBAj0JPjcu${base64Url(bytes)}=`;
}

/** The person resource with the asked fields. */
export function personView(person: StoredPerson, fields: ReadonlySet<string>): JsonObject {
  const view: JsonObject = { resourceName: person.resourceName, etag: etagOf(person) };
  const id = person.resourceName.replace(/^people\/c?/, "");
  if (fields.has("metadata")) {
    view.metadata = {
      sources: [{
        type: person.kind,
        id: person.kind === "CONTACT" ? BigInt(id).toString(16) : id,
        etag: `#${base64Url(utf8(hashHex(`source ${id} ${person.revision}`, 8)))}=`,
        updateTime: new Date(person.updatedAt).toISOString(),
        ...(person.kind === "PROFILE"
          ? { profileMetadata: { objectType: "PERSON", userTypes: ["GOOGLE_USER"] } }
          : {}),
      }],
      objectType: "PERSON",
    };
  }
  for (const [key, value] of Object.entries(person.fields)) {
    if (fields.has(key)) view[key] = withMetadata(value, person, id);
  }
  if (fields.has("memberships") && person.kind === "CONTACT") {
    view.memberships = person.groups.map((group): JsonValue => ({
      metadata: sourceMetadata(person, id, false),
      contactGroupMembership: {
        contactGroupId: group.replace("contactGroups/", ""),
        contactGroupResourceName: group,
      },
    }));
  }
  return view;
}

function withMetadata(value: JsonValue, person: StoredPerson, id: string): JsonValue {
  if (!Array.isArray(value)) return value;
  return value.map((item, index): JsonValue =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? { metadata: sourceMetadata(person, id, index === 0), ...item }
      : item
  );
}

function sourceMetadata(person: StoredPerson, id: string, primary: boolean): JsonObject {
  return {
    ...(primary ? { primary: true } : {}),
    source: {
      type: person.kind,
      id: person.kind === "CONTACT" ? BigInt(id).toString(16) : id,
    },
    ...(primary ? { sourcePrimary: true } : {}),
  };
}

/** The contact group resource. */
export function groupView(book: AddressBook, group: StoredGroup, maxMembers = 0): JsonObject {
  const members = book.members(group);
  const view: JsonObject = {
    resourceName: group.resourceName,
    etag: etagOf(group),
    ...(group.type === "USER_CONTACT_GROUP"
      ? { metadata: { updateTime: new Date(group.updatedAt).toISOString() } }
      : {}),
    groupType: group.type,
    name: group.name,
    formattedName: group.name.replace(/^./, (letter) => letter.toUpperCase()),
  };
  if (maxMembers > 0 && members.length > 0) {
    view.memberResourceNames = members.slice(0, maxMembers).map((person) => person.resourceName);
  }
  if (members.length > 0) view.memberCount = members.length;
  return view;
}
