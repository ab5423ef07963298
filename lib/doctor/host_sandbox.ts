/** What confines plugins on this machine. */

import { describeHost } from "../plugin/sandbox/mod.ts";
import type { DoctorContext } from "./types.ts";

/** The first backend that really confines, tried once a process. */
export function hostSandbox(
  { environment, os }: Pick<DoctorContext, "environment" | "os">,
): ReturnType<typeof describeHost> {
  return describeHost({
    environment,
    os,
    settings: { isDev: false, backend: "auto", network: "strict", read: "open" },
    hidden: [],
  });
}
