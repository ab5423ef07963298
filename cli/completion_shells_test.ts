import assert from "node:assert/strict";
import { shellWords } from "../tasks/gum_program.ts";
import { isolatedEnvironment, withFolder } from "./testing/spawned.ts";

const OP = "gmail.users.messages.list";
/** What `--fields` offers for `drive.files.list` after `fi`. */
const DRIVE_FILES = "files(id,name,mimeType,size,modifiedTime,owners(displayName,emailAddress)," +
  "webViewLink,parents,shared,trashed)";

function installed(shell: string): boolean {
  for (const folder of (Deno.env.get("PATH") ?? "").split(":")) {
    try {
      if (Deno.statSync(`${folder}/${shell}`).isFile) return true;
    } catch {
      // Not in this folder.
    }
  }
  return false;
}

/** Runs a script in a real shell with `gum` on its PATH. */
async function inShell(argv: string[]): Promise<string> {
  let output = "";
  await withFolder(async (home) => {
    await Deno.writeTextFile(`${home}/gum`, `#!/bin/sh\nexec ${shellWords()} "$@"\n`, {
      mode: 0o755,
    });
    const env = await isolatedEnvironment(home);
    const { stdout, stderr } = await new Deno.Command(argv[0] ?? "", {
      args: argv.slice(1),
      cwd: home,
      clearEnv: true,
      env: { ...env, PATH: `${home}:${env.PATH}`, TERM: "dumb", LANG: "C.UTF-8" },
      stdin: "null",
    }).output();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    output = text(stdout) + text(stderr);
    await assert.rejects(Deno.stat(`${home}/evil`), "a half-typed word was executed");
  });
  return output;
}

function shellTest(shell: string, body: () => Promise<void>): void {
  const ignore = !installed(shell);
  const name = `TestCLICompletionsAllShells: in a real ${shell}`;
  Deno.test({
    name: ignore ? `${name} (ignored: ${shell} is not installed)` : name,
    ignore,
    fn: body,
  });
}

shellTest("bash", async () => {
  const output = await inShell([
    "bash",
    "--norc",
    "-c",
    String.raw`
source <(gum completion bash)
try() {
  COMP_LINE=$1; COMP_POINT=${"$"}{#1}; shift
  COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 ))
  __gum_complete; printf '%s|' "${"$"}{COMPREPLY[@]}"; echo
}
try 'gum sea' gum sea
try 'gum call --risk=re' gum call --risk = re
try 'gum call --risk=' gum call --risk = ''
try 'gum call --risk ' gum call --risk ''
try 'gum  read   ${OP.slice(0, -1)}' gum read ${OP.slice(0, -1)}
try 'gum call $(touch evil) --ris' gum call '$(touch evil)' --ris
try "gum read 'gmail.users.labels.li" gum read "'gmail.users.labels.li"
try 'gum read x -o val' gum read x -o val
try 'gum read x -o "val' gum read x -o '"val'
try "gum read x --output='val" gum read x --output = "'val"
try 'gum read x --output=val' gum read x --output = val
try 'gum read x -o value\(' gum read x -o 'value\('
try 'gum "call" --ri\sk=re' gum '"call"' '--ri\sk' = re
touch 'rep 1.js'
try 'gum code @rep' gum code @ rep
COMP_WORDBREAKS=${"$"}{COMP_WORDBREAKS//@/}
try 'gum code @rep' gum code @rep
alias g=gum; try 'g sea' g sea
ln -s gum 'gum 2'
try '~/gum\ 2 sea' '~/gum\ 2' sea
complete -p gum
`,
  ]);
  assert.deepEqual(output.split("\n"), [
    "search|",
    "read|",
    "read|write|destructive|",
    "read|write|destructive|",
    `${OP}|`,
    "--risk|",
    "gmail.users.labels.list|",
    "value\\(|",
    "value(|",
    "value(|",
    "value\\(|",
    "value\\(|",
    "read|",
    "rep 1.js|",
    "@rep 1.js|",
    "search|",
    "search|",
    "complete -o default -F __gum_complete gum",
    "",
  ]);
});

shellTest("zsh", async () => {
  const output = await inShell([
    "zsh",
    "-f",
    "-c",
    String.raw`
touch note.js
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1='> '; unsetopt beep; autoload -U compinit; compinit -u -D; source <(gum completion zsh)"
zpty -w shell 'show-buffer() { print -r -- "BUFFER<$BUFFER>"; BUFFER=; zle accept-line }; zle -N show-buffer; bindkey "^X" show-buffer; print REA""DY'
zpty -r -m shell line '*READY*'
for typed in 'gum call ${OP} --risk=re' 'gum read ${
      OP.slice(0, -2)
    }' 'gum call $(touch evil) --ris' 'gum sea' 'gum call x --fields' 'gum read x -o "val' \
    'gum call drive.files.list --fields fi' 'gum code @note' 'gum call x --upload=note' '~/gum sea'; do
  zpty -w -n shell "$typed"$'\t\x18'
  zpty -r -m shell line '*BUFFER<*>*'
  print -r -- "$line"
done
zpty -d shell
`,
  ]);
  const quoted = DRIVE_FILES.replaceAll(/[()]/g, "\\$&");
  const buffers = [...output.matchAll(/BUFFER<([^\n]*)>/g)].map((match) => match[1]);
  assert.deepEqual(buffers, [
    `gum call ${OP} --risk=read `,
    `gum read ${OP} `,
    "gum call $(touch evil) --risk ",
    "gum search ",
    "gum call x --fields ",
    'gum read x -o "value(',
    `gum call drive.files.list --fields ${quoted}`,
    "gum code @note.js ",
    "gum call x --upload=note.js ",
    "~/gum search ",
  ]);
});

shellTest("fish", async () => {
  const output = await inShell([
    "fish",
    "--no-config",
    "-c",
    `gum completion fish | source
complete -C 'gum sea'
complete -C 'gum call --risk '
complete -C 'gum call --risk=w'
complete -C 'gum read ${OP.slice(0, -1)}'
complete -C 'gum call (touch evil) --ris'
touch note.js
complete -C 'gum code @note'
complete -C 'gum call x --upload=note'
complete -C "gum call drive.files.list --fields 'fi"
complete -C 'gum "sea'
complete -C '~/gum sea'
alias g gum
complete -C 'g sea'`,
  ]);
  const values = output.trimEnd().split("\n").map((line) => line.split("\t")[0]);
  assert.deepEqual(values, [
    "search",
    "destructive",
    "read",
    "write",
    "--risk=write",
    OP,
    "--risk",
    "@note.js",
    "--upload=note.js",
    DRIVE_FILES,
    "search",
    "search",
    "search",
  ]);
});

shellTest("pwsh", async () => {
  const output = await inShell([
    "pwsh",
    "-NoProfile",
    "-Command",
    `gum completion powershell | Out-String | Invoke-Expression
(TabExpansion2 'gum sea' 7).CompletionMatches.CompletionText
(TabExpansion2 'gum call --risk ' 16).CompletionMatches.CompletionText`,
  ]);
  assert.deepEqual(output.trimEnd().split("\n"), ["search", "read", "write", "destructive"]);
});
