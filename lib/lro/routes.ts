/** Where to ask for an operation (spec 02 §3.12). Pure; no route leaves `googleapis.com`. */

import type { Variant } from "../catalog/types.ts";
import { GumError } from "../errors/mod.ts";
import { credentialHostAllowed } from "../http/mod.ts";
import type { OperationOrigin, PollRoute, ServiceHome } from "./types.ts";

const COMPUTE = "https://compute.googleapis.com/compute/v1";

/** Shapes of operation names and the service that answers for them; `*` is one segment. */
const PREFIXES: readonly { pattern: readonly string[]; base: string }[] = [
  { pattern: ["projects", "*", "zones", "*", "operations"], base: COMPUTE },
  { pattern: ["projects", "*", "regions", "*", "operations"], base: COMPUTE },
  { pattern: ["projects", "*", "global", "operations"], base: COMPUTE },
  { pattern: ["global", "operations"], base: COMPUTE },
  {
    pattern: ["projects", "*", "locations", "*", "operations"],
    base: "https://run.googleapis.com/v2",
  },
  { pattern: ["operations"], base: "https://googleapis.com/v1" },
];

/** What is known beside the name itself. */
export interface KnownHomes {
  /** Where the session got the operation from. */
  origin?: OperationOrigin & ServiceHome;
  /** Where the session's last call succeeded. */
  lastAnswered?: OperationOrigin & ServiceHome;
}

/**
 * The addresses to try, best first and each once: the operation's own service, the name's own
 * address, the table of known shapes, the last service that answered.
 *
 * @throws GumError `INVALID_ARGS` for an absent name or one with an empty or dot segment.
 */
export function pollRoutes(operationName: string, known: KnownHomes = {}): PollRoute[] {
  if (operationName === "") throw nameRefused("operation_name is missing", ["operation_name"]);
  if (operationName.includes("://")) return fullAddress(operationName, known);
  const segments = operationName.split("/");
  if (segments.some((segment) => segment === "" || segment === "." || segment === "..")) {
    throw nameRefused("operation_name has an empty or dot segment", []);
  }
  const { origin, lastAnswered } = known;
  const path = segments.map((segment) => encodeURIComponent(segment.toWellFormed())).join("/");
  const candidates: { address: string; origin?: OperationOrigin }[] = [];
  if (origin !== undefined) {
    const base = `https://${origin.host}${origin.versionPath}`;
    // Some services name an operation by its last segment only.
    if (segments.length === 1) candidates.push({ address: `${base}/operations/${path}`, origin });
    candidates.push({ address: `${base}/${path}`, origin });
  }
  const prefix = PREFIXES.filter(({ pattern }) => startsWith(segments, pattern))
    .sort((left, right) => literals(right.pattern) - literals(left.pattern))[0];
  if (prefix !== undefined) candidates.push({ address: `${prefix.base}/${path}` });
  if (lastAnswered !== undefined) {
    const base = `https://${lastAnswered.host}/v1`;
    const tail = path.replace(/^(?:.*\/)?operations\//, "");
    candidates.push({ address: `${base}/operations/${tail}`, origin: lastAnswered });
    candidates.push({ address: `${base}/${path}`, origin: lastAnswered });
  }
  const seen = new Set<string>();
  return candidates.flatMap(({ address, origin }) => {
    if (seen.has(address)) return [];
    seen.add(address);
    return [{ url: new URL(address), ...(origin === undefined ? {} : { origin }) }];
  });
}

/** The service of a variant's HTTP binding; undefined without one, or outside `googleapis.com`. */
export function serviceHome(variant: Variant): ServiceHome | undefined {
  const path = variant.binding?.http?.path;
  if (path === undefined || path === "") return undefined;
  const absolute = path.includes("://")
    ? path
    : `https://www.googleapis.com/${path.replace(/^\//, "")}`;
  const [literal = ""] = absolute.split("{");
  if (!URL.canParse(literal)) return undefined;
  const url = new URL(literal);
  if (!credentialHostAllowed(url)) return undefined;
  const segments = url.pathname.split("/").filter((segment) => segment !== "");
  const version = segments.findIndex((segment) => /^v[0-9]/.test(segment));
  return {
    host: url.hostname,
    versionPath: version < 0 ? "/v1" : `/${segments.slice(0, version + 1).join("/")}`,
  };
}

function fullAddress(operationName: string, known: KnownHomes): PollRoute[] {
  const url = URL.canParse(operationName) ? new URL(operationName) : undefined;
  if (url === undefined || !credentialHostAllowed(url)) return [];
  const { origin } = known;
  return [{ url, ...(origin === undefined ? {} : { origin }) }];
}

/** A prefix needs at least one segment after it. */
function startsWith(segments: readonly string[], pattern: readonly string[]): boolean {
  return segments.length > pattern.length &&
    pattern.every((literal, index) => literal === "*" || literal === segments[index]);
}

function literals(pattern: readonly string[]): number {
  return pattern.filter((segment) => segment !== "*").length;
}

function nameRefused(message: string, missing: string[]): GumError {
  return new GumError("INVALID_ARGS", {
    message,
    details: { field: "operation_name", missing, unknown: [], type_errors: [] },
    userMessage: message,
    suggestion: "Pass the name exactly as an earlier call returned it.",
  });
}
