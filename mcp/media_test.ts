/** Files over MCP: `download_to` and `upload_from` (spec 01 §7, 02 §8). */

import { deepStrictEqual, equal, match } from "node:assert/strict";
import { createHash } from "node:crypto";
import { isJsonObject, type JsonObject } from "../lib/json/mod.ts";
import { fakeSession } from "./testdata/fake_session.ts";
import { withEmulator } from "./testdata/emulated.ts";
import { envelopeOf, textOf, withPeer } from "./testdata/raw_peer.ts";

function dataOf(result: JsonObject): JsonObject {
  const structured = result.structuredContent;
  if (!isJsonObject(structured) || !isJsonObject(structured.data)) throw new Error(textOf(result));
  return structured.data;
}

async function withRoot(use: (root: string) => Promise<void>): Promise<void> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "gum-mcp-media-" }));
  try {
    await use(root);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

Deno.test("TestMediaMcp: a file goes up and comes down inside the client's root, and nowhere else", async () => {
  await withRoot(async (root) => {
    await Deno.writeTextFile(`${root}/plan.md`, "# Plan\n");
    const options = {
      revision: "2025-11-25",
      capabilities: { roots: {} },
      onRequest: () => ({ roots: [{ uri: `file://${root}` }] }),
    };
    await withEmulator((session) =>
      withPeer(session, options, async (peer) => {
        const up = dataOf(
          await peer.call("gum.write", {
            op_id: "drive.files.create",
            args: {},
            upload_from: `${root}/plan.md`,
            format: "json",
          }),
        );
        deepStrictEqual([up.name, up.mimeType], ["plan.md", "text/markdown"]);
        const down = dataOf(
          await peer.call("gum.read", {
            op_id: "drive.files.get",
            args: { fileId: up.id ?? "" },
            download_to: `${root}/copy.md`,
            format: "json",
          }),
        );
        equal(down.path, `${root}/copy.md`);
        equal(down.sha256, createHash("sha256").update("# Plan\n").digest("hex"));
        equal(await Deno.readTextFile(`${root}/copy.md`), "# Plan\n");
        for (const target of ["/etc/gum-test", `${root}/../elsewhere`, "-", `${root}-x`]) {
          const refused = envelopeOf(
            await peer.call("gum.read", {
              op_id: "drive.files.get",
              args: { fileId: up.id ?? "" },
              download_to: target,
            }),
          );
          deepStrictEqual([refused.error_code, refused.reason], [
            "POLICY_DENIED",
            "download_path_not_allowed",
          ]);
        }
        const read = envelopeOf(
          await peer.call("gum.write", {
            op_id: "drive.files.create",
            args: {},
            upload_from: "/etc/hostname",
          }),
        );
        equal(read.reason, "upload_path_not_allowed");
        const again = envelopeOf(
          await peer.call("gum.read", {
            op_id: "drive.files.get",
            args: { fileId: up.id ?? "" },
            download_to: `${root}/copy.md`,
          }),
        );
        equal(again.reason, "target_exists");
      })
    );
  });
});

Deno.test("TestMediaMcp: without a root or a configured directory no file is touched", async () => {
  await withRoot(async (root) => {
    await withEmulator((session) =>
      withPeer(session, {}, async (peer) => {
        const refused = envelopeOf(
          await peer.call("gum.read", {
            op_id: "drive.files.get",
            args: { fileId: "x" },
            download_to: `${root}/x`,
          }),
        );
        equal(refused.error_code, "POLICY_DENIED");
        match(String(refused.suggestion), /media\.dirs/);
        deepStrictEqual([...Deno.readDirSync(root)], []);
      })
    );
  });
});

Deno.test("TestMediaMcp: each argument belongs to one tool, and only a real one travels", async () => {
  const fake = fakeSession();
  await withPeer(fake.session, {}, async (peer) => {
    const op = { op_id: "gmail.users.messages.list" };
    await peer.call("gum.read", { ...op, download_to: "/d/x" });
    await peer.call("gum.read", op);
    const [first, second] = fake.asked;
    const { kind, target } = first?.media as { kind: string; target: string };
    deepStrictEqual([kind, target], ["download", "/d/x"]);
    equal(second?.media, undefined);
    for (
      const [tool, name] of [["gum.write", "download_to"], ["gum.read", "upload_from"], [
        "gum.destructive",
        "upload_from",
      ]] as const
    ) {
      const refused = envelopeOf(await peer.call(tool, { ...op, args: {}, [name]: "/d/x" }));
      equal(refused.error_code, "INVALID_ARGS", tool);
    }
    equal(fake.asked.length, 2);
  });
});
