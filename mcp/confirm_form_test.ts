/** Confirmation through the client's form, against the real kernel and the emulator. */

import { deepStrictEqual, equal, match, ok } from "node:assert/strict";
import { type Clock, systemClock } from "../lib/clock/mod.ts";
import type { JsonObject, JsonValue } from "../lib/json/mod.ts";
import type { Session } from "../lib/session/types.ts";
import { withEmulator } from "./testdata/emulated.ts";
import { envelopeOf, type RawPeer, type RawPeerOptions, withPeer } from "./testdata/raw_peer.ts";

const REVISIONS = ["2025-06-18", "2025-11-25", "2026-07-28"];
const MAIL: JsonObject = {
  userId: "me",
  message: { to: "Ann <ann@example.com>", subject: "Plan", text: "Hello\nconfirm: true" },
};

function sent(session: Session): number {
  return (session.emulator?.journal ?? [])
    .filter(({ path }) => path.endsWith("/messages/send")).length;
}

/** Sends the mail and answers the one question the same way on either protocol style. */
async function sendMail(
  session: Session,
  revision: string,
  answer: JsonObject,
  options: { retryArgs?: JsonObject; retryKey?: string; repeat?: boolean } = {},
): Promise<{ result: JsonObject; forms: JsonObject[]; peer: RawPeer }> {
  const forms: JsonObject[] = [];
  const settings: RawPeerOptions = {
    revision,
    capabilities: { elicitation: {} },
    onRequest: (request): JsonValue => {
      forms.push(request.params as JsonObject);
      return answer;
    },
  };
  return await withPeer(session, settings, async (peer) => {
    const call = { name: "gmail_send", arguments: MAIL };
    let result = (await peer.request("tools/call", call)).result as JsonObject;
    if (result.resultType === "input_required") {
      const [entry] = Object.entries(result.inputRequests as Record<string, JsonObject>);
      if (entry === undefined) throw new Error("nothing was asked");
      const [key, request] = entry;
      equal(request.method, "elicitation/create");
      forms.push(request.params as JsonObject);
      const retry = {
        name: "gmail_send",
        arguments: options.retryArgs ?? MAIL,
        inputResponses: { [options.retryKey ?? key]: answer },
      };
      result = (await peer.request("tools/call", retry)).result as JsonObject;
      if (options.repeat) result = (await peer.request("tools/call", retry)).result as JsonObject;
    }
    return { result, forms, peer };
  });
}

Deno.test("a client that shows forms lets the person confirm; the mail goes once", async () => {
  await withEmulator(async (session) => {
    for (const [index, revision] of REVISIONS.entries()) {
      const { result, forms } = await sendMail(session, revision, {
        action: "accept",
        content: { confirm: true },
      });
      equal(result.isError, undefined, JSON.stringify(result));
      equal(sent(session), index + 1, revision);
      equal(forms.length, 1);
      const text = String(forms[0]?.message);
      match(text, /^Mail to ann@example\.com: "Plan"\./);
      // The person sees the message, and no line of it passes for one of GUM's.
      ok(text.includes('\nfirst_lines: "Hello\\nconfirm: true"\n'), text);
      ok(!text.includes("v1."), "the token stays in the server");
      deepStrictEqual((forms[0]?.requestedSchema as JsonObject).required, ["confirm"]);
    }
  });
});

Deno.test("a no ends the call, without a token that could be spent on a yes", async () => {
  await withEmulator(async (session) => {
    for (const revision of REVISIONS) {
      const answers: JsonObject[] = [
        { action: "decline" },
        { action: "accept", content: { confirm: false } },
      ];
      for (const answer of answers) {
        const { result } = await sendMail(session, revision, answer);
        const envelope = envelopeOf(result);
        equal(envelope.error_code, "POLICY_DENIED", revision);
        equal(envelope.reason, "declined_by_user");
        equal(envelope.confirmation_token, undefined);
      }
    }
    equal(sent(session), 0);
  });
});

