/** Every answer of the Workspace services against the Discovery schemas that the catalog ships. */

import assert from "node:assert/strict";
import { isJsonObject, isRawNumber, type JsonObject, type JsonValue } from "../../json/mod.ts";
import { createCalendar } from "../calendar/mod.ts";
import { createDocs } from "../docs/mod.ts";
import { createSheets } from "../sheets/mod.ts";
import { createSlides } from "../slides/mod.ts";
import { createTasks } from "../tasks/mod.ts";
import { callerOf, type TestRequest, testSeed } from "./testdata/calling.ts";
import { createDrive, nativeFilesOf } from "./mod.ts";

const ROOT = new URL("../../../", import.meta.url);

async function readJson(path: string): Promise<JsonObject> {
  const parsed = JSON.parse(await Deno.readTextFile(new URL(path, ROOT))) as JsonValue;
  assert.ok(isJsonObject(parsed));
  return parsed;
}

/** What in a value contradicts a Discovery schema, as `path: what`. */
function violations(
  document: JsonObject,
  schema: JsonObject,
  value: JsonValue,
  path: string,
): string[] {
  if (typeof schema.$ref === "string") {
    const named = (document.schemas as JsonObject)[schema.$ref];
    assert.ok(isJsonObject(named), `no schema ${schema.$ref}`);
    return violations(document, named, value, path);
  }
  const wrong = [`${path}: ${JSON.stringify(value)?.slice(0, 60)} is no ${String(schema.type)}`];
  switch (schema.type) {
    case "object":
      if (!isJsonObject(value)) return wrong;
      return Object.entries(value).flatMap(([name, member]) => {
        const inner = (schema.properties as JsonObject | undefined)?.[name] ??
          schema.additionalProperties;
        return isJsonObject(inner)
          ? violations(document, inner, member, `${path}.${name}`)
          : [`${path}: unknown ${name}`];
      });
    case "array":
      if (!Array.isArray(value)) return wrong;
      return value.flatMap((item) =>
        violations(document, schema.items as JsonObject, item, `${path}[]`)
      );
    case "string":
      if (typeof value !== "string") return wrong;
      return Array.isArray(schema.enum) && !schema.enum.includes(value) ? wrong : [];
    case "integer":
      return Number.isInteger(value) ? [] : wrong;
    case "number":
      return typeof value === "number" || isRawNumber(value) ? [] : wrong;
    case "boolean":
      return typeof value === "boolean" ? [] : wrong;
    default:
      return [];
  }
}

