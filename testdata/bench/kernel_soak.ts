/**
 * Soak of the dispatch kernel: heap growth over many sequential calls, and many calls at once.
 *
 * Run by hand: `deno run -q --no-prompt -P=test --v8-flags=--expose-gc testdata/bench/kernel_soak.ts`
 * Figures go to docs/benchmarks.md.
 */

import { openSession } from "../../lib/session/mod.ts";

const SEQUENTIAL = 10_000;
const CONCURRENT = 1_000;
const collectGarbage = (globalThis as { gc?: () => void }).gc;
if (collectGarbage === undefined) throw new Error("run with --v8-flags=--expose-gc");

const heapMb = () => {
  collectGarbage();
  return Deno.memoryUsage().heapUsed / 1e6;
};

// Local pacing is there to be hit; a soak must not be what hits it.
const config = await Deno.makeTempDir();
await Deno.mkdir(`${config}/gum/soak`, { recursive: true });
await Deno.writeTextFile(
  `${config}/gum/soak/config.toml`,
  "config_schema_version = 1\n[rate_limit]\ncapacity = 10000\nrefill_per_second = 1000\n",
);
const session = await openSession({
  profileName: "soak",
  emulator: true,
  directories: { config },
});
const { emulator, kernel } = session;
const read = (args: Record<string, string>) =>
  kernel.dispatch({ opId: "gmail.users.messages.get", args: { userId: "me", ...args } });

const list = await kernel.dispatch({
  opId: "gmail.users.messages.list",
  args: { userId: "me", maxResults: 200 },
  format: "json",
});
const ids = (JSON.parse(new TextDecoder().decode(list.body)) as { messages: { id: string }[] })
  .messages.map((message) => message.id);

// One round fills what is meant to be kept (the response cache); growth is measured after it.
for (const id of ids) await read({ id, format: "metadata" });
emulator?.clearJournal();
const before = heapMb();
for (let call = 0; call < SEQUENTIAL; call++) {
  // Every other call has arguments nobody has seen, so that it goes to the wire.
  const id = ids[call % ids.length] ?? "";
  if (call % 2 === 0) await read({ id, format: "metadata" });
  else {
    await kernel.dispatch({
      opId: "gmail.users.messages.modify",
      args: { userId: "me", id, body: { addLabelIds: ["STARRED"] } },
      allowWrite: true,
    });
  }
  if (call % 500 === 0) emulator?.clearJournal();
}
emulator?.clearJournal();
const after = heapMb();
console.log(
  `${SEQUENTIAL} sequential calls: heap ${before.toFixed(1)} MB -> ${after.toFixed(1)} MB, ` +
    `growth ${(after - before).toFixed(1)} MB (bar 30 MB)`,
);

const started = performance.now();
const answers = await Promise.allSettled(
  Array.from({ length: CONCURRENT }, (_, call) =>
    kernel.dispatch({
      opId: "drive.files.get",
      args: { fileId: `missing-${call}` },
    })),
);
const codes = Map.groupBy(answers, (answer) =>
  answer.status === "fulfilled" ? "ok" : String((answer.reason as { code?: string }).code));
console.log(
  `${CONCURRENT} at once: all settled in ${(performance.now() - started).toFixed(0)} ms: ` +
    [...codes].map(([code, group]) => `${group.length} ${code}`).join(", "),
);
await session.close();
await Deno.remove(config, { recursive: true });
