import { deepStrictEqual, equal, ok } from "node:assert/strict";
import {
  CONVENIENCE_ROWS,
  type ConvenienceRow,
  defaultVariant,
  loadCatalog,
  type Op,
  operationArguments,
} from "../lib/catalog/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { convenienceInputSchema, hasFormatControl } from "./convenience_schemas.ts";
import { convenienceInvocation } from "./convenience_tools.ts";
import { CONVENIENCE_TOOLS } from "./roster.ts";
import { catalogSession } from "./testdata/real_session.ts";
import { shaped } from "./testdata/fake_session.ts";
import { envelopeOf, withPeer } from "./testdata/raw_peer.ts";

/** Google's own parameters, accepted by every REST operation. */
const SYSTEM = new Set(["fields", "prettyPrint", "quotaUser"]);

function opOf(row: ConvenienceRow): Op {
  const op = loadCatalog().ops.find((candidate) => candidate.op_id === row.opId);
  if (op === undefined) throw new Error(`${row.tool}: no operation ${row.opId}`);
  return op;
}

function advertised(row: ConvenienceRow): string[] {
  return Object.keys(convenienceInputSchema(row).properties as JsonObject);
}

Deno.test("TestTierAConvenienceABI: every row has an operation, a variant and passthrough as declared", () => {
  equal(CONVENIENCE_ROWS.length, 18);
  for (const row of CONVENIENCE_ROWS) {
    const op = opOf(row);
    const variant = row.variantRule === "default"
      ? defaultVariant(op)
      : op.variants.find(({ variant_id }) =>
        row.variantRule !== "default" && variant_id === row.variantRule.fixed
      );
    ok(variant, row.tool);
    equal(variant.risk_class, row.confirmationPassthrough ? "write" : "read", row.tool);
    ok(row.formats.length > 0, row.tool);
  }
  equal(CONVENIENCE_ROWS.filter((row) => row.confirmationPassthrough).length, 8);
});

Deno.test("TestConvenienceHighStakesConfirmation: a high-stakes operation is behind passthrough", () => {
  for (const row of CONVENIENCE_ROWS) {
    const schema = convenienceInputSchema(row);
    const properties = schema.properties as JsonObject;
    if (defaultVariant(opOf(row))?.confirmation_policy === "high_stakes_write") {
      ok(row.confirmationPassthrough, row.tool);
    }
    equal(properties.confirmed !== undefined, row.confirmationPassthrough);
    if (row.confirmationPassthrough) {
      deepStrictEqual(properties.confirmed, { type: "boolean" });
      deepStrictEqual(properties.confirmation_token, { type: "string" });
      const required = Array.isArray(schema.required) ? schema.required : [];
      ok(!required.includes("confirmed") && !required.includes("confirmation_token"));
    }
  }
});

Deno.test("TestConvenienceSchemaPropertiesReachTheKernel: every advertised name is accepted", () => {
  for (const row of CONVENIENCE_ROWS) {
    const known = new Set(operationArguments(opOf(row)).map(({ name }) => name));
    const mapped = new Set([row.bodyArg, ...row.bodyFields ?? []]);
    const controls = new Set([
      ...(hasFormatControl(row) ? ["format"] : []),
      ...(row.confirmationPassthrough ? ["confirmed", "confirmation_token"] : []),
    ]);
    for (const name of advertised(row)) {
      ok(
        known.has(name) || SYSTEM.has(name) || mapped.has(name) || controls.has(name),
        `${row.tool}: ${name}`,
      );
    }
  }
});

Deno.test("TestConvenienceBodyArgsMapToRealBodyFields: mappings meet the operation's body", () => {
  for (const row of CONVENIENCE_ROWS) {
    const body = operationArguments(opOf(row)).filter(({ location }) => location === "body");
    const maps = row.bodyArg !== undefined || (row.bodyFields ?? []).length > 0;
    equal(maps, body.length > 0, row.tool);
    for (const name of row.bodyFields ?? []) {
      ok(body.some((field) => field.name === name), `${row.tool}: ${name}`);
      ok(advertised(row).includes(name), `${row.tool}: ${name}`);
    }
    if (row.bodyArg !== undefined) {
      ok(row.required.includes(row.bodyArg), row.tool);
      const properties = convenienceInputSchema(row).properties as Record<string, JsonObject>;
      equal(properties[row.bodyArg]?.type, "object", row.tool);
    }
  }
});

Deno.test("TestConvenienceRequiredPathParamsAreAdvertised: no call can miss a path parameter", () => {
  for (const row of CONVENIENCE_ROWS) {
    for (const { name, location, required } of operationArguments(opOf(row))) {
      if (location === "path" && required) ok(row.required.includes(name), `${row.tool}: ${name}`);
    }
  }
});

Deno.test("TestConvenienceFormatControlMatchesFormats: offered exactly when it decides something", () => {
  for (const row of CONVENIENCE_ROWS) {
    const own = operationArguments(opOf(row)).some(({ name }) => name === "format");
    equal(hasFormatControl(row), row.formats.length > 1 && !own, row.tool);
    if (!hasFormatControl(row)) continue;
    const properties = convenienceInputSchema(row).properties as Record<string, JsonObject>;
    deepStrictEqual(properties.format?.enum, [...row.formats], row.tool);
  }
});

