/** The keychains of other systems against programs that stand in for their tools. */

import assert from "node:assert/strict";
import { environmentOf } from "../../config/environment.ts";
import { findGumError } from "../../errors/mod.ts";
import { secret } from "../secret.ts";
import { apiKeyAccount, serviceAccountAccount } from "./account_names.ts";
import { entriesOver } from "./entries.ts";
import { macosKeychainBackend } from "./macos_keychain.ts";
import { CALL, recordingLogger, withTempFolder } from "./testing/folder.ts";
import { windowsCredentialBackend } from "./windows_credentials.ts";

const ignore = Deno.build.os === "windows";
const KEY = apiKeyAccount("work");
const CANARY = "AIzaCanary-0123456789-schlüssel";

/** `security` with a folder for a keychain; `$STATE/exit` makes every request end so. */
const SECURITY = `#!/bin/sh
printf '%s|' "$@" >> "$STATE/arguments"; echo >> "$STATE/arguments"
env >> "$STATE/environment"
if [ -f "$STATE/exit" ]; then exit "$(cat "$STATE/exit")"; fi
case "$1" in
  -i)
    read -r line
    printf '%s\\n' "$line" >> "$STATE/lines"
    account=$(printf '%s' "$line" | sed 's/.* -a "\\([^"]*\\)".*/\\1/')
    if [ ! -f "$STATE/forgets" ]; then
      printf '%s' "$line" | sed 's/.* -w "\\([^"]*\\)"$/\\1/' > "$STATE/item $account"
    fi
    ;;
  find-generic-password)
    [ "$2|$3|$4|$6" = '-s|gum|-a|-w' ] || exit 2
    [ -f "$STATE/item $5" ] || exit 44
    cat "$STATE/item $5"; echo
    ;;
  delete-generic-password)
    [ -f "$STATE/item $5" ] || exit 44
    rm "$STATE/item $5"
    ;;
  show-keychain-info) ;;
  *) exit 2 ;;
esac
`;

/** PowerShell as far as the script's requests go. */
const POWERSHELL = `#!/bin/sh
printf '%s|' "$@" >> "$STATE/arguments"; echo >> "$STATE/arguments"
request=$(cat)
field() { printf '%s' "$request" | sed -n 's/.*"'"$1"'":"\\([^"]*\\)".*/\\1/p'; }
item="$STATE/item $(field target)"
if [ -f "$STATE/code" ]; then printf '{"ok":false,"code":%s}' "$(cat "$STATE/code")"; exit 0; fi
if [ -f "$STATE/says" ]; then cat "$STATE/says"; exit 1; fi
case "$(field op)" in
  set) field value | tr -d '\\n' > "$item"; printf '{"ok":true,"found":true}' ;;
  delete)
    if [ -f "$item" ]; then rm "$item"; printf '{"ok":true,"found":true}'
    else printf '{"ok":true,"found":false}'; fi ;;
  get)
    if [ -f "$item" ]; then printf '{"ok":true,"found":true,"value":"%s"}' "$(cat "$item")"
    else printf '{"ok":true,"found":false}'; fi ;;
  probe) printf '{"ok":true,"found":false}' ;;
esac
`;

interface Stage {
  folder: string;
  backend: ReturnType<typeof macosKeychainBackend>;
  entries: ReturnType<typeof entriesOver>;
  log: ReturnType<typeof recordingLogger>;
  read(name: string): Promise<string>;
}

async function staged(
  system: "macos" | "windows",
  run: (stage: Stage) => Promise<void>,
): Promise<void> {
  await withTempFolder(async (folder) => {
    const name = system === "macos" ? "security" : "powershell.exe";
    const script = (system === "macos" ? SECURITY : POWERSHELL).replaceAll("$STATE", folder);
    await Deno.writeTextFile(`${folder}/${name}`, script, { mode: 0o700 });
    const environment = environmentOf({
      PATH: `${folder}:${Deno.env.get("PATH") ?? ""}`,
      GUM_VAULT_KEY: "never-handed-on",
    });
    const log = recordingLogger();
    const backend = system === "macos"
      ? macosKeychainBackend({ environment, tool: `${folder}/${name}` })
      : windowsCredentialBackend({ environment });
    const read = (file: string) => Deno.readTextFile(`${folder}/${file}`);
    await run({ folder, backend, entries: entriesOver(backend, { log }), log, read });
  });
}