function responseRef(document: JsonObject, methodId: string): JsonObject | undefined {
  const search = (resource: JsonObject): JsonObject | undefined => {
    for (const method of Object.values((resource.methods ?? {}) as JsonObject)) {
      if (isJsonObject(method) && method.id === methodId) return method;
    }
    for (const inner of Object.values((resource.resources ?? {}) as JsonObject)) {
      const found = isJsonObject(inner) ? search(inner) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return search(document)?.response as JsonObject | undefined;
}

function everyService() {
  const seed = testSeed({ world: {} });
  return {
    seed,
    services: {
      drive: createDrive(seed),
      calendar: createCalendar(seed),
      sheets: createSheets(seed),
      tasks: createTasks(seed),
      docs: createDocs(seed),
      slides: createSlides(seed),
    },
  };
}

const DOCUMENTS = {
  drive: "drive.v3",
  calendar: "calendar.v3",
  sheets: "sheets.v4",
  tasks: "tasks.v1",
  docs: "docs.v1",
  slides: "slides.v1",
} as const;

type ServiceName = keyof typeof DOCUMENTS;

Deno.test("workspace schemas: every curated operation has a stateful route of the same method", async () => {
  const { services } = everyService();
  const catalog = await readJson("catalog/catalog.json");
  const operations = (catalog.ops as JsonObject[]).filter((op) => String(op.service) in services);
  assert.ok(operations.length >= 70, String(operations.length));
  for (const operation of operations) {
    const id = String(operation.op_id);
    const { binding } = (operation.variants as JsonObject[])[0] as JsonObject;
    const http = (binding as JsonObject).http as JsonObject;
    const path = new URL(String(http.path)).pathname.replaceAll("%7B", "{").replaceAll("%7D", "}")
      .replaceAll("{+", "{");
    const routes = services[operation.service as ServiceName].routes;
    const found = routes.some((route) =>
      route.methodId === id && route.method === http.method && route.pattern === path
    );
    assert.ok(found, `${id} ${String(http.method)} ${path}`);
  }
});

Deno.test("workspace schemas: list, get and write answers hold only what Google declares", async () => {
  const { seed, services } = everyService();
  const documents = Object.fromEntries(
    await Promise.all(
      Object.entries(DOCUMENTS).map(async ([name, file]) =>
        [name, await readJson(`catalog/discovery/${file}.json`)] as const
      ),
    ),
  ) as Record<ServiceName, JsonObject>;
  const seen = new Map<string, JsonObject>();
  const check = async (methodId: string, request: TestRequest = {}): Promise<JsonObject> => {
    const name = methodId.split(".")[0] as ServiceName;
    const { json } = await callerOf(services[name])(methodId, request);
    const schema = responseRef(documents[name], methodId);
    assert.ok(schema, `${methodId} has no response schema`);
    assert.deepEqual(violations(documents[name], schema, json, methodId), []);
    seen.set(methodId, json);
    return json;
  };
  const fileSchema = responseRef(documents.drive, "drive.files.get") ?? {};
  const wrong = { id: 7, name: "x", surprise: true };
  assert.equal(violations(documents.drive, fileSchema, wrong, "self-test").length, 2);
  const all = { fields: "*", supportsAllDrives: "true", includeItemsFromAllDrives: "true" };
  await check("drive.files.list", { query: { ...all, pageSize: "1000" } });
  await check("drive.about.get", { query: all });
  await check("drive.drives.list", { query: all });
  const file = await check("drive.files.create", { query: all, body: { name: "x.txt" } });
  await check("drive.permissions.list", { params: { fileId: String(file.id) }, query: all });
  const { items } = await check("calendar.calendarList.list", { query: { showHidden: "true" } });
  for (const { id, accessRole } of items as JsonObject[]) {
    const params = { calendarId: String(id) };
    await check("calendar.calendars.get", { params });
    for (const singleEvents of ["true", "false"]) {
      await check("calendar.events.list", {
        params,
        query: {
          singleEvents,
          showDeleted: "true",
          timeMin: "2026-02-15T00:00:00Z",
          timeMax: "2026-08-20T00:00:00Z",
          maxResults: "2500",
        },
      });
    }
    if (accessRole === "owner") await check("calendar.acl.list", { params });
  }
  await check("calendar.colors.get");
  await check("calendar.settings.list");
  await check("calendar.events.quickAdd", {
    params: { calendarId: "primary" },
    query: { text: "x at 10:00" },
  });
  for (const { id } of (await check("tasks.tasklists.list")).items as JsonObject[]) {
    await check("tasks.tasks.list", {
      params: { tasklist: String(id) },
      query: { showHidden: "true", showDeleted: "true" },
    });
  }
  for (const native of nativeFilesOf(seed).list()) {
    if (native.kind === "document") {
      await check("docs.documents.get", { params: { documentId: native.id } });
    } else if (native.kind === "presentation") {
      await check("slides.presentations.get", { params: { presentationId: native.id } });
    } else {
      const params = { spreadsheetId: native.id };
      await check("sheets.spreadsheets.get", { params, query: { includeGridData: "true" } });
      await check("sheets.spreadsheets.values.get", { params: { ...params, range: "A1:Z50" } });
    }
  }
  assert.equal(seen.size, 18);
});
