import assert from "node:assert/strict";
import type { JsonObject } from "../../json/mod.ts";
import { startEmulator } from "../mod.ts";

const PEOPLE = "https://people.googleapis.com/v1";

interface Answer {
  status: number;
  json: JsonObject;
  text: string;
}
type Ask = (method: string, path: string, body?: unknown) => Promise<Answer>;

async function withPeople(run: (ask: Ask) => Promise<void>): Promise<void> {
  const emulator = await startEmulator();
  try {
    await run(async (method, path, body) => {
      const response = await fetch(emulator.rewrite(new URL(`${PEOPLE}/${path}`)), {
        method,
        headers: {
          authorization: `Bearer ${emulator.credentials.bearer}`,
          "content-type": "application/json",
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, text, json: text.startsWith("{") ? JSON.parse(text) : {} };
    });
  } finally {
    await emulator.close();
  }
}

const objects = (value: unknown) => (value ?? []) as JsonObject[];

Deno.test("people: connections page, and each resolves with the same etag", () =>
  withPeople(async (ask) => {
    const seen: JsonObject[] = [];
    let token = "";
    for (;;) {
      const page = await ask(
        "GET",
        `people/me/connections?personFields=names,metadata&pageSize=40${token}`,
      );
      assert.equal(page.status, 200, page.text);
      seen.push(...objects(page.json.connections));
      assert.equal(page.json.totalPeople, 187);
      if (page.json.nextPageToken === undefined) break;
      token = `&pageToken=${page.json.nextPageToken}`;
    }
    assert.equal(seen.length, 187);
    assert.equal(new Set(seen.map(({ resourceName }) => resourceName)).size, 187);
    for (const person of seen) {
      assert.deepEqual(Object.keys(person).sort(), ["etag", "metadata", "names", "resourceName"]);
      const read = await ask("GET", `${person.resourceName}?personFields=names,emailAddresses`);
      assert.equal(read.json.etag, person.etag);
    }
    const foreign = await ask("GET", "people/me/connections?personFields=names&pageToken=abc");
    assert.equal(foreign.status, 400);
  }));

Deno.test("people: a field mask is required and checked", () =>
  withPeople(async (ask) => {
    assert.match((await ask("GET", "people/me")).text, /personFields mask is required/);
    assert.equal((await ask("GET", "people/me?personFields=shoeSize")).status, 400);
    assert.equal((await ask("GET", "people:searchContacts?query=a")).status, 400);
    const me = await ask("GET", "people/me?personFields=names,emailAddresses,photos,metadata");
    assert.equal(
      (objects(me.json.emailAddresses)[0] ?? {}).value ?? "mara.lindqvist@example.com",
      "mara.lindqvist@example.com",
    );
    assert.match(String(me.json.resourceName), /^people\/1[0-9]{20}$/);
  }));

Deno.test("people: a contact is made, found, changed under its etag, and removed", () =>
  withPeople(async (ask) => {
    const made = await ask("POST", "people:createContact", {
      names: [{ givenName: "Zyz", familyName: "Zyva" }],
      emailAddresses: [{ value: "zyz@example.com" }],
    });
    assert.equal(made.status, 200, made.text);
    const resourceName = String(made.json.resourceName);
    assert.equal(objects(made.json.names)[0]?.displayName, "Zyz Zyva");
    const found = await ask("GET", "people:searchContacts?query=zyz&readMask=names,emailAddresses");
    assert.equal((objects(found.json.results)[0]?.person as JsonObject).resourceName, resourceName);
    const change = { etag: made.json.etag, names: [{ givenName: "Ada", familyName: "Zyva" }] };
    const stale = await ask("PATCH", `${resourceName}:updateContact?updatePersonFields=names`, {
      ...change,
      etag: "%old",
    });
    assert.equal(stale.status, 400);
    assert.match(stale.text, /FAILED_PRECONDITION/);
    const changed = await ask(
      "PATCH",
      `${resourceName}:updateContact?updatePersonFields=names`,
      change,
    );
    assert.equal(changed.status, 200, changed.text);
    assert.notEqual(changed.json.etag, made.json.etag);
    const read = await ask("GET", `${resourceName}?personFields=names,emailAddresses`);
    assert.equal(objects(read.json.names)[0]?.displayName, "Ada Zyva");
    assert.equal(objects(read.json.emailAddresses)[0]?.value, "zyz@example.com");
    const removed = await ask("DELETE", `${resourceName}:deleteContact`);
    assert.equal(removed.status, 204);
    assert.equal(removed.text, "");
    assert.equal((await ask("GET", `${resourceName}?personFields=names`)).status, 404);
    assert.deepEqual((await ask("GET", "people:searchContacts?query=zyz&readMask=names")).json, {});
    assert.equal((await ask("POST", "people:createContact", { shoeSize: 43 })).status, 400);
  }));

Deno.test("people: groups are listed, read with members, made and removed", () =>
  withPeople(async (ask) => {
    const listed = objects((await ask("GET", "contactGroups")).json.contactGroups);
    const mine = listed.find(({ name }) => name === "myContacts");
    assert.equal(mine?.memberCount, 187);
    for (const { resourceName } of listed) {
      assert.equal((await ask("GET", String(resourceName))).status, 200);
    }
    const choir = listed.find(({ name }) => String(name).startsWith("Choir"));
    const read = await ask("GET", `${choir?.resourceName}?maxMembers=3`);
    const members = read.json.memberResourceNames as string[];
    assert.equal(members.length, 3);
    for (const member of members) {
      assert.equal((await ask("GET", `${member}?personFields=memberships`)).status, 200);
    }
    const made = await ask("POST", "contactGroups", { contactGroup: { name: "Divers" } });
    assert.equal(made.json.groupType, "USER_CONTACT_GROUP");
    assert.equal(
      (await ask("POST", "contactGroups", { contactGroup: { name: "divers" } })).status,
      409,
    );
    assert.equal((await ask("DELETE", String(made.json.resourceName))).status, 204);
    assert.equal((await ask("GET", String(made.json.resourceName))).status, 404);
    assert.equal((await ask("DELETE", "contactGroups/starred")).status, 400);
    await ask("DELETE", `${choir?.resourceName}?deleteContacts=true`);
    assert.equal((await ask("GET", `${members[0]}?personFields=names`)).status, 404);
  }));
