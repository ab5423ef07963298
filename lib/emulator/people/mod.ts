/** The emulated People API: contacts, search, contact groups. */

import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import { paginate } from "../paging.ts";
import { routesOf } from "../routes.ts";
import type { EmulatedCall, EmulatedRoute, EmulatedService, ServiceSeed } from "../service.ts";
import { EmulatedError } from "../service.ts";
import {
  AddressBook,
  etagOf,
  groupView,
  invalidArgument,
  PERSON_FIELDS,
  personView,
  type StoredPerson,
} from "./store.ts";
import { fillAddressBook } from "./world.ts";

/** An address book of about 190 contacts. */
export function createPeople(seed: ServiceSeed): EmulatedService {
  const book = new AddressBook(seed.random);
  fillAddressBook(book, seed);
  return {
    name: "people",
    routes: [...personRoutes(book), ...groupRoutes(book)],
    inspect: () => ({
      contacts: book.contacts().map((person) => personView(person, PERSON_FIELDS)),
      groups: [...book.groups.values()].map((group) => groupView(book, group)),
    }),
  };
}

const route = routesOf({ host: "people.googleapis.com", ids: "people" });

function personRoutes(book: AddressBook): EmulatedRoute[] {
  return [
    route({
      id: "people.connections.list",
      method: "GET",
      pattern: "/v1/people/{person}/connections",
    }, (call) => {
      if (call.params.person !== "me") throw invalidArgument("Only people/me is supported.");
      return { body: listConnections(book, call) };
    }),
    route(
      { id: "people.get", method: "GET", pattern: "/v1/people/{person}" },
      ({ params, query }) => {
        const fields = fieldsOf(query.get("personFields"), "personFields");
        return { body: personView(find(book, params.person as string), fields) };
      },
    ),
    route(
      { id: "people.getBatchGet", method: "GET", pattern: "/v1/people:batchGet" },
      ({ query }) => {
        const fields = fieldsOf(query.get("personFields"), "personFields");
        const responses = query.getAll("resourceNames").map((resourceName): JsonValue => {
          const person = book.people.get(resourceName);
          return person === undefined
            ? { requestedResourceName: resourceName, httpStatusCode: 404 }
            : {
              requestedResourceName: resourceName,
              httpStatusCode: 200,
              person: personView(person, fields),
            };
        });
        return { body: { responses } };
      },
    ),
    route(
      { id: "people.searchContacts", method: "GET", pattern: "/v1/people:searchContacts" },
      ({ query }) => ({
        body: searchContacts(book, query),
      }),
    ),
    route(
      { id: "people.createContact", method: "POST", pattern: "/v1/people:createContact" },
      ({ body, query, now }) => {
        const person = book.addContact(readFields(body), { now });
        const asked = query.get("personFields");
        return {
          body: personView(person, asked ? fieldsOf(asked, "personFields") : PERSON_FIELDS),
        };
      },
    ),
    route({
      id: "people.updateContact",
      method: "PATCH",
      pattern: "/v1/people/{person}:updateContact",
    }, (call) => ({
      body: updateContact(book, call),
    })),
    route({
      id: "people.deleteContact",
      method: "DELETE",
      pattern: "/v1/people/{person}:deleteContact",
    }, ({ params }) => {
      const person = find(book, params.person as string);
      if (person.kind !== "CONTACT") throw invalidArgument("Resource is not a contact.");
      book.people.delete(person.resourceName);
      return { status: 204 };
    }),
  ];
}

function find(book: AddressBook, id: string): StoredPerson {
  const me = book.people.get("people/me");
  if (me !== undefined && me.resourceName === `people/${id}`) return me;
  return book.person(`people/${id}`);
}

/** A person-field mask. @throws EmulatedError 400 when absent or naming no field. */
function fieldsOf(mask: string | null, parameter: string): ReadonlySet<string> {
  const names = (mask ?? "").split(",").map((name) => name.trim()).filter((name) => name !== "");
  if (names.length === 0) {
    throw invalidArgument(
      `${parameter} mask is required. Please specify one or more valid paths. Valid paths are ` +
        "documented at https://developers.google.com/people/api/rest/v1/people/get.",
    );
  }
  const fields = new Set<string>();
  for (const name of names) {
    const top = name.split(".")[0] as string;
    if (!PERSON_FIELDS.has(top)) {
      throw invalidArgument(
        `Invalid ${parameter} mask path: "${name.slice(0, 60)}". Valid paths are documented at ` +
          "https://developers.google.com/people/api/rest/v1/people/get.",
      );
    }
    fields.add(top);
  }
  return fields;
}

