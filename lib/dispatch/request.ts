/** What an adapter is handed. */

import { GumError } from "../errors/mod.ts";
import type { Call } from "./call.ts";
import type { AuthorizedCall } from "./stages.ts";
import type { Adapter, AdapterRequest } from "./types.ts";

/** The request as step 7 sends it; `confirmed` only when a token was verified and spent for it. */
export function adapterRequest(
  call: Call,
  authorized: AuthorizedCall,
  { confirmed = false }: { confirmed?: boolean } = {},
): AdapterRequest {
  const { invocation } = call;
  return {
    opId: authorized.op.op_id,
    args: authorized.wireArgs,
    resolved: authorized.resolved,
    credentials: call.refreshed ?? authorized.credentials,
    media: call.media,
    requestId: call.requestId,
    caller: invocation.caller,
    grants: {
      allowWrite: invocation.allowWrite ?? false,
      allowDestructive: invocation.allowDestructive ?? false,
      // Never the caller's own word for it.
      confirmed,
    },
    projectRootPath: invocation.projectRootPath,
    projectRootUri: invocation.projectRootUri,
    onScriptProgress: invocation.onScriptProgress,
    reached(facts) {
      if (call.execution !== undefined) call.execution.reached = facts;
    },
  };
}

/** The adapter of the variant; a binding that names none is an internal fault, not a caller's. */
export function requireAdapter(call: Call, authorized: AuthorizedCall): Adapter {
  const { adapterKey, op } = authorized.resolved;
  const adapter = call.deps.adapters.find(adapterKey);
  if (adapter !== undefined) return adapter;
  throw new GumError("SERVICE_DOWN", {
    message: `no adapter is registered for ${adapterKey === "" ? "this binding" : adapterKey}`,
    details: { adapter_key: adapterKey, op_id: op.op_id },
    userMessage: "This build of GUM cannot reach that kind of service.",
    suggestion: "Run `gum doctor`, or choose another variant with `gum describe`.",
  });
}
