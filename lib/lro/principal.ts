/** Who a poll authenticates as, and how its failures are described. */

import type { Op, Variant } from "../catalog/types.ts";
import type { AuthResolver, Credentials } from "../dispatch/types.ts";
import { GumError } from "../errors/mod.ts";
import type { PollDeps, PollPrincipal, PollRequest, PollRoute } from "./types.ts";

const POLL_ID = "gum.poll";
const CLOUD_SCOPE = "https://www.googleapis.com/auth/cloud-platform";

/** Credentials of a poll, by route. */
export interface PollCredentials {
  /** The headers that carry the credential; empty where none is needed. */
  headers(route: PollRoute, signal: AbortSignal): Promise<Record<string, string>>;
  /** Headers after one forced refresh; undefined once that was tried, or where it is not possible. */
  refreshed(route: PollRoute, signal: AbortSignal): Promise<Record<string, string> | undefined>;
  /** A failed fetch as a failed call is described. */
  describe(thrown: unknown, route: PollRoute): GumError;
}

/** Finds credentials for the routes of one poll. */
export function pollCredentials(poll: PollRequest & PollDeps): PollCredentials {
  const { auth } = poll;
  const known = new Map<PollRoute, PollPrincipal>();
  let refreshSpent = false;
  const principal = (route: PollRoute) => {
    const found = known.get(route) ?? principalOf(route, poll);
    known.set(route, found);
    return found;
  };
  const ask = (route: PollRoute) => ({ ...principal(route), args: {} });
  return {
    async headers(route, signal) {
      return credentialHeaders(await auth.resolve(ask(route), signal));
    },
    async refreshed(route, signal) {
      const refresh: AuthResolver["refresh"] = auth.refresh?.bind(auth);
      if (refreshSpent || refresh === undefined) return undefined;
      refreshSpent = true;
      const fresh = await refresh(ask(route), signal);
      return fresh === undefined ? undefined : credentialHeaders(fresh);
    },
    describe(thrown, route) {
      const { opId, variant } = principal(route);
      const error = thrown instanceof GumError
        ? thrown
        // Asking for a state changes nothing, whatever started the operation.
        : poll.describeFailure(thrown, {
          op: opOf(opId, variant),
          variant: { ...variant, risk_class: "read" },
          adapterKey: variant.binding?.adapter_key ?? "",
          deprecated: false,
        });
      return error.with({
        operation_name: poll.operationName,
        op_id: route.origin?.opId ?? POLL_ID,
      });
    },
  };
}

/**
 * The variant that started the operation, else one that calls the same host, else the last one
 * that succeeded, else a plain sign-in to Google Cloud.
 */
function principalOf(route: PollRoute, poll: PollDeps): PollPrincipal {
  const { catalog, memory } = poll;
  const started = route.origin && catalog.findVariant(route.origin.variantId);
  if (started) return { opId: started.op.op_id, variant: started.variant };
  const root = `https://${route.url.host}/`;
  for (const op of catalog.ops) {
    const variant = op.variants.find((candidate) =>
      candidate.binding?.http?.path.startsWith(root) && candidate.auth_strategy !== "api_key"
    );
    if (variant !== undefined) return { opId: op.op_id, variant };
  }
  const { opId, variantId } = memory.lastAnswered() ?? {};
  const last = variantId === undefined ? undefined : catalog.findVariant(variantId)?.variant;
  return opId !== undefined && last !== undefined
    ? { opId, variant: last }
    : { opId: POLL_ID, variant: CLOUD_SIGN_IN };
}

const CLOUD_SIGN_IN: Variant = {
  variant_id: "gum.poll.v1",
  variant_schema_version: 1,
  stability: "stable",
  interface_kind: "discovery-rest",
  backend_kind: "raw-http",
  risk_class: "read",
  auth_strategy: "byo_oauth",
  scopes: [CLOUD_SCOPE],
  capabilities: ["json_response"],
};

function credentialHeaders(credentials: Credentials | undefined): Record<string, string> {
  if (credentials === undefined) return {};
  const { token, apiKey, quotaProjectId } = credentials;
  return {
    ...(token === undefined ? {} : { authorization: `Bearer ${token.reveal()}` }),
    ...(apiKey === undefined ? {} : { "x-goog-api-key": apiKey.reveal() }),
    ...(quotaProjectId === undefined ? {} : { "x-goog-user-project": quotaProjectId }),
  };
}

function opOf(opId: string, variant: Variant): Op {
  return {
    op_id: opId,
    op_schema_version: 1,
    title: opId,
    summary: opId,
    service: opId.split(".")[0] ?? "",
    service_family: "",
    default_variant_id: variant.variant_id,
    variants: [variant],
  };
}
