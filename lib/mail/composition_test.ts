import { deepStrictEqual, equal, rejects } from "node:assert/strict";
import PostalMime from "postal-mime";
import { createSnapshot, embeddedRequestSchema, loadCatalog } from "../catalog/mod.ts";
import type { Invocation, Kernel, ShapedResponse } from "../dispatch/types.ts";
import { findGumError } from "../errors/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { withMailComposition } from "./mod.ts";

const catalog = createSnapshot(loadCatalog(), { requestSchema: embeddedRequestSchema });

/** A kernel that keeps what it was asked, and the file of an upload as it was at that moment. */
function listeningKernel(): { kernel: Kernel; asked: Invocation[]; uploaded: Uint8Array[] } {
  const asked: Invocation[] = [];
  const uploaded: Uint8Array[] = [];
  const kernel: Kernel = {
    async dispatch(invocation) {
      asked.push(invocation);
      const { media } = invocation;
      if (media?.kind === "upload") uploaded.push(await Deno.readFile(media.source));
      return { opId: invocation.opId } as ShapedResponse;
    },
    serviceFamily: () => "workspace",
    returnsLro: () => false,
    cacheStats: () => ({}),
  };
  return { kernel, asked, uploaded };
}

const file = (megabytes: number) => ({
  filename: "big.bin",
  data_base64: new Uint8Array(megabytes * 1024 * 1024).toBase64(),
});

Deno.test("a message over 25 MB travels as an upload where the kernel moves files", async () => {
  const { kernel, asked, uploaded } = listeningKernel();
  const args = {
    userId: "me",
    message: { to: "a@example.com", subject: "Big", attachments: [file(20)], threadId: "t" },
  };
  const call = { opId: "gmail.users.drafts.create", args, allowWrite: true };
  const uploading = withMailComposition(kernel, { catalog, uploads: true });
  await uploading.dispatch(call);
  const [invocation] = asked;
  deepStrictEqual(invocation?.args, { userId: "me", message: { threadId: "t" } });
  equal(invocation?.media?.kind, "upload");
  const mail = await PostalMime.parse(uploaded[0] ?? new Uint8Array());
  equal(mail.subject, "Big");
  equal((mail.attachments[0]?.content as ArrayBuffer).byteLength, 20 * 1024 * 1024);
  // Nothing of the message stays on disk.
  const source = invocation?.media?.kind === "upload" ? invocation.media.source : "";
  await rejects(() => Deno.stat(source), Deno.errors.NotFound);
  // The service's own limit holds, and without uploads so does the smaller one.
  const huge = { ...call, args: { message: { attachments: [file(30)] } } };
  await rejects(() => uploading.dispatch(huge), { code: "INVALID_ARGS" });
  const plain = withMailComposition(kernel, { catalog });
  await rejects(() => plain.dispatch(call), { code: "INVALID_ARGS" });
});

Deno.test("other operations and ready-made messages pass through untouched", async () => {
  const { kernel, asked } = listeningKernel();
  const composing = withMailComposition(kernel, { catalog });
  const calls: Invocation[] = [
    { opId: "gmail.users.messages.list", args: { userId: "me", to: "x" } },
    { opId: "gmail.users.messages.send", args: { raw: "eA" } },
    { opId: "no.such.operation", args: { to: "x" } },
  ];
  for (const call of calls) await composing.dispatch(call);
  calls.forEach((call, index) => equal(asked[index], call));
});

Deno.test("a call that would send nothing is refused after every gate, before anybody is asked", async () => {
  const { kernel, asked } = listeningKernel();
  const composing = withMailComposition(kernel, { catalog });
  const opId = "gmail.users.messages.send";
  const nothing: JsonObject[] = [
    {},
    { raw: "" },
    { userId: "me", body: {} },
    { body: { raw: null } },
  ];
  for (const args of nothing) {
    asked.length = 0;
    const call = { opId, args, allowWrite: true, confirmed: true, confirmationToken: "t" };
    await rejects(() => composing.dispatch(call), (error) => {
      const { code, details } = findGumError(error) ?? {};
      deepStrictEqual(
        [code, details?.field, details?.missing, details?.op_id],
        ["INVALID_ARGS", "to", ["to"], opId],
      );
      return true;
    });
    // The kernel judged the call without sending it and without spending the token.
    deepStrictEqual(asked, [{
      ...call,
      format: "json",
      dryRun: true,
      confirmed: false,
      confirmationToken: undefined,
    }]);
  }
  // A draft may be empty, a stored draft is sent by its id, and a file can be the message.
  const whole: Invocation[] = [
    { opId: "gmail.users.drafts.create", args: {} },
    { opId: "gmail.users.drafts.send", args: { id: "r1" } },
    { opId, args: {}, media: { kind: "upload", source: "/dev/null" } },
  ];
  for (const call of whole) {
    asked.length = 0;
    await composing.dispatch(call);
    deepStrictEqual(asked, [call]);
  }
});

Deno.test("an error about a field names the operation, as every error of the kernel does", async () => {
  const composing = withMailComposition(listeningKernel().kernel, { catalog });
  const opId = "gmail.users.messages.send";
  await rejects(
    () => composing.dispatch({ opId, args: { to: "nobody", subject: "x" }, allowWrite: true }),
    (error) => findGumError(error)?.details.op_id === opId,
  );
});
