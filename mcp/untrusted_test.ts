/** Text from strangers between marks, over the wire (spec 11 §8). */

import { deepStrictEqual, equal, ok } from "node:assert/strict";
import { decodeToonDocument, toonDocumentValue, unmarkText } from "../lib/format/mod.ts";
import type { JsonObject, JsonValue } from "../lib/json/mod.ts";
import { countTokens } from "../lib/tokens/mod.ts";
import type { Session } from "../lib/session/types.ts";
import type { ServedSession } from "./types.ts";
import { withEmulator } from "./testdata/emulated.ts";
import { type RawPeerOptions, textOf, withPeer } from "./testdata/raw_peer.ts";

const SEARCH: JsonObject = { userId: "me", maxResults: 5 };

async function call(
  session: ServedSession,
  request: { name: string; args: JsonObject },
  options: RawPeerOptions = {},
): Promise<{ text: string; structured: JsonObject; expression: JsonObject }> {
  return await withPeer(session, options, async (peer) => {
    const result = await peer.call(request.name, request.args);
    equal(result.isError, undefined, textOf(result));
    const structured = result.structuredContent as JsonObject;
    return {
      text: textOf(result),
      structured,
      expression: structured._expression as JsonObject,
    };
  });
}

/** An operation of the emulator whose profile names free text. */
async function subject(session: Session): Promise<{ name: string; args: JsonObject }> {
  const found = await call(session, { name: "gmail_search", args: { ...SEARCH, format: "json" } });
  const { messages } = found.structured.data as { messages: JsonObject[] };
  return { name: "gmail_get_message", args: { userId: "me", id: String(messages[0]?.id) } };
}

Deno.test("marks are off by default, and the free text is named all the same", async () => {
  await withEmulator(async (session) => {
    const request = await subject(session);
    const { expression } = await call(session, request);
    ok(Array.isArray(expression.untrusted_fields), JSON.stringify(expression));
    equal(expression.untrusted_mark, undefined);
  });
});

Deno.test("marked text stands between two tags and reads back exactly", async () => {
  await withEmulator(async (session) => {
    const message = await subject(session);
    const requests: { name: string; args: JsonObject }[] = [
      message,
      { name: "drive_find", args: { pageSize: 5, format: "json" } },
      {
        name: "calendar_upcoming",
        args: { calendarId: "primary", format: "json", timeMin: "2026-01-01T00:00:00Z" },
      },
    ];
    for (const request of requests) {
      const plain = await call(session, request);
      ok(plain.expression.untrusted_fields, request.name);
      const marked = await call(session, request, { markUntrusted: true });
      const tag = String(marked.expression.untrusted_mark);
      ok(/^[A-Z0-9]+$/.test(tag), tag);
      ok(!plain.text.includes(tag), "the tag occurs nowhere in the answer itself");
      ok(marked.text.includes(`${tag} `), marked.text.slice(0, 300));
      if (marked.structured.format === "json") {
        deepStrictEqual(
          unmarkText(marked.structured.data as JsonValue, tag),
          plain.structured.data,
        );
      }
      deepStrictEqual(marked.expression.untrusted_fields, plain.expression.untrusted_fields);
    }
  });
});

Deno.test("a table names its tag in its header and its reader takes the marks off", async () => {
  await withEmulator(async (session) => {
    const request = {
      name: "calendar_upcoming",
      args: { calendarId: "primary", maxResults: 5, timeMin: "2026-01-01T00:00:00Z" },
    };
    const plain = await call(session, request);
    const marked = await call(session, request, { markUntrusted: true });
    equal(marked.structured.format, "toon");
    ok(/^untrusted_mark: \S+$/m.test(marked.text), marked.text.slice(0, 200));
    deepStrictEqual(
      toonDocumentValue(decodeToonDocument(marked.text)),
      toonDocumentValue(decodeToonDocument(plain.text)),
    );
    const tag = /^untrusted_mark: (\S+)$/m.exec(marked.text)?.[1] ?? "";
    const fields = (marked.text.split(tag).length - 2) / 2;
    ok(fields > 0);
    const cost = await countTokens(marked.text) - await countTokens(plain.text);
    ok(cost <= 12 + 2 * fields, `${cost} tokens for ${fields} fields`);
  });
});

Deno.test("configuration switches the marks on too, with a new tag for every answer", async () => {
  await withEmulator(async (session) => {
    const request = await subject(session);
    const tags = new Set<unknown>();
    for (let round = 0; round < 8; round++) {
      const { expression } = await call({ ...session, untrustedText: "mark" }, request);
      tags.add(expression.untrusted_mark);
    }
    ok(tags.size > 1, [...tags].join());
  });
});