function listConnections(book: AddressBook, { query }: EmulatedCall): JsonObject {
  const fields = fieldsOf(query.get("personFields"), "personFields");
  const order = query.get("sortOrder") ?? "LAST_MODIFIED_ASCENDING";
  const contacts = book.contacts().sort(comparatorOf(order));
  const page = paginate(contacts, {
    pageToken: query.get("pageToken"),
    pageSize: query.get("pageSize"),
    defaultSize: 100,
    maximumSize: 1000,
    scope: `connections?${order}&${query.get("personFields")}`,
    reason: "badRequest",
    message: "Invalid page token.",
  });
  const body: JsonObject = {};
  if (page.items.length > 0) {
    body.connections = page.items.map((person) => personView(person, fields));
  }
  if (page.nextPageToken !== undefined) body.nextPageToken = page.nextPageToken;
  else if (query.get("requestSyncToken") === "true") {
    body.nextSyncToken = etagOf({ resourceName: "connections", revision: contacts.length });
  }
  body.totalPeople = contacts.length;
  body.totalItems = contacts.length;
  return body;
}

function comparatorOf(order: string): (left: StoredPerson, right: StoredPerson) => number {
  const name = (person: StoredPerson, key: string) => {
    const names = person.fields.names;
    const first = Array.isArray(names) ? names[0] : undefined;
    return isJsonObject(first ?? null) ? String((first as JsonObject)[key] ?? "") : "";
  };
  // Code-unit order: a locale's collation would depend on the machine.
  const compare = (left: string, right: string) => left < right ? -1 : left > right ? 1 : 0;
  switch (order) {
    case "LAST_MODIFIED_ASCENDING":
      return (left, right) => left.updatedAt - right.updatedAt;
    case "LAST_MODIFIED_DESCENDING":
      return (left, right) => right.updatedAt - left.updatedAt;
    case "FIRST_NAME_ASCENDING":
      return (left, right) => compare(name(left, "givenName"), name(right, "givenName"));
    case "LAST_NAME_ASCENDING":
      return (left, right) => compare(name(left, "familyName"), name(right, "familyName"));
    default:
      throw invalidArgument(`Invalid value at 'sort_order', "${order.slice(0, 60)}"`);
  }
}

function searchContacts(book: AddressBook, query: URLSearchParams): JsonObject {
  const fields = fieldsOf(query.get("readMask"), "readMask");
  const wanted = (query.get("query") ?? "").toLowerCase().trim();
  // An empty query only warms Google's cache.
  if (wanted === "") return {};
  const found = book.contacts().filter((person) =>
    searchWords(person).some((word) => word.startsWith(wanted))
  );
  const asked = Number(query.get("pageSize") ?? "10");
  const size = Number.isInteger(asked) && asked > 0 ? Math.min(asked, 30) : 10;
  if (found.length === 0) return {};
  return {
    results: found.slice(0, size).map((person): JsonValue => ({
      person: personView(person, fields),
    })),
  };
}

function searchWords(person: StoredPerson): string[] {
  const words: string[] = [];
  for (const key of ["names", "nicknames", "emailAddresses", "phoneNumbers", "organizations"]) {
    const values = person.fields[key];
    for (const value of Array.isArray(values) ? values : []) {
      if (!isJsonObject(value)) continue;
      for (const text of Object.values(value)) {
        if (typeof text !== "string") continue;
        const lower = text.toLowerCase();
        words.push(lower, ...lower.split(/[\s.@,]+/));
      }
    }
  }
  return words;
}

function readFields(body: JsonValue | undefined): JsonObject {
  if (!isJsonObject(body ?? null)) throw invalidArgument("Request person is required.");
  const fields: JsonObject = {};
  for (const [key, value] of Object.entries(body as JsonObject)) {
    if (key === "resourceName" || key === "etag" || key === "metadata" || key === "memberships") {
      continue;
    }
    if (!PERSON_FIELDS.has(key)) {
      throw invalidArgument(
        `Invalid JSON payload received. Unknown name "${
          key.slice(0, 60)
        }" at 'person': Cannot find field.`,
      );
    }
    fields[key] = structuredClone(value) as JsonValue;
  }
  const names = fields.names;
  const first = Array.isArray(names) ? names[0] : undefined;
  if (isJsonObject(first ?? null)) completeName(first as JsonObject);
  return fields;
}