Deno.test("a closed form, or an answer to another one, leaves the ordinary way", async () => {
  await withEmulator(async (session) => {
    for (const revision of REVISIONS) {
      const { result } = await sendMail(session, revision, { action: "cancel" });
      equal(envelopeOf(result).error_code, "REQUIRES_CONFIRMATION", revision);
      ok(envelopeOf(result).confirmation_token);
    }
    const yes = { action: "accept", content: { confirm: true } };
    const forged = await sendMail(session, "2026-07-28", yes, { retryKey: "gum.confirm.0000" });
    equal(envelopeOf(forged.result).error_code, "REQUIRES_CONFIRMATION");
    equal(sent(session), 0);
  });
});

Deno.test("a form that fails, or comes back unusable, leaves the ordinary way too", async () => {
  await withEmulator(async (session) => {
    for (const revision of REVISIONS) {
      const unusable: JsonObject[] = [
        {},
        { action: "accept" },
        { action: "accept", content: { confirm: "yes" } },
        { action: "shrug", content: { confirm: true } },
      ];
      for (const answer of unusable) {
        const { result } = await sendMail(session, revision, answer);
        equal(envelopeOf(result).error_code, "REQUIRES_CONFIRMATION", JSON.stringify(answer));
        ok(envelopeOf(result).confirmation_token);
      }
    }
    for (const revision of ["2025-06-18", "2025-11-25"]) {
      const settings = {
        revision,
        capabilities: { elicitation: {} },
        rejects: ["elicitation/create"],
      };
      await withPeer(session, settings, async (peer) => {
        const envelope = envelopeOf(await peer.call("gmail_send", MAIL));
        equal(envelope.error_code, "REQUIRES_CONFIRMATION", revision);
        equal(peer.pushed.length, 1, "asked once");
      });
    }
    const settings = { revision: "2026-07-28", capabilities: { elicitation: {} } };
    await withPeer(session, settings, async (peer) => {
      const inputResponses = { "gum.confirm.0000": 5 };
      const result = await peer.call("gmail_send", MAIL, { inputResponses });
      equal(envelopeOf(result).error_code, "REQUIRES_CONFIRMATION", "not asked again");
    });
    equal(sent(session), 0);
  });
});

Deno.test("a client that never shows its forms is not asked again, and the model asks instead", async () => {
  await withEmulator(async (session) => {
    for (const revision of ["2025-06-18", "2025-11-25"]) {
      for (const [reason, failing] of [["SdkError: Request timed out", true], ["stopped", false]]) {
        await withPeer(session, { revision, capabilities: { elicitation: {} } }, async (peer) => {
          const call = { name: "gmail_send", arguments: MAIL };
          const id = peer.nextId;
          peer.request("tools/call", call);
          await peer.until(() => peer.pushed[0]);
          await peer.notify("notifications/cancelled", { requestId: id, reason: String(reason) });
          await peer.until(() => peer.pushed[1]);
          const second = peer.request("tools/call", call);
          if (!failing) return void await peer.until(() => peer.pushed[2]);
          const envelope = envelopeOf((await second).result as JsonObject);
          equal(envelope.error_code, "REQUIRES_CONFIRMATION");
          match(String(envelope.suggestion), /Ask the person in the conversation/);
          const sent = await peer.call("gmail_send", {
            ...MAIL,
            confirmed: true,
            confirmation_token: envelope.confirmation_token ?? "",
          });
          equal(sent.isError, undefined, JSON.stringify(sent));
          equal(peer.pushed.length, 2, "one form, and its withdrawal");
        });
      }
    }
  });
});

Deno.test("on the newer revision a form that lies there unanswered counts as not shown", async () => {
  let now = Date.parse("2026-11-02T09:00:00Z");
  const clock: Clock = { now: () => now, sleep: systemClock.sleep };
  await withEmulator(async (session) => {
    const settings = { revision: "2026-07-28", capabilities: { elicitation: {} } };
    await withPeer(session, settings, async (peer) => {
      const first = await peer.call("gmail_send", MAIL);
      equal(first.resultType, "input_required");
      now += 119_000;
      equal((await peer.call("gmail_send", MAIL)).resultType, "input_required");
      now += 1_000;
      const refused = envelopeOf(await peer.call("gmail_send", MAIL));
      equal(refused.error_code, "REQUIRES_CONFIRMATION");
      // A late answer still counts, and shows that there is somebody after all.
      const [key = ""] = Object.keys(first.inputRequests as JsonObject);
      const inputResponses = { [key]: { action: "decline" } };
      const late = envelopeOf(await peer.call("gmail_send", MAIL, { inputResponses }));
      equal(late.error_code, "POLICY_DENIED");
      equal((await peer.call("gmail_send", MAIL)).resultType, "input_required");
    });
  }, { clock });
});

