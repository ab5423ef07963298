import { deepStrictEqual, equal, ok, throws } from "node:assert/strict";
import { readAssetText } from "../lib/assets/mod.ts";
import { isGumError } from "../lib/errors/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { checkTopicSize, embeddedHelp, loadHelpTopics } from "./help_topics.ts";
import { createMcpSurface } from "./mod.ts";
import { fakeSession } from "./testdata/fake_session.ts";
import { withPeer } from "./testdata/raw_peer.ts";
import { catalogSession } from "./testdata/real_session.ts";
import { readError, readItem, tableOf } from "./testdata/reading.ts";

Deno.test("TestHelpTopicsSeedSet: thirteen topics resolve to their files", async () => {
  const { session } = await catalogSession();
  await withPeer(session, { help: embeddedHelp }, async (peer) => {
    const records = tableOf((await readItem(peer, "gum://help/topics")).text);
    deepStrictEqual(records.map((row) => row.topic), [
      "auth",
      "calendar",
      "code-mode",
      "docs",
      "drive",
      "field-masks",
      "gain",
      "gmail",
      "plugins",
      "profiles",
      "recovery",
      "sheets",
      "toon-format",
    ]);
    for (const { topic, status } of records) {
      equal(status, "active");
      const read = await readItem(peer, `gum://help/${topic}`);
      equal(read.mimeType, "text/markdown");
      equal(read.text, readAssetText(`catalog/help/${topic}.md`));
    }
  });
});

Deno.test("TestHelpResourceNotFound: anything but a listed topic is not found, with the topic", async () => {
  await withPeer(fakeSession().session, {}, async (peer) => {
    for (const topic of ["none", "Drive", "dri_ve", "", "a/b", "drive?x", "drive#x"]) {
      const error = await readError(peer, `gum://help/${topic}`);
      equal(error.code, -32004, topic);
      equal(error.message, "Resource not found");
      const data = error.data as JsonObject;
      equal(data.error_code, "RESOURCE_NOT_FOUND");
      equal(data.uri, `gum://help/${topic}`);
      equal(data.topic, topic);
      ok(String(data.suggestion).includes("gum://help/topics"));
    }
  });
});

Deno.test("TestHandleHelpTopicReadUnknownTopicReturnsResourceNotFound: data names the topic", async () => {
  await withPeer(fakeSession().session, {}, async (peer) => {
    equal(((await readError(peer, "gum://help/none")).data as JsonObject).topic, "none");
  });
});

Deno.test("TestDeprecatedHelpRedirectBodyIsJCSCanonical: a renamed topic points to the new one", async () => {
  await withPeer(fakeSession().session, {}, async (peer) => {
    const read = await readItem(peer, "gum://help/disk");
    equal(read.mimeType, "application/json");
    equal(read.text, '{"redirect":"drive","status":"deprecated"}');
  });
});

Deno.test("TestHelpTopicDeprecatedReturnsRedirect: the redirect and nothing else", async () => {
  await withPeer(fakeSession().session, {}, async (peer) => {
    const read = await readItem(peer, "gum://help/disk");
    deepStrictEqual(JSON.parse(read.text), { redirect: "drive", status: "deprecated" });
    const listed = tableOf((await readItem(peer, "gum://help/topics")).text)
      .find((row) => row.topic === "disk");
    equal(listed?.redirect_topic, "drive");
  });
});

Deno.test("TestErrTopicTooLargeError: topic, size and limit are named", () => {
  checkTopicSize("a", "x".repeat(8192));
  throws(() => checkTopicSize("big", "ä".repeat(4097)), (error: Error) => {
    ok(isGumError(error, "HELP_TOPIC_TOO_LARGE"));
    equal(error.message, 'HELP_TOPIC_TOO_LARGE: topic "big" is 8194 bytes (max 8192)');
    return true;
  });
});

Deno.test("TestRegisterHelpResourcesPanicsOnOversizedTopic: start-up stops before any transport", () => {
  const help = {
    manifest: () =>
      '{"schema_version":1,"topics":[{"topic":"big","status":"active","one_line_description":"",' +
      '"redirect_topic":""}]}',
    body: () => "x".repeat(8193),
  };
  throws(
    () => createMcpSurface(fakeSession().session, { version: "t", help }),
    (error) => isGumError(error, "HELP_TOPIC_TOO_LARGE"),
  );
  throws(() => loadHelpTopics(help));
});
