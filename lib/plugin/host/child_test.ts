import assert from "node:assert/strict";
import { systemClock } from "../../clock/mod.ts";
import { recordingLogger } from "../testdata/fixture.ts";
import { eventually } from "../testdata/runnable.ts";
import { startChild } from "./child.ts";

Deno.test({
  name: "plugin host: what outlives a process with its input open does not hold up its end",
  ignore: Deno.build.os === "windows",
  async fn() {
    let said = "";
    const child = startChild({
      // In a group of its own, so that it is not ended with the process that left it behind.
      command: {
        program: "sh",
        args: [
          "-c",
          "exec 3<&0; setsid sleep 600 <&3 >/dev/null 2>&1 & echo $!; read -r line; exit 3",
        ],
      },
      cwd: "/",
      variables: { PATH: "/usr/bin:/bin" },
      graceMs: 300,
      clock: systemClock,
      log: recordingLogger(),
      onOutput: (piece) => said += new TextDecoder().decode(piece),
      onErrorOutput: () => {},
      onEnd: () => {},
    });
    await eventually(() => said.includes("\n"), "the one left behind is there");
    const left = Number(said.trim());
    // Of more than a pipe holds the first line is read and the rest never.
    const bytes = new TextEncoder().encode("go\n" + "x".repeat(1024 * 1024));
    const written = child.write(bytes).then(() => "written", () => "refused");
    try {
      assert.deepEqual(await child.exited, { code: 3, signal: null, expected: false });
      await child.stop();
    } finally {
      Deno.kill(left, "SIGKILL");
    }
    assert.equal(await written, "refused");
  },
});