Deno.test("a yes counts for the call that was shown, and once", async () => {
  await withEmulator(async (session) => {
    const yes = { action: "accept", content: { confirm: true } };
    const changed = await sendMail(session, "2026-07-28", yes, {
      retryArgs: { ...MAIL, message: { to: "eve@example.com", subject: "Plan", text: "Hello" } },
    });
    equal(envelopeOf(changed.result).error_code, "CONFIRMATION_TOKEN_INVALID");
    equal(sent(session), 0);
    const repeated = await sendMail(session, "2026-07-28", yes, { repeat: true });
    equal(envelopeOf(repeated.result).error_code, "REQUIRES_CONFIRMATION");
    equal(sent(session), 1);
  });
});

Deno.test("no form for clients without one, for URL-only elicitation, or when switched off", async () => {
  await withEmulator(async (session) => {
    const cases: Partial<RawPeerOptions>[] = [
      {},
      { capabilities: { elicitation: { url: {} } } },
      { capabilities: { elicitation: { form: {} } }, confirmByForm: false },
    ];
    for (const options of cases) {
      for (const revision of REVISIONS) {
        await withPeer(session, { revision, ...options }, async (peer) => {
          const envelope = envelopeOf(await peer.call("gmail_send", MAIL));
          equal(envelope.error_code, "REQUIRES_CONFIRMATION");
          deepStrictEqual(peer.pushed, []);
        });
      }
    }
  });
});

/** The text a person is shown before a call, which is then declined. */
async function shownFor(session: Session, tool: string, args: JsonObject): Promise<string> {
  const texts: string[] = [];
  await withPeer(session, {
    capabilities: { elicitation: {} },
    onRequest: (request): JsonValue => {
      texts.push(String((request.params as JsonObject).message));
      return { action: "decline" };
    },
  }, async (peer) => {
    equal(envelopeOf(await peer.call(tool, args)).reason, "declined_by_user");
  });
  equal(texts.length, 1);
  return texts[0] ?? "";
}

Deno.test("the form shows what is shared, written or invited, not only an address", async () => {
  await withEmulator(async (session) => {
    const permission = { type: "anyone", role: "reader" };
    const shared = await shownFor(session, "drive_share", { fileId: "f1", permission });
    match(shared, /gives others access.*: fileId f1, type anyone, role reader\./);
    match(shared, /\npermission: \{"type":"anyone","role":"reader"\}/);
    const written = await shownFor(session, "sheets_write", {
      spreadsheetId: "s1",
      range: "A1:B1",
      values: [["a", 1]],
      valueInputOption: "RAW",
    });
    match(written, /\nvalues: \[\["a",1\]\]/);
    ok(!written.includes("beyond your own data"), written);
    const deleted = await shownFor(session, "gum.destructive", {
      op_id: "gmail.users.messages.delete",
      args: { id: "m1" },
    });
    match(deleted, /cannot be undone: id m1\./);
  });
});

Deno.test("the form shows a script and its grants, and no line of it passes for GUM's", async () => {
  await withEmulator(async (session) => {
    const source = 'operation: harmless\ngum_call("drive.files.delete", {fileId: "f1"})';
    const text = await shownFor(session, "gum.code", {
      language: "risor",
      source,
      allow_destructive: true,
      destructive_budget: 2,
      destructive_scope: [{ op_id: "drive.files.delete" }],
    });
    match(text, /^The script may make up to 2 destructive calls \(drive\.files\.delete only\)\./);
    ok(text.includes('\n| operation: harmless\n| gum_call("drive.files.delete"'), text);
    match(text, /\nallow_destructive: true\ndestructive_budget: 2\n/);
  });
});
