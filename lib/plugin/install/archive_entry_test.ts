import assert from "node:assert/strict";
import { findGumError } from "../../errors/mod.ts";
import { realFileSystem } from "../file_system.ts";
import { inTemporary } from "../testdata/fixture.ts";
import { entrySink } from "./archive_entry.ts";

const piece = () => ReadableStream.from([new Uint8Array([1])]);

Deno.test("archive entries: names that a file system takes for one are refused as doubled", async () => {
  await inTemporary(async (directory) => {
    const sink = entrySink({
      ...realFileSystem,
      // As file systems do that ignore case.
      createFile: (path, mode) => realFileSystem.createFile(path.toLowerCase(), mode),
    }, directory);
    await sink.file("tool", piece());
    await assert.rejects(
      sink.file("TOOL", piece()),
      (error) =>
        findGumError(error, "PLUGIN_EXECUTABLE_UNTRUSTED")?.details.reason ===
          "unsafe_archive_entry",
    );
  });
});
