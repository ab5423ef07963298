/** The Windows Credential Manager through a fixed PowerShell script (spec 05 §3.3). Best effort. */

import type { Environment } from "../../config/environment.ts";
import { findGumError } from "../../errors/mod.ts";
import { STORE_SERVICE } from "./account_names.ts";
import { runTool } from "./tool.ts";
import type { CredentialBackend, StoreCall, StoreUnavailableReason } from "./types.ts";
import { keychainUnavailable } from "./unavailable.ts";

const NAME = "windows-credential-manager";
const TOOL = "powershell.exe";

/** What the script is asked, on its standard input. */
export interface CredentialRequest {
  op: "get" | "set" | "delete" | "probe";
  target: string;
  value?: string;
}

/** What it answers, on its standard output. */
export type CredentialReply =
  | { ok: true; found: boolean; value?: string }
  | { ok: false; code: number };

/** Reads a request from standard input, so that no value is ever part of the command line. */
const SCRIPT = `
$ErrorActionPreference = 'Stop'
Add-Type -TypeDefinition @'
using System;
using System.Runtime.InteropServices;
using System.Text;
public static class GumCredentials {
  [StructLayout(LayoutKind.Sequential, CharSet = CharSet.Unicode)]
  struct Item {
    public uint Flags; public uint Type; public string TargetName; public string Comment;
    public System.Runtime.InteropServices.ComTypes.FILETIME LastWritten;
    public uint BlobSize; public IntPtr Blob; public uint Persist;
    public uint AttributeCount; public IntPtr Attributes; public string Alias; public string UserName;
  }
  [DllImport("advapi32.dll", CharSet = CharSet.Unicode, SetLastError = true)]
  static extern bool CredReadW(string target, uint type, uint flags, out IntPtr item);
  [DllImport("advapi32.dll", CharSet = CharSet.Unicode, SetLastError = true)]
  static extern bool CredWriteW(ref Item item, uint flags);
  [DllImport("advapi32.dll", CharSet = CharSet.Unicode, SetLastError = true)]
  static extern bool CredDeleteW(string target, uint type, uint flags);
  [DllImport("advapi32.dll")]
  static extern void CredFree(IntPtr item);
  public static int Read(string target, out string value) {
    value = null;
    IntPtr found;
    if (!CredReadW(target, 1, 0, out found)) return Marshal.GetLastWin32Error();
    try {
      Item item = (Item) Marshal.PtrToStructure(found, typeof(Item));
      byte[] blob = new byte[item.BlobSize];
      Marshal.Copy(item.Blob, blob, 0, blob.Length);
      value = Encoding.ASCII.GetString(blob);
      return 0;
    } finally { CredFree(found); }
  }
  public static int Write(string target, string value) {
    byte[] blob = Encoding.ASCII.GetBytes(value);
    IntPtr memory = Marshal.AllocHGlobal(blob.Length);
    try {
      Marshal.Copy(blob, 0, memory, blob.Length);
      Item item = new Item();
      item.Type = 1; item.TargetName = target; item.UserName = "gum"; item.Persist = 2;
      item.BlobSize = (uint) blob.Length; item.Blob = memory;
      return CredWriteW(ref item, 0) ? 0 : Marshal.GetLastWin32Error();
    } finally { Marshal.FreeHGlobal(memory); }
  }
  public static int Delete(string target) {
    return CredDeleteW(target, 1, 0) ? 0 : Marshal.GetLastWin32Error();
  }
}
'@
$request = [Console]::In.ReadToEnd() | ConvertFrom-Json
$value = $null
switch ($request.op) {
  'set' { $code = [GumCredentials]::Write($request.target, $request.value) }
  'delete' { $code = [GumCredentials]::Delete($request.target) }
  default { $code = [GumCredentials]::Read($request.target, [ref] $value) }
}
if ($code -eq 0) { $reply = @{ ok = $true; found = $true } }
elseif ($code -eq 1168) { $reply = @{ ok = $true; found = $false } }
else { $reply = @{ ok = $false; code = $code } }
if ($request.op -eq 'get' -and $null -ne $value) { $reply.value = $value }
[Console]::Out.Write((ConvertTo-Json -Compress $reply))
`;

