/** Which emulated service answers for which host and path. Each loads on its first request. */

import type { EmulatedService, ServiceSeed } from "./service.ts";

/** A stateful service that the frame can load. */
export interface ServiceRegistration {
  name: string;
  /** Hosts that serve it, beside `www.googleapis.com`. */
  hosts: readonly string[];
  /** Path prefixes that are its own. */
  prefixes: readonly string[];
  load(): Promise<(seed: ServiceSeed) => EmulatedService>;
}

/** Every stateful service. */
export const SERVICE_REGISTRATIONS: readonly ServiceRegistration[] = [
  {
    name: "gmail",
    hosts: ["gmail.googleapis.com"],
    prefixes: ["/gmail/v1/", "/upload/gmail/v1/", "/resumable/upload/gmail/v1/"],
    load: async () => (await import("./gmail/mod.ts")).createGmail,
  },
];

/** The service that owns this path on this host; undefined for all others. */
export function registrationFor(host: string, path: string): ServiceRegistration | undefined {
  return SERVICE_REGISTRATIONS.find((registration) =>
    (host === "www.googleapis.com" || registration.hosts.includes(host)) &&
    registration.prefixes.some((prefix) => path.startsWith(prefix))
  );
}
