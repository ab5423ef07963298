/** The compile task with a stand-in for the compiler: which base serves which platform, and exits. */

import assert from "node:assert/strict";
import { hostTarget } from "./mod.ts";

const ROOT = new URL("..", import.meta.url).pathname;

/** Says no for macOS, as the compiler does offline; else makes a file and notes which base it had. */
const COMPILER = `#!/bin/sh
case "$1" in --version) echo "deno 2.9.6 (stand-in)"; exit 0 ;; esac
target=host output=
while [ $# -gt 0 ]; do
  case "$1" in
    --target) target="$2"; shift ;;
    --output) output="$2"; shift ;;
    --preload) echo preload >> "$NOTES" ;;
  esac
  shift
done
case "$target" in
  *apple*)
    echo "error: error sending request for url (https://bases.example.org/denort-$target.zip): dns error" >&2
    exit 1 ;;
  *windows*) echo "error: the disk is full" >&2; [ -z "$FULL" ] || exit 1 ;;
esac
echo "$target \${DENORT_BIN:-none}" >> "$NOTES"
mkdir -p "$(dirname "$output")"
echo program > "$output"
`;

async function compile(
  argv: string[],
  env: Record<string, string> = {},
): Promise<{ code: number; stdout: string; stderr: string; notes: string }> {
  const folder = await Deno.makeTempDir({ prefix: "gum-compile-" });
  try {
    await Deno.writeTextFile(`${folder}/compiler`, COMPILER, { mode: 0o755 });
    await Deno.mkdir(`${folder}/bases`);
    await Deno.writeTextFile(`${folder}/bases/denort-x86_64-pc-windows-msvc`, "");
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["task", "-q", "compile", "--out", `${folder}/out`, ...argv],
      cwd: ROOT,
      env: {
        GUM_COMPILER: `${folder}/compiler`,
        GUM_BASES: `${folder}/bases`,
        DENORT_BIN: "/the/host's/base",
        NOTES: `${folder}/notes`,
        NO_COLOR: "1",
        ...env,
      },
      stdin: "null",
    }).output();
    const text = (bytes: Uint8Array) =>
      new TextDecoder().decode(bytes).replaceAll(`${folder}/`, "");
    const notes = await Deno.readTextFile(`${folder}/notes`).catch(() => "");
    return {
      code,
      stdout: text(stdout),
      stderr: text(stderr),
      notes: notes.replaceAll(`${folder}/`, ""),
    };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const ignore = hostTarget()?.triple !== "x86_64-unknown-linux-gnu";

Deno.test({
  name: "compile task: every platform with a base is built, the others are named, exit 3",
  ignore,
  async fn() {
    const { code, stdout, stderr, notes } = await compile(["--target", "all", "--artifact", "gum"]);
    assert.equal(code, 3, stderr);
    assert.match(
      stdout,
      /^bundle [\d.]+ MB, shipped files [\d.]+ MB\nout\/gum: .* sha256 [0-9a-f]{64}\n/,
    );
    assert.match(stdout, /^out\/x86_64-pc-windows-msvc\/gum\.exe: /m);
    assert.deepEqual(
      stderr.trim().split("\n"),
      ["x86_64", "aarch64"].map((cpu) =>
        `compile: no runtime base for ${cpu}-apple-darwin: ` +
        `https://bases.example.org/denort-${cpu}-apple-darwin.zip cannot be had`
      ),
    );
    // The machine's own base serves the machine alone; without one the compiler finds its own.
    assert.deepEqual(notes.trim().split("\n"), [
      "host /the/host's/base",
      "aarch64-unknown-linux-gnu none",
      "x86_64-pc-windows-msvc bases/denort-x86_64-pc-windows-msvc",
    ]);
  },
});

Deno.test({
  name: "compile task: any other failure is one, and a bad flag builds nothing",
  ignore,
  async fn() {
    const failed = await compile(["--target", "x86_64-pc-windows-msvc"], { FULL: "1" });
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /the disk is full/);
    const refused = await compile(["--target", "toaster"]);
    assert.deepEqual([refused.code, refused.notes], [2, ""]);
    assert.match(refused.stderr, /^compile: unknown: toaster; there are x86_64-unknown-linux-gnu/);
  },
});
