/** The desktop keyring of Linux through `secret-tool` (spec 05 §3.3). */

import type { Environment } from "../../config/environment.ts";
import { findProgram } from "../../programs/mod.ts";
import { STORE_SERVICE } from "./account_names.ts";
import { runTool, type ToolResult } from "./tool.ts";
import type { BackendStatus, CredentialBackend, StoreUnavailableReason } from "./types.ts";
import { keychainUnavailable } from "./unavailable.ts";

const NAME = "secret-service";
const TOOL = "secret-tool";

type ToolAction = "lookup" | "store" | "clear" | "search";

/** Arguments of `secret-tool` for one entry. The value never is one of them. */
export function secretToolArguments(
  action: ToolAction,
  account: string,
): readonly string[] {
  const entry = ["service", STORE_SERVICE, "account", account];
  return action === "store"
    ? ["store", "--label", `${STORE_SERVICE}: ${account}`, ...entry]
    : [action, ...entry];
}

/** The Secret Service of this session. */
export function secretServiceBackend(
  options: { environment: Environment; timeoutMs?: number },
): CredentialBackend {
  const { environment } = options;
  let found: string | undefined;
  // Looked for until it is there; a report asks several times, and the search path may be long.
  const tool = () => found ??= findProgram(TOOL, environment);

  const run = async (
    action: ToolAction,
    given: { account: string; signal: AbortSignal; value?: string; timeoutMs?: number },
  ) => {
    const ready = await precheck(environment, tool);
    if (ready.kind === "no") throw unavailable(ready.reason, ready.detail);
    const result = await runTool({
      command: ready.path,
      args: secretToolArguments(action, given.account),
      input: given.value,
      secretText: given.value,
      environment,
      signal: given.signal,
      timeoutMs: given.timeoutMs ?? options.timeoutMs,
    });
    if (result.kind !== "exited") throw notRun(result);
    return result;
  };

  // A locked keyring that cannot ask answers like an empty one; only a search still lists the item.
  const refuseLocked = async (account: string, signal: AbortSignal) => {
    const { stdout } = await run("search", { account, signal });
    if (/^\[.*\]$/m.test(stdout)) throw unavailable("locked", "the keyring is locked");
  };

  return {
    name: NAME,
    longestValue: 2048,
    async get(account, { signal }) {
      const { code, stdout, stderr } = await run("lookup", { account, signal });
      if (code === 0) return stdout;
      if (code === 1 && stderr === "") {
        await refuseLocked(account, signal);
        return null;
      }
      throw unavailable(reasonOf(stderr), stderr);
    },
    async set(account, value, { signal }) {
      const { code, stderr } = await run("store", { account, value, signal });
      if (code !== 0) throw unavailable(reasonOf(stderr), stderr);
    },
    async delete(account, { signal }) {
      const { code, stderr } = await run("clear", { account, signal });
      if (code === 0) return;
      if (code !== 1 || stderr !== "") throw unavailable(reasonOf(stderr), stderr);
      await refuseLocked(account, signal);
    },
    probe: ({ signal, timeoutMs }) => probe({ environment, tool, signal, timeoutMs }),
  };
}

/** Asks for an entry that never exists: reaches the service, reads nothing. */
async function probe(
  options: {
    environment: Environment;
    tool: () => string | undefined;
    signal: AbortSignal;
    timeoutMs?: number;
  },
): Promise<BackendStatus> {
  const ready = await precheck(options.environment, options.tool);
  if (ready.kind === "no") return { available: false, reason: ready.reason, detail: ready.detail };
  const result = await runTool({
    command: ready.path,
    args: secretToolArguments("lookup", `${STORE_SERVICE}.probe`),
    environment: options.environment,
    signal: options.signal,
    timeoutMs: options.timeoutMs,
  });
  if (result.kind !== "exited") return { available: false, ...notRunStatus(result) };
  const answered = result.code === 0 || (result.code === 1 && result.stderr === "");
  return answered
    ? { available: true }
    : { available: false, reason: reasonOf(result.stderr), detail: result.stderr };
}

type Precheck =
  | { kind: "yes"; path: string }
  | { kind: "no"; reason: StoreUnavailableReason; detail: string };

// What can be known without starting anything (spec 05 §3.3, "quick negative").
async function precheck(
  environment: Environment,
  tool: () => string | undefined,
): Promise<Precheck> {
  const path = tool();
  if (path === undefined) {
    return { kind: "no", reason: "tool_missing", detail: `${TOOL} is not installed` };
  }
  if (environment.text("DBUS_SESSION_BUS_ADDRESS") !== undefined) return { kind: "yes", path };
  const runtime = environment.text("XDG_RUNTIME_DIR");
  if (runtime !== undefined && await exists(`${runtime}/bus`)) return { kind: "yes", path };
  return { kind: "no", reason: "service_unreachable", detail: "there is no session bus" };
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch {
    return false; // Whatever the reason, it cannot be reached.
  }
}

/** What the tool's complaint means. */
export function reasonOf(stderr: string): StoreUnavailableReason {
  if (/lock|dismiss|prompt/i.test(stderr)) return "locked";
  if (/denied|not authorized|permission/i.test(stderr)) return "denied";
  return "service_unreachable";
}

type NotRun = Exclude<ToolResult, { kind: "exited" }>;

function notRunStatus(result: NotRun): { reason: StoreUnavailableReason; detail: string } {
  if (result.kind === "timeout") {
    return {
      reason: "timeout",
      detail: "the keyring did not answer; it may be waiting to be unlocked",
    };
  }
  return result.reason === "missing"
    ? { reason: "tool_missing", detail: `${TOOL} is not installed` }
    : { reason: "unsupported_platform", detail: "this build may not start programs" };
}

function notRun(result: NotRun) {
  const { reason, detail } = notRunStatus(result);
  return unavailable(reason, detail);
}

function unavailable(reason: StoreUnavailableReason, detail: string) {
  return keychainUnavailable({ backend: NAME, reason, detail });
}