/** Arguments of `powershell.exe`: the same for every request. */
export function credentialScriptArguments(): readonly string[] {
  return ["-NoProfile", "-NonInteractive", "-EncodedCommand", encodedCommand(SCRIPT)];
}

/** PowerShell takes a script as base64 of UTF-16LE. */
export function encodedCommand(script: string): string {
  const bytes = new Uint8Array(script.length * 2);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < script.length; index++) {
    view.setUint16(index * 2, script.charCodeAt(index), true);
  }
  return bytes.toBase64();
}

/** The reply in the script's output; undefined when it is none. */
export function parseCredentialReply(stdout: string): CredentialReply | undefined {
  try {
    const reply: unknown = JSON.parse(stdout);
    if (typeof reply !== "object" || reply === null || !("ok" in reply)) return undefined;
    if (reply.ok === true) {
      const found = "found" in reply && reply.found === true;
      const value = "value" in reply && typeof reply.value === "string" ? reply.value : undefined;
      return { ok: true, found, ...(value === undefined ? {} : { value }) };
    }
    return { ok: false, code: "code" in reply ? Number(reply.code) : 0 };
  } catch {
    return undefined; // A broken script prints anything; the caller reports it without quoting.
  }
}

/** What a Win32 error means: 5 = access denied, 1312 = no logon session. */
export function win32Reason(code: number): StoreUnavailableReason {
  if (code === 5) return "denied";
  return code === 1312 ? "locked" : "service_unreachable";
}

/** The Credential Manager of the signed-in user. */
export function windowsCredentialBackend(
  options: { environment: Environment; timeoutMs?: number },
): CredentialBackend {
  const ask = async (
    request: CredentialRequest,
    { signal, timeoutMs }: StoreCall & { timeoutMs?: number },
  ): Promise<{ found: boolean; value?: string }> => {
    const result = await runTool({
      command: TOOL,
      args: credentialScriptArguments(),
      input: JSON.stringify(request),
      environment: options.environment,
      signal,
      timeoutMs: timeoutMs ?? options.timeoutMs,
    });
    if (result.kind === "timeout") throw unavailable("timeout", "PowerShell did not answer");
    if (result.kind === "not_started") {
      const missing = result.reason === "missing";
      throw unavailable(
        missing ? "tool_missing" : "unsupported_platform",
        missing ? "powershell.exe is not there" : "this build may not start programs",
      );
    }
    const reply = parseCredentialReply(result.stdout);
    if (reply === undefined) throw unavailable("service_unreachable", "PowerShell gave no reply");
    if (!reply.ok) throw unavailable(win32Reason(reply.code), `Win32 error ${reply.code}`);
    return reply;
  };
  const target = (account: string) => `${STORE_SERVICE}:${account}`;
  return {
    name: NAME,
    longestValue: 2048,
    async get(account, call) {
      const { found, value } = await ask({ op: "get", target: target(account) }, call);
      return found ? value ?? "" : null;
    },
    async set(account, value, call) {
      await ask({ op: "set", target: target(account), value }, call);
    },
    async delete(account, call) {
      await ask({ op: "delete", target: target(account) }, call);
    },
    async probe(call) {
      try {
        await ask({ op: "probe", target: target("gum.probe") }, call);
        return { available: true };
      } catch (error) {
        const refusal = findGumError(error, "AUTH_KEYCHAIN_UNAVAILABLE");
        if (refusal === undefined) throw error;
        const reason = String(refusal.details.reason) as StoreUnavailableReason; // set by `ask`
        return { available: false, reason, detail: refusal.message };
      }
    },
  };
}

function unavailable(reason: StoreUnavailableReason, detail: string) {
  return keychainUnavailable({ backend: NAME, reason, detail });
}
