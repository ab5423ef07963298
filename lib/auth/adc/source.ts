/** Where Application Default Credentials are (spec 05 §3.11). Reading them needs the opt-in. */

import type { Environment } from "../../config/environment.ts";
import { adcReadiness } from "../readiness/mod.ts";

/** The first source that exists. */
export type AdcSource =
  | { kind: "file"; path: string; from: "GOOGLE_APPLICATION_CREDENTIALS" | "gcloud" }
  | { kind: "metadata" };

/** True when the profile, or this process, uses the host's credentials. */
export function adcOptedIn(environment: Environment, config: { adcEnabled: boolean }): boolean {
  return config.adcEnabled || environment.isOne("GUM_USE_ADC");
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
  const { path } = await adcReadiness({ environment, os, adcEnabled: false });
  return path === undefined ? undefined : { kind: "file", path, from: "gcloud" };
}