for (const system of ["macos", "windows"] as const) {
  Deno.test({
    name: `${system}: values go through the tool and come back, and are never an argument`,
    ignore,
    fn: () =>
      staged(system, async ({ entries, backend, read, folder, log }) => {
        assert.deepEqual(await backend.probe(CALL), { available: true });
        assert.equal(await entries.get(KEY, CALL), null);
        await entries.set(KEY, secret(CANARY), CALL);
        assert.equal((await entries.get(KEY, CALL))?.reveal(), CANARY);
        await entries.set(KEY, secret("second"), CALL);
        assert.equal((await entries.get(KEY, CALL))?.reveal(), "second");
        const long = JSON.stringify({ key: "x".repeat(6_000), umlaut: "ä" });
        await entries.set(serviceAccountAccount("work"), secret(long), CALL);
        assert.equal((await entries.get(serviceAccountAccount("work"), CALL))?.reveal(), long);
        await entries.delete(KEY, CALL);
        await entries.delete(KEY, CALL);
        assert.equal(await entries.get(KEY, CALL), null);
        const encoded = new TextEncoder().encode(CANARY).toBase64({ alphabet: "base64url" });
        const told = await read("arguments");
        assert.ok(told.includes("gum") || told.includes("-EncodedCommand"));
        for (const text of [CANARY, encoded.slice(0, 20), "second"]) {
          assert.ok(!told.includes(text));
        }
        assert.ok(!log.text().includes(CANARY));
        if (system === "macos") {
          for (const line of (await read("lines")).split("\n")) assert.ok(line.length < 4_000);
          assert.ok(!(await read("environment")).includes("never-handed-on"));
        }
        const items = [...Deno.readDirSync(folder)].filter(({ name }) => name.startsWith("item "));
        assert.ok(items.length >= 4, "a long value is kept in parts");
      }),
  });
}

Deno.test({
  name:
    "TestAuthKeychainUnavailable: macOS says locked, denied or gone, and is not believed blindly",
  ignore,
  fn: () =>
    staged("macos", async ({ entries, backend, folder }) => {
      for (
        const [code, reason] of [["36", "locked"], ["51", "locked"], ["128", "denied"], [
          "1",
          "service_unreachable",
        ]] as const
      ) {
        await Deno.writeTextFile(`${folder}/exit`, code);
        for (
          const work of [
            () => entries.get(KEY, CALL),
            () => entries.delete(KEY, CALL),
            () => entries.set(KEY, secret(CANARY), CALL),
          ]
        ) {
          const error = await work().then(() => assert.fail("it worked"), (thrown) => thrown);
          const known = findGumError(error, "AUTH_KEYCHAIN_UNAVAILABLE");
          assert.equal(known?.details.reason, reason, `${code}`);
          assert.ok(!JSON.stringify(known?.toEnvelope()).includes(CANARY));
        }
        const { available } = await backend.probe(CALL);
        assert.equal(available, false);
      }
      await Deno.remove(`${folder}/exit`);
      await Deno.writeTextFile(`${folder}/forgets`, "");
      const error = await entries.set(KEY, secret(CANARY), CALL).then(
        () => assert.fail("it worked"),
        (thrown) => thrown,
      );
      assert.equal(findGumError(error)?.details.reason, "denied");
    }),
});

Deno.test({
  name: "TestAuthKeychainUnavailable: Windows errors and babble are refusals, never quoted",
  ignore,
  fn: () =>
    staged("windows", async ({ entries, backend, folder }) => {
      const reasonOf = async (work: () => Promise<unknown>) => {
        const error = await work().then(() => assert.fail("it worked"), (thrown) => thrown);
        const known = findGumError(error, "AUTH_KEYCHAIN_UNAVAILABLE");
        assert.ok(!JSON.stringify(known?.toEnvelope()).includes(CANARY));
        return known?.details.reason;
      };
      for (
        const [code, reason] of [["5", "denied"], ["1312", "locked"], [
          "87",
          "service_unreachable",
        ]]
      ) {
        await Deno.writeTextFile(`${folder}/code`, code ?? "");
        assert.equal(await reasonOf(() => entries.get(KEY, CALL)), reason);
        assert.equal(await reasonOf(() => entries.set(KEY, secret(CANARY), CALL)), reason);
        assert.deepEqual((await backend.probe(CALL)).available, false);
      }
      await Deno.remove(`${folder}/code`);
      await Deno.writeTextFile(`${folder}/says`, `At line:1 char:1 + ${CANARY}`);
      assert.equal(await reasonOf(() => entries.get(KEY, CALL)), "service_unreachable");
    }),
});

Deno.test({
  name: "TestAuthKeychainUnavailable: a tool that hangs is killed, one that is missing is named",
  ignore,
  fn: async () => {
    await withTempFolder(async (folder) => {
      const tool = `${folder}/security`;
      await Deno.writeTextFile(tool, "#!/bin/sh\nexec sleep 600\n", { mode: 0o700 });
      const environment = environmentOf({ PATH: Deno.env.get("PATH") ?? "" });
      const hanging = macosKeychainBackend({ environment, tool, timeoutMs: 100 });
      assert.deepEqual(await hanging.probe(CALL), {
        available: false,
        reason: "timeout",
        detail: "the keychain did not answer; it may be waiting for you",
      });
      const nowhere = windowsCredentialBackend({ environment: environmentOf({ PATH: folder }) });
      const status = await nowhere.probe(CALL);
      assert.equal(status.available, false);
      assert.equal(status.available === false && status.reason, "tool_missing");
    });
  },
});