Deno.test("TestConvenienceReadArgsReachExecutor: arguments arrive under the operation's names", async () => {
  const fake = await catalogSession();
  await withPeer(fake.session, {}, async (peer) => {
    await peer.call("gmail_search", { userId: "me", q: "x", maxResults: "5", format: "json" });
    await peer.call("gmail_get_message", { userId: "me", id: "m", format: "metadata" });
  });
  const [search, message] = fake.asked;
  deepStrictEqual(search?.args, { userId: "me", q: "x", maxResults: 5 });
  equal(search?.format, "json");
  deepStrictEqual(search?.allowedFormats, ["toon", "json"]);
  deepStrictEqual(
    [search?.allowWrite, search?.requireWriteConfirmation, search?.diffOnlyAllowed],
    [false, false, false],
  );
  deepStrictEqual(message?.args, { userId: "me", id: "m", format: "metadata" });
  equal(message?.format, undefined);
});

Deno.test("TestConvenienceWriteBodyArgReachesExecutor: the whole object becomes the body", async () => {
  const fake = await catalogSession({ answer: ({ opId }) => shaped(opId, { id: "e" }) });
  await withPeer(fake.session, {}, (peer) =>
    peer.call("calendar_create_event", {
      calendarId: "primary",
      event: { summary: "Lunch" },
      sendUpdates: "none",
    }));
  const [invocation] = fake.asked;
  deepStrictEqual(invocation?.args, {
    calendarId: "primary",
    sendUpdates: "none",
    body: { summary: "Lunch" },
  });
  deepStrictEqual(
    [invocation?.allowWrite, invocation?.allowDestructive, invocation?.requireWriteConfirmation],
    [true, false, true],
  );
});

Deno.test("TestConvenienceBodyFieldArgReachesExecutor: values go into the body, the rest stays", async () => {
  const fake = await catalogSession({ answer: ({ opId }) => shaped(opId, {}) });
  await withPeer(fake.session, {}, async (peer) => {
    await peer.call("sheets_write", {
      spreadsheetId: "s",
      range: "A1",
      values: [[1, null, "x"]],
      valueInputOption: "RAW",
    });
    await peer.call("gmail_create_draft", { userId: "me", message: { raw: "r" } });
    await peer.call("gmail_send", { userId: "me", message: { raw: "r" }, threadId: "t" });
  });
  deepStrictEqual(fake.asked.map(({ args }) => args), [
    {
      spreadsheetId: "s",
      range: "A1",
      valueInputOption: "RAW",
      body: { values: [[1, null, "x"]] },
    },
    { userId: "me", body: { message: { raw: "r" } } },
    { userId: "me", body: { raw: "r", threadId: "t" } },
  ]);
});

Deno.test("a body field given twice with different values is refused", async () => {
  const fake = await catalogSession();
  await withPeer(fake.session, {}, async (peer) => {
    const envelope = envelopeOf(
      await peer.call("gmail_send", {
        userId: "me",
        message: { raw: "r", threadId: "a" },
        threadId: "b",
      }),
    );
    equal(envelope.error_code, "INVALID_ARGS");
  });
  deepStrictEqual(fake.asked, []);
});

Deno.test("TestConvenienceHandlerRejectsUnadvertisedArg: even one the operation would take", async () => {
  const fake = await catalogSession();
  await withPeer(fake.session, {}, async (peer) => {
    const envelope = envelopeOf(
      await peer.call("gmail_search", { userId: "me", includeSpamTrash: true }),
    );
    deepStrictEqual(envelope.unknown, ["includeSpamTrash"]);
  });
  deepStrictEqual(fake.asked, []);
});

Deno.test("TestConvenienceHandlerRejectsMissingRequiredArg: before the kernel", async () => {
  const fake = await catalogSession();
  await withPeer(fake.session, {}, async (peer) => {
    deepStrictEqual(envelopeOf(await peer.call("gmail_search", {})).missing, ["userId"]);
  });
  deepStrictEqual(fake.asked, []);
});

Deno.test("calendar_upcoming means from now on, in order, unless the caller says otherwise", () => {
  const row = CONVENIENCE_ROWS.find(({ tool }) => tool === "calendar_upcoming");
  if (row === undefined) throw new Error("the row exists");
  const now = Date.parse("2026-03-01T10:00:00Z");
  deepStrictEqual(convenienceInvocation(row, { calendarId: "primary" }, now).args, {
    timeMin: "2026-03-01T10:00:00Z",
    singleEvents: true,
    orderBy: "startTime",
    calendarId: "primary",
  });
  deepStrictEqual(
    convenienceInvocation(row, { calendarId: "c", singleEvents: false, timeMin: "t" }, now).args,
    { timeMin: "t", singleEvents: false, calendarId: "c" },
  );
});

Deno.test("flights_search runs its fixed variant and answers what the kernel says", async () => {
  const fake = await catalogSession();
  await withPeer(fake.session, {}, (peer) =>
    peer.call("flights_search", {
      origin: "BER",
      destination: "LIS",
      departure_date: "2026-03-01",
    }));
  equal(fake.asked[0]?.requestedVariantId, "flights.v1.plugin.search");
  equal(CONVENIENCE_TOOLS.includes("flights_search"), true);
});
