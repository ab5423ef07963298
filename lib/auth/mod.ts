/**
 * Credentials: secrets that do not print themselves, and a resolver over explicit configuration.
 *
 * @module
 */
export { secret } from "./secret.ts";
export { createExplicitAuthResolver, type ExplicitCredentials } from "./explicit.ts";
