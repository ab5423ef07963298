/** Opening the consent page (spec 05 §3.6 step 6). */

import type { Environment } from "../../config/environment.ts";

/** Opens an address in the person's browser; rejects when that cannot be started. */
export type BrowserOpener = (address: string) => Promise<void>;

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
  // deno-lint-ignore require-await -- a failed spawn must reject
  return async (address) => {
    const { program, args } = browserCommand(Deno.build.os, address);
    new Deno.Command(program, {
      args,
      env: NOT_FOR_A_BROWSER,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn().unref();
  };
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
