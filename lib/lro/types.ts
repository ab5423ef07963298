/** Shapes of waiting for a long-running operation (spec 02 §3.12). */

import type { CatalogSnapshot, Variant } from "../catalog/types.ts";
import type { Clock } from "../clock/mod.ts";
import type { AuthResolver, OperationMemory, ResolvedVariant } from "../dispatch/types.ts";
import type { GumError } from "../errors/mod.ts";
import type { HttpClient } from "../http/mod.ts";

/** Where an operation came from. */
export interface OperationOrigin {
  opId: string;
  variantId: string;
}

/** The service below which a variant's operations live. */
export interface ServiceHome {
  /** On `googleapis.com` or below it. */
  host: string;
  /** `/v2`, `/compute/v1`; no slash at the end. */
  versionPath: string;
}

/** What the session knows of its operations; the kernel fills it, the poll loop reads it. */
export interface OperationStore extends OperationMemory {
  /** Where this operation came from, when an answer of this session held it. */
  origin(name: string): (OperationOrigin & ServiceHome) | undefined;
  /** The last call that succeeded upstream. */
  lastAnswered(): (OperationOrigin & ServiceHome) | undefined;
}

/** One operation to wait for. */
export interface PollRequest {
  operationName: string;
  /** Origins that a surface remembers beyond the session's own memory. */
  handles: readonly ({ name: string } & OperationOrigin)[];
  /** Called after each fetch that did not finish the operation, with the seconds since the start. */
  onPending: (elapsedSeconds: number) => Promise<void>;
}

/** What a poll works with. */
export interface PollDeps {
  memory: OperationStore;
  http: Pick<HttpClient, "send">;
  auth: AuthResolver;
  catalog: Pick<CatalogSnapshot, "ops" | "findVariant">;
  clock: Clock;
  /** Version of GUM, for `User-Agent`. */
  version: string;
  /** Maps a failed fetch as a failed call is mapped. */
  describeFailure: (thrown: unknown, resolved: ResolvedVariant) => GumError;
}

/** One address to ask for the operation. */
export interface PollRoute {
  url: URL;
  /** Whose credentials go there; absent: whoever else calls that host. */
  origin?: OperationOrigin;
}

/** Who a poll authenticates as. */
export interface PollPrincipal {
  opId: string;
  variant: Variant;
}
