/** The login keychain of macOS through `/usr/bin/security` (spec 05 §3.3). */

import type { Environment } from "../../config/environment.ts";
import { STORE_SERVICE } from "./account_names.ts";
import { runTool, type ToolResult } from "./tool.ts";
import type { CredentialBackend, StoreCall, StoreUnavailableReason } from "./types.ts";
import { keychainUnavailable } from "./unavailable.ts";

const NAME = "macos-keychain";
const TOOL = "/usr/bin/security";
/** `errSecItemNotFound` as the tool reports it. */
const NOT_FOUND = 44;

/** Arguments that print an entry's value. */
export function securityFindArguments(account: string): readonly string[] {
  return ["find-generic-password", "-s", STORE_SERVICE, "-a", account, "-w"];
}

/** Arguments that remove an entry. */
function securityDeleteArguments(account: string): readonly string[] {
  return ["delete-generic-password", "-s", STORE_SERVICE, "-a", account];
}

/** The line for `security -i` that adds or replaces an entry; its standard input carries the value. */
export function securityAddLine(account: string, value: string): string {
  // Neither text can hold a quote or a backslash: names are percent-encoded, values base64url.
  return `add-generic-password -U -s ${STORE_SERVICE} -a "${account}" ` +
    `-l "${STORE_SERVICE}: ${account}" -w "${value}"\n`;
}

/** What an exit code of the tool means. */
export function securityExitReason(code: number): StoreUnavailableReason {
  if (code === 36 || code === 51) return "locked";
  return code === 128 ? "denied" : "service_unreachable";
}

/** The login keychain. */
export function macosKeychainBackend(
  options: {
    environment: Environment;
    timeoutMs?: number;
    /** A test's stand-in for the system's tool. */
    tool?: string;
  },
): CredentialBackend {
  const { tool = TOOL } = options;
  const run = async (args: readonly string[], given: StoreCall & { input?: string }) => {
    const result = await runTool({
      command: tool,
      args,
      input: given.input,
      environment: options.environment,
      signal: given.signal,
      timeoutMs: options.timeoutMs,
    });
    if (result.kind !== "exited") throw notRun(result);
    return result;
  };
  const get = async (account: string, { signal }: StoreCall) => {
    const { code, stdout } = await run(securityFindArguments(account), { signal });
    if (code === 0) return stdout.replace(/\n$/, "");
    if (code === NOT_FOUND) return null;
    throw refused(code);
  };
  return {
    name: NAME,
    longestValue: 2048,
    get,
    async set(account, value, { signal }) {
      await run(["-i"], { signal, input: securityAddLine(account, value) });
      // The interactive mode exits with 0 whatever happened, so the entry itself is the answer.
      if (await get(account, { signal }) !== value) {
        throw keychainUnavailable({
          backend: NAME,
          reason: "denied",
          detail: "the keychain did not keep the value",
        });
      }
    },
    async delete(account, { signal }) {
      const { code } = await run(securityDeleteArguments(account), { signal });
      if (code !== 0 && code !== NOT_FOUND) throw refused(code);
    },
    async probe({ signal, timeoutMs }) {
      const result = await runTool({
        command: tool,
        args: ["show-keychain-info"],
        environment: options.environment,
        signal,
        timeoutMs: timeoutMs ?? options.timeoutMs,
      });
      if (result.kind !== "exited") return { available: false, ...notRunStatus(result) };
      if (result.code === 0) return { available: true };
      return {
        available: false,
        reason: securityExitReason(result.code),
        detail: exitText(result.code),
      };
    },
  };
}

type NotRun = Exclude<ToolResult, { kind: "exited" }>;

function notRunStatus(result: NotRun): { reason: StoreUnavailableReason; detail: string } {
  if (result.kind === "timeout") {
    return { reason: "timeout", detail: "the keychain did not answer; it may be waiting for you" };
  }
  return result.reason === "missing"
    ? { reason: "tool_missing", detail: `${TOOL} is not there` }
    : { reason: "unsupported_platform", detail: "this build may not start programs" };
}

function notRun(result: NotRun) {
  return keychainUnavailable({ backend: NAME, ...notRunStatus(result) });
}

function refused(code: number) {
  return keychainUnavailable({
    backend: NAME,
    reason: securityExitReason(code),
    detail: exitText(code),
  });
}

function exitText(code: number): string {
  return `the security tool ended with ${code}`;
}
