import { deepStrictEqual, equal } from "node:assert/strict";
import { GumError } from "../lib/errors/mod.ts";
import type { JsonObject, JsonValue } from "../lib/json/mod.ts";
import { fakeSession } from "./testdata/fake_session.ts";
import { envelopeOf, type RawPeer, withPeer } from "./testdata/raw_peer.ts";
import type { ScopeReply } from "./types.ts";

const REVISIONS = ["2025-11-25", "2026-07-28"];
const CALL: JsonObject = { name: "gum.read", arguments: { op_id: "gmail.users.messages.list" } };
const FORM: JsonObject = {
  mode: "form",
  message: "More access?",
  requestedSchema: { type: "object", properties: { approve: { type: "boolean" } } },
};

function upgradable() {
  const replies: ScopeReply[] = [];
  const fake = fakeSession({
    answer: () => {
      throw new GumError("SCOPE_MISSING", { details: { op_id: "gmail.users.messages.list" } });
    },
    seams: {
      scopeUpgrade: {
        form: () => Promise.resolve({ formId: "form-1", params: FORM }),
        answer: (refusal, reply) => {
          replies.push(reply);
          const response = reply.responses["form-1"] as JsonObject | undefined;
          return Promise.resolve(
            response?.action === "accept" ? new GumError("SCOPE_GRANTED") : refusal,
          );
        },
      },
    },
  });
  return { ...fake, replies };
}

/** Calls, answering the one question on either protocol style. */
async function callAndAnswer(
  peer: RawPeer,
  answer: JsonObject,
  key = "form-1",
): Promise<JsonObject> {
  const { result } = await peer.request("tools/call", CALL);
  const first = result as JsonObject;
  if (first.resultType !== "input_required") return first;
  deepStrictEqual(first.inputRequests, {
    "form-1": { method: "elicitation/create", params: FORM },
  });
  const retried = await peer.request("tools/call", { ...CALL, inputResponses: { [key]: answer } });
  return retried.result as JsonObject;
}

Deno.test("a missing scope asks once on every revision and reports what the sign-in gave", async () => {
  for (const revision of REVISIONS) {
    for (const [action, code] of [["accept", "SCOPE_GRANTED"], ["decline", "SCOPE_MISSING"]]) {
      const { session, asked, replies } = upgradable();
      const answer: JsonObject = {
        action: action ?? "",
        ...(action === "accept" ? { content: { approve: true } } : {}),
      };
      const options = {
        revision,
        capabilities: { elicitation: {} },
        onRequest: (request: JsonObject): JsonValue => {
          equal(request.method, "elicitation/create");
          return answer;
        },
      };
      await withPeer(session, options, async (peer) => {
        const result = await callAndAnswer(peer, answer);
        equal(result.isError, true);
        equal(envelopeOf(result).error_code, code, revision);
        equal(replies.length, 1);
        equal(asked.length, 2);
      });
    }
  }
});

Deno.test("a scope that is missing after a yes is asked for, and the yes is not asked for again", async () => {
  for (const revision of REVISIONS) {
    const replies: ScopeReply[] = [];
    const { session, asked } = fakeSession({
      answer: ({ confirmed, confirmationToken, opId }) => {
        throw confirmed && confirmationToken === "v1.token"
          ? new GumError("SCOPE_MISSING", { details: { op_id: opId } })
          : new GumError("REQUIRES_CONFIRMATION", {
            details: { op_id: opId, confirmation_token: "v1.token" },
          });
      },
      seams: {
        scopeUpgrade: {
          form: () => Promise.resolve({ formId: "form-1", params: FORM }),
          answer: (_refusal, reply) => {
            replies.push(reply);
            return Promise.resolve(new GumError("SCOPE_GRANTED"));
          },
        },
      },
    });
    const questions: string[] = [];
    const answerTo = (params: JsonObject): JsonObject => {
      const consent = params.message === FORM.message;
      questions.push(consent ? "consent" : "confirm");
      return { action: "accept", content: consent ? { approve: true } : { confirm: true } };
    };
    const options = {
      revision,
      capabilities: { elicitation: {} },
      onRequest: (request: JsonObject): JsonValue => answerTo(request.params as JsonObject),
    };
    await withPeer(session, options, async (peer) => {
      let result = await peer.call("gum.read", CALL.arguments as JsonObject);
      while (result.resultType === "input_required" && questions.length < 10) {
        const requests = Object.entries(result.inputRequests as Record<string, JsonObject>);
        const inputResponses = Object.fromEntries(
          requests.map(([key, { params }]) => [key, answerTo(params as JsonObject)]),
        );
        result = await peer.call("gum.read", CALL.arguments as JsonObject, { inputResponses });
      }
      deepStrictEqual(questions, ["confirm", "consent"], revision);
      equal(envelopeOf(result).error_code, "SCOPE_GRANTED");
      deepStrictEqual(replies.map(({ responses }) => Object.keys(responses)), [["form-1"]]);
      equal(asked.length, 3);
    });
  }
});

Deno.test("a client that cannot ask its user gets the refusal", async () => {
  for (const revision of REVISIONS) {
    const { session, replies } = upgradable();
    await withPeer(session, { revision }, async (peer) => {
      equal(envelopeOf(await callAndAnswer(peer, {})).error_code, "SCOPE_MISSING");
      equal(replies.length, 0);
    });
  }
});

Deno.test("a consent form that nobody ever sees does not hide the refusal for good", async () => {
  const { session } = upgradable();
  let now = 0;
  const clocked = { ...session, clock: { now: () => now, sleep: session.clock.sleep } };
  const options = { revision: "2026-07-28", capabilities: { elicitation: {} } };
  await withPeer(clocked, options, async (peer) => {
    const call = () => peer.call("gum.read", CALL.arguments as JsonObject);
    equal((await call()).resultType, "input_required");
    now += 180_000;
    equal(envelopeOf(await call()).error_code, "SCOPE_MISSING");
  });
});

Deno.test("a reply under another form asks nothing more", async () => {
  const { session } = upgradable();
  const options = { revision: "2026-07-28", capabilities: { elicitation: {} } };
  await withPeer(session, options, async (peer) => {
    const result = await callAndAnswer(peer, { action: "accept", content: {} }, "form-2");
    equal(envelopeOf(result).error_code, "SCOPE_MISSING");
  });
});

Deno.test("roots are asked before, never in the same round", async () => {
  const { session } = upgradable();
  const options = { revision: "2026-07-28", capabilities: { elicitation: {}, roots: {} } };
  await withPeer(session, options, async (peer) => {
    const first = (await peer.request("tools/call", CALL)).result as JsonObject;
    deepStrictEqual(Object.keys(first.inputRequests as JsonObject), ["gum.roots"]);
    const second = (await peer.request("tools/call", {
      ...CALL,
      inputResponses: { "gum.roots": { roots: [] } },
    })).result as JsonObject;
    deepStrictEqual(Object.keys(second.inputRequests as JsonObject), ["form-1"]);
  });
});