/** Derived name parts, as Google fills them in. */
function completeName(name: JsonObject): void {
  const parts = [name.givenName, name.familyName].filter((part) => typeof part === "string");
  const display = typeof name.unstructuredName === "string"
    ? name.unstructuredName
    : parts.join(" ");
  name.displayName ??= display;
  name.displayNameLastFirst ??= parts.length === 2 ? `${parts[1]}, ${parts[0]}` : display;
  name.unstructuredName ??= display;
}

function updateContact(book: AddressBook, call: EmulatedCall): JsonObject {
  const person = find(book, call.params.person as string);
  if (person.kind !== "CONTACT") throw invalidArgument("Resource is not a contact.");
  const mask = fieldsOf(call.query.get("updatePersonFields"), "updatePersonFields");
  const sent = isJsonObject(call.body ?? null) ? call.body as JsonObject : {};
  if (typeof sent.etag !== "string" && sent.metadata === undefined) {
    throw invalidArgument(
      "Request must set person.etag or person.metadata.sources.etag for the source that is being updated.",
    );
  }
  if (typeof sent.etag === "string" && sent.etag !== etagOf(person)) {
    throw new EmulatedError(
      400,
      "Request person.etag is different than the current person.etag. Clear local cache and get the latest person.",
      { reason: "failedPrecondition", status: "FAILED_PRECONDITION" },
    );
  }
  const fields = readFields(sent);
  for (const key of mask) {
    const value = fields[key];
    if (value === undefined) delete person.fields[key];
    else person.fields[key] = value;
  }
  person.revision++;
  person.updatedAt = call.now;
  const asked = call.query.get("personFields");
  return personView(person, asked ? fieldsOf(asked, "personFields") : PERSON_FIELDS);
}

function groupRoutes(book: AddressBook): EmulatedRoute[] {
  return [
    route(
      { id: "contactGroups.list", method: "GET", pattern: "/v1/contactGroups" },
      ({ query }) => {
        const groups = [...book.groups.values()];
        const page = paginate(groups, {
          pageToken: query.get("pageToken"),
          pageSize: query.get("pageSize"),
          defaultSize: 30,
          maximumSize: 1000,
          scope: "contactGroups",
          reason: "badRequest",
          message: "Invalid page token.",
        });
        return {
          body: {
            contactGroups: page.items.map((group) => groupView(book, group)),
            totalItems: groups.length,
            ...(page.nextPageToken === undefined
              ? { nextSyncToken: etagOf({ resourceName: "groups", revision: groups.length }) }
              : { nextPageToken: page.nextPageToken }),
          },
        };
      },
    ),
    route(
      { id: "contactGroups.get", method: "GET", pattern: "/v1/contactGroups/{group}" },
      ({ params, query }) => {
        const maxMembers = Number(query.get("maxMembers") ?? "0");
        const group = book.group(`contactGroups/${params.group}`);
        return { body: groupView(book, group, Number.isInteger(maxMembers) ? maxMembers : 0) };
      },
    ),
    route(
      { id: "contactGroups.create", method: "POST", pattern: "/v1/contactGroups" },
      ({ body, now }) => {
        const sent = isJsonObject(body ?? null) ? (body as JsonObject).contactGroup : undefined;
        const name = isJsonObject(sent ?? null) ? (sent as JsonObject).name : undefined;
        if (typeof name !== "string" || name.trim() === "") {
          throw invalidArgument("Contact group name is required.");
        }
        return { body: groupView(book, book.addGroup(name, now)) };
      },
    ),
    route(
      { id: "contactGroups.delete", method: "DELETE", pattern: "/v1/contactGroups/{group}" },
      ({ params, query }) => {
        const group = book.group(`contactGroups/${params.group}`);
        if (group.type === "SYSTEM_CONTACT_GROUP") {
          throw invalidArgument("System contact groups cannot be deleted.");
        }
        for (const member of book.members(group)) {
          if (query.get("deleteContacts") === "true") book.people.delete(member.resourceName);
          else member.groups = member.groups.filter((name) => name !== group.resourceName);
        }
        book.groups.delete(group.resourceName);
        return { status: 204 };
      },
    ),
  ];
}
