/** Opening the consent page (spec 05 §3.6 step 6). */

import type { Environment } from "../../config/environment.ts";

/** Opens an address in the person's browser; rejects when that cannot be started. */
export type BrowserOpener = (address: string) => Promise<void>;

/** An opener without a browser says so within this time; the answer is listened for meanwhile. */
const FAILS_WITHIN_MS = 2_000;

/** The program that opens an address on this system. */
export function browserCommand(os: string, address: string): { program: string; args: string[] } {
  switch (os) {
    case "darwin":
      return { program: "open", args: [address] };
    case "windows":
      return { program: "rundll32", args: ["url.dll,FileProtocolHandler", address] };
    default:
      return { program: "xdg-open", args: [address] };
  }
}

/** A browser stays when this process is long gone, and needs none of these. */
const NOT_FOR_A_BROWSER: Readonly<Record<string, string>> = {
  GUM_API_KEY: "",
  GUM_GOOGLE_ADS_DEVELOPER_TOKEN: "",
  GUM_VAULT_KEY: "",
  GUM_VAULT_PASSPHRASE: "",
};

/** True where no browser can appear: Linux without a display that is not inside Windows. */
export function isHeadless(
  environment: Environment,
  system: { os: string; readVersion: () => string },
): boolean {
  if (system.os === "darwin" || system.os === "windows") return false;
  if (environment.text("DISPLAY") !== undefined) return false;
  if (environment.text("WAYLAND_DISPLAY") !== undefined) return false;
  try {
    return !/microsoft|wsl/i.test(system.readVersion());
  } catch {
    // Not readable, or not Linux: nothing speaks for a display.
    return true;
  }
}

/** The opener of this system; undefined where there is no browser to open. */
export function systemBrowser(environment: Environment): BrowserOpener | undefined {
  if (isHeadless(environment, { os: Deno.build.os, readVersion: kernelVersion })) return undefined;
  return async (address) => {
    const { program, args } = browserCommand(Deno.build.os, address);
    const child = new Deno.Command(program, {
      args,
      env: NOT_FOR_A_BROWSER,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    child.unref();
    const ended = await endedSoon(child);
    if (ended !== undefined && !ended.success) throw new BrowserFailed(program, ended.code);
  };
}

/** The opener gave up at once, as it does over SSH, or with a display that is not there. */
export class BrowserFailed extends Error {
  override readonly name = "BrowserFailed";

  constructor(program: string, code: number) {
    super(`${program} ended with exit code ${code}`);
  }
}

/** How it ended, if it did; an opener that stays is a browser, or waits for one. */
async function endedSoon(child: Deno.ChildProcess): Promise<Deno.CommandStatus | undefined> {
  const { promise: waited, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), FAILS_WITHIN_MS);
  try {
    return await Promise.race([child.status, waited]);
  } finally {
    clearTimeout(timer);
  }
}

/** Deno keeps most of `/proc` to itself, so Windows' own folder is looked for first. */
function kernelVersion(): string {
  try {
    Deno.statSync("/run/WSL");
    return "microsoft";
  } catch {
    return Deno.readTextFileSync("/proc/version");
  }
}
