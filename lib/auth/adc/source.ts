/** Where Application Default Credentials are (spec 05 §3.11). Reading them needs the opt-in. */

import type { Environment } from "../../config/environment.ts";

/** The first source that exists. */
export type AdcSource =
  | { kind: "file"; path: string; from: "GOOGLE_APPLICATION_CREDENTIALS" | "gcloud" }
  | { kind: "metadata" };

/** True when the profile, or this process, uses the host's credentials. */
export function adcOptedIn(environment: Environment, config: { adcEnabled: boolean }): boolean {
  return config.adcEnabled || environment.isOne("GUM_USE_ADC");
}

/** Where gcloud keeps its credentials; undefined without a home directory. */
export function gcloudPath(environment: Environment, os: string): string | undefined {
  const name = "application_default_credentials.json";
  const explicit = environment.text("CLOUDSDK_CONFIG");
  if (explicit !== undefined) return `${explicit}/${name}`;
  if (os === "windows") {
    const base = environment.text("APPDATA");
    return base === undefined ? undefined : `${base}/gcloud/${name}`;
  }
  const home = environment.text("HOME");
  return home === undefined ? undefined : `${home}/.config/gcloud/${name}`;
}

/** The file that would be used, without reading it. A named file counts even when it is missing. */
export async function adcFile(
  environment: Environment,
  os: string = Deno.build.os,
): Promise<Extract<AdcSource, { kind: "file" }> | undefined> {
  const named = environment.text("GOOGLE_APPLICATION_CREDENTIALS");
  if (named !== undefined) {
    return { kind: "file", path: named, from: "GOOGLE_APPLICATION_CREDENTIALS" };
  }
  const path = gcloudPath(environment, os);
  if (path === undefined || !await isFile(path)) return undefined;
  return { kind: "file", path, from: "gcloud" };
}

/** True for a file that is there. */
export async function isFile(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch {
    // Missing, or in a place this user may not look at: not usable either way.
    return false;
  }
}
