import assert from "node:assert/strict";
import { GumError } from "../../errors/mod.ts";
import type { Logger } from "../../log/mod.ts";
import { FIVE_OPS, testOp } from "../testdata/ops.ts";
import { buildIndex } from "./build.ts";
import { deferredSearch, encodeIndex, openSearch } from "./mod.ts";

const SHA = "0".repeat(64);
const good = encodeIndex(buildIndex(FIVE_OPS, {
  catalogSha256: SHA,
  tables: { service_aliases: { gmail: ["letterbox"] }, synonyms: {} },
}));

function recorder(): Logger & { warnings: string[] } {
  const warnings: string[] = [];
  return { warnings, log: (level, message) => level === "warn" && warnings.push(message) };
}

Deno.test("opening the index: a good file is used as it is", async () => {
  const logger = recorder();
  const search = await openSearch({
    logger,
    source: { indexBytes: () => good, catalogSha256: () => SHA },
  });
  assert.equal(search.size, 5);
  assert.equal(search.search("send")[0]?.op_id, "gmail.users.messages.send");
  assert.deepEqual(logger.warnings, []);
});

Deno.test("opening the index: a damaged file is replaced in memory with one warning", async () => {
  const damaged = good.slice();
  damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1;
  const logger = recorder();
  const source = { indexBytes: () => damaged, catalogSha256: () => SHA, ops: FIVE_OPS };
  const search = await openSearch({ logger, source });
  assert.equal(search.search("send")[0]?.op_id, "gmail.users.messages.send");
  assert.ok(search.search("letterbox").length > 0, "the tables of a readable header are kept");
  assert.equal(logger.warnings.length, 1);
});

Deno.test("opening the index: a missing file is replaced in memory with one warning", async () => {
  const logger = recorder();
  const indexBytes = () => Deno.readFileSync("/nonexistent/bm25.bin");
  const search = await openSearch({
    logger,
    source: { indexBytes, catalogSha256: () => SHA, ops: FIVE_OPS },
  });
  assert.equal(search.size, 5);
  assert.equal(logger.warnings.length, 1);
});

Deno.test("opening the index: an empty catalog answers every query with no rows", async () => {
  const source = { indexBytes: () => new Uint8Array(), catalogSha256: () => SHA, ops: [] };
  const search = await openSearch({ logger: recorder(), source });
  assert.equal(search.size, 0);
  assert.deepEqual(search.search("send"), []);
});

Deno.test("opening the index: when building fails, too, the code says so", async () => {
  const broken = testOp("a.b", { variants: undefined as unknown as [] });
  const source = { indexBytes: () => new Uint8Array(), catalogSha256: () => SHA, ops: [broken] };
  await assert.rejects(
    openSearch({ logger: recorder(), source }),
    (error) => error instanceof GumError && error.code === "BM25_BUILD_FAILED",
  );
});

Deno.test("plugin operations: plugin operations join the shipped ones", async () => {
  const plugin = testOp("plug.weather.forecast", { title: "Forecast weather" });
  const source = { indexBytes: () => good, catalogSha256: () => SHA };
  const search = await openSearch({ pluginOps: [plugin], source, logger: recorder() });
  assert.equal(search.size, 6);
  assert.equal(search.search("weather")[0]?.op_id, "plug.weather.forecast");
});

Deno.test("opening the index: a search handed out early says so until the index is there", async () => {
  const source = { indexBytes: () => good, catalogSha256: () => SHA };
  const loading = openSearch({ source, logger: recorder() });
  const search = deferredSearch(loading);
  assert.throws(
    () => search.search("send"),
    (error) =>
      error instanceof GumError && error.code === "SEARCH_INDEX_NOT_LOADED" && error.retryable,
  );
  await loading;
  assert.equal(search.search("send", 1)[0]?.op_id, "gmail.users.messages.send");
});

Deno.test("opening the index: a search handed out early passes a failure on", async () => {
  const failure = new Error("no index");
  const search = deferredSearch(Promise.reject(failure));
  await Promise.resolve();
  assert.throws(() => search.search("send"), failure);
});
