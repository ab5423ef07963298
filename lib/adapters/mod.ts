/**
 * Adapters: how a variant reaches the wire. They know the wire and nothing of policy; what goes
 * wrong leaves as a failure of `lib/errors`, which the kernel turns into an envelope.
 *
 * @module
 */
export { createAdapterRegistry } from "./registry.ts";
export { createRestAdapter, type RestAdapterOptions } from "./rest/rest.ts";
