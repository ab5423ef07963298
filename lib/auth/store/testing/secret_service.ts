/** A real Secret Service on a private session bus, for tests. */

import { environmentOf, type VariableName } from "../../../config/environment.ts";

/** A running service and the variables a client needs to reach it. */
export interface PrivateSecretService extends AsyncDisposable {
  variables: Partial<Record<VariableName, string>>;
}

/** Why there is none on this machine; undefined when there can be one. */
export function secretServiceMissing(): string | undefined {
  if (Deno.build.os !== "linux") return "not Linux";
  const missing = ["dbus-daemon", "gnome-keyring-daemon", "secret-tool"].filter((name) =>
    !(Deno.env.get("PATH") ?? "").split(":").some((folder) => isFile(`${folder}/${name}`))
  );
  return missing.length === 0
    ? undefined
    : `${missing.join(", ")} not installed (.ci/install-secret-service)`;
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false; // absent or out of reach: it cannot be started either way
  }
}

/**
 * Declares a test that needs the service. Where it cannot run, it says why and is ignored.
 *
 * @param body Gets the service and an empty home folder.
 */
export function testWithSecretService(
  name: string,
  body: (service: PrivateSecretService, home: string) => Promise<void>,
): void {
  const missing = secretServiceMissing();
  const shown = missing === undefined ? name : `${name} [skipped: ${missing}]`;
  Deno.test({
    name: shown,
    ignore: missing !== undefined,
    async fn() {
      const home = await Deno.makeTempDir({ prefix: "gum-keyring-" });
      try {
        await using service = await startSecretService(home);
        await body(service, home);
      } finally {
        await Deno.remove(home, { recursive: true });
      }
    },
  });
}

/** Starts a bus and a keyring daemon whose files live below `home`. */
export async function startSecretService(
  home: string,
  options: { unlocked?: boolean } = {},
): Promise<PrivateSecretService> {
  const runtime = `${home}/run`;
  await Deno.mkdir(runtime, { recursive: true, mode: 0o700 });
  const base = {
    HOME: home,
    XDG_RUNTIME_DIR: runtime,
    XDG_DATA_HOME: `${home}/data`,
    PATH: Deno.env.get("PATH") ?? "",
  };
  const socket = `${runtime}/bus-${crypto.randomUUID().slice(0, 8)}`;
  const bus = new Deno.Command("dbus-daemon", {
    args: ["--session", "--nofork", "--print-address=1", `--address=unix:path=${socket}`],
    env: base,
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = bus.stdout.getReader();
  const first = await reader.read();
  const address = new TextDecoder().decode(first.value).trim();
  const variables = { ...base, DBUS_SESSION_BUS_ADDRESS: address };
  const keyring = await startKeyring(variables, { unlocked: options.unlocked !== false });
  return {
    variables,
    async [Symbol.asyncDispose]() {
      keyring.kill("SIGKILL");
      bus.kill("SIGKILL");
      await Promise.all([keyring.status, bus.status]);
      await reader.cancel();
    },
  };
}

/** Starts of the daemon, which on a busy machine now and then comes up without its collection. */
const STARTS = 4;
/** For each of its two signs of life. */
const START_WAIT_MS = 5_000;

async function startKeyring(
  variables: Record<string, string>,
  options: { unlocked: boolean },
): Promise<Deno.ChildProcess> {
  for (let start = 1;; start++) {
    const keyring = new Deno.Command("gnome-keyring-daemon", {
      args: [
        "--foreground",
        "--components=secrets",
        ...options.unlocked ? ["--unlock"] : [],
      ],
      env: variables,
      clearEnv: true,
      stdin: "piped",
      stdout: "null",
      stderr: "null",
    }).spawn();
    const writer = keyring.stdin.getWriter();
    await writer.write(new TextEncoder().encode("keyring password"));
    await writer.close();
    try {
      await untilOwned(variables);
      if (options.unlocked) await untilWritable(variables);
      return keyring;
    } catch (error) {
      keyring.kill("SIGKILL");
      await keyring.status;
      if (start === STARTS) throw error;
    }
  }
}

/** Waits until the keyring answers on the bus. */
async function untilOwned(variables: Record<string, string>): Promise<void> {
  const deadline = performance.now() + START_WAIT_MS;
  for (;;) {
    const { code, stderr } = await new Deno.Command("secret-tool", {
      args: ["lookup", "service", "gum-test", "account", "none"],
      env: variables,
      clearEnv: true,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).output();
    if (code === 0 || stderr.length === 0) return;
    if (performance.now() > deadline) throw new Error(new TextDecoder().decode(stderr));
  }
}

/** Waits until there is a collection to store in: the daemon answers look-ups before it has one. */
async function untilWritable(variables: Record<string, string>): Promise<void> {
  const item = ["service", "gum-test", "account", "ready"];
  const tool = (args: string[], input = "") => runTool({ args, input, variables });
  const deadline = performance.now() + START_WAIT_MS;
  for (;;) {
    const { code, stderr } = await tool(["store", "--label=ready", ...item], "ready");
    if (code === 0) break;
    if (performance.now() > deadline) throw new Error(stderr);
  }
  await tool(["clear", ...item]);
}

async function runTool(
  { args, input, variables }: { args: string[]; input: string; variables: Record<string, string> },
): Promise<{ code: number; stderr: string }> {
  const child = new Deno.Command("secret-tool", {
    args,
    env: variables,
    clearEnv: true,
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  const { code, stderr } = await child.output();
  return { code, stderr: new TextDecoder().decode(stderr) };
}

/** An environment with the service's variables. */
export function environmentWith(
  service: PrivateSecretService,
  more: Partial<Record<VariableName, string>> = {},
): ReturnType<typeof environmentOf> {
  return environmentOf({ ...service.variables, ...more });
}
